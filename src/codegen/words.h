/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of words as text: " sin cos tan ", with a space around each word. */
#ifndef CODEGEN_WORDS_H
#define CODEGEN_WORDS_H

#include <stddef.h>

/* Nonzero if the list has the word of `n` characters. */
int ga__word_is_listed(const char *list, const char *word, size_t n);

#endif
