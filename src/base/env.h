/* SPDX-License-Identifier: BSD-2-Clause */
/* What the environment says (docs/environment.md). */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include "base/strb.h"

/* The value, or NULL for none; an empty one is none. Borrowed. */
const char *ga__env_text(const char *name);
/* Is it set, and not to 0? */
int ga__env_on(const char *name);
/* Append the library's own folder of a kind: $xdg/gpugraph, else
 * $HOME/below/gpugraph; nothing without either. */
void ga__env_folder(ga__strb *b, const char *xdg, const char *below);

#endif
