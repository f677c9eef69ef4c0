# SPDX-License-Identifier: Apache-2.0
"""The names that xgrammar and its tests import from Transformers; there are no models."""


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
