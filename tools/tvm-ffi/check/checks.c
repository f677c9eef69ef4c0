/* SPDX-License-Identifier: Apache-2.0 */
#include "check/checks.h"

#include <string.h>

#include "file/runtime_symbols.h"

void checks_add(checking *subject, level severity, const char *check, const char *symbol,
                char *said) {
  verdicts_add(&subject->found, severity, check, symbol, said);
}

void checks_say(checking *subject, level severity, const char *check, const char *symbol,
                const char *said) {
  verdicts_say(&subject->found, severity, check, symbol, said);
}

bool checks_begins(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

const char *checks_skip_prefix(const char *name) {
  return checks_begins(name, FUNCTION_PREFIX) ? name + strlen(FUNCTION_PREFIX) : NULL;
}

bool checks_is_exported(const binary_symbol *symbol) {
  return symbol->is_defined && !symbol->is_hidden;
}

const char *checks_cxx_name(const binary_file *file, const binary_symbol *symbol) {
  return symbol->is_defined || symbol->is_weak
             ? NULL
             : runtime_symbol_find(symbol->name, file->format).cxx_name;
}
