// Hides what looks like a secret in the command line and in settings, unless LEADLINE_KEEP_SECRETS is set.
// python/leadline/masking.py does the same with the command that was typed, which a test compares.
#pragma once

#include <stddef.h>

namespace leadline::recorder {

// Whether secrets stay readable.
bool keeps_secrets();
// Whether the name of an option, a variable or a setting is that of a secret.
bool is_secret(const char* name, size_t length);
// A command line, of words that end with zeros, as text with blanks between them.
void mask_words(const char* words, size_t length, char* into, size_t size);
// The value of a setting.
void mask_value(const char* name, size_t length, const char* value, char* into, size_t size);

}  // namespace leadline::recorder
