/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel templates of cl/, embedded when the library is built. */
#ifndef CODEGEN_TEMPLATE_H
#define CODEGEN_TEMPLATE_H

/* The contents of cl/<name>.cl, static and NUL-terminated; NULL if there is no
 * such file. */
const char *ga__template(const char *name);

#endif
