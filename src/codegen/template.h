/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel templates of cl/, embedded when the library is built. */
#ifndef CODEGEN_TEMPLATE_H
#define CODEGEN_TEMPLATE_H

#include <stddef.h>

/* The contents of cl/<name>.cl, static and NUL-terminated; NULL if there is no
 * such file. */
const char *ga__template(const char *name);

/* The name of template `i`, from 0, in alphabetical order; NULL after the
 * last. */
const char *ga__template_name(size_t i);

#endif
