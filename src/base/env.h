/* SPDX-License-Identifier: BSD-2-Clause */
/* Environment variables (docs/environment.md). */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include <stdint.h>

#include "base/strb.h"

/* The value of a variable; NULL if it is unset or empty. Borrowed. */
const char *ga__env_text(const char *name);
/* The number at the start of a text, independent of the locale; 0 if there is
 * none. */
double ga__real_of_text(const char *text);
/* Nonzero if the variable is set and neither empty nor "0". */
int ga__env_on(const char *name);
/* As bytes: the whole number of MiB that the variable holds, else `mib`. */
uint64_t ga__env_mib(const char *name, unsigned long mib);
/* Append the library's folder: $xdg/gpugraph if $xdg is an absolute path, else
 * $HOME/below/gpugraph, or nothing without $HOME. */
void ga__env_folder(ga__strb *b, const char *xdg, const char *below);

#endif
