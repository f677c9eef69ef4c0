# SPDX-License-Identifier: Apache-2.0
"""The names that xgrammar and its tests import from Transformers. There are no models here."""


class AutoConfig:
    pass


class AutoTokenizer:
    pass


class LogitsProcessor:
    pass


class PreTrainedTokenizerBase:
    pass


class PreTrainedTokenizerFast:
    pass
