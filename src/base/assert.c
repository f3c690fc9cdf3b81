/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/assert.h"

#ifdef GA_ASSERTIONS

#include <stdio.h>
#include <stdlib.h>

_Noreturn void ga__assert_failed(const char *condition, const char *file,
                                 int line) {
  fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
  abort();
}

#else
typedef int no_assertions; /* a file cannot be empty */
#endif
