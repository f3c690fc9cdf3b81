/* SPDX-License-Identifier: BSD-2-Clause */
/* A text with several owners, on any threads. It does not change. */
#ifndef BASE_SHARED_TEXT_H
#define BASE_SHARED_TEXT_H

#include "base/strb.h"

typedef struct ga__shared_text ga__shared_text;

/* Make a text with one owner of what was built in `b`, which is cleared. Fails
 * if building did; then *out is NULL. */
int ga__shared_text_take(ga__shared_text **out, ga__strb *b);
/* Add an owner. Returns t, which must not be NULL. */
ga__shared_text *ga__shared_text_retain(ga__shared_text *t);
/* Remove an owner; the last one frees the text. t may be NULL. */
void ga__shared_text_release(ga__shared_text *t);
/* The text, or NULL if t is. */
const char *ga__shared_text_of(const ga__shared_text *t);

#endif
