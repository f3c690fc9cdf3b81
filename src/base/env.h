/* SPDX-License-Identifier: BSD-2-Clause */
/* Environment variables (docs/environment.md). */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include "base/strb.h"

/* The value; NULL if unset or empty. Borrowed. */
const char *ga__env_text(const char *name);
/* The number that a text begins with, whatever the locale; 0 if none. */
double ga__real_of_text(const char *text);
/* Nonzero if it is set and not "0". */
int ga__env_on(const char *name);
/* Append the library's folder: $xdg/gpugraph, else $HOME/below/gpugraph;
 * nothing if neither variable is set. */
void ga__env_folder(ga__strb *b, const char *xdg, const char *below);

#endif
