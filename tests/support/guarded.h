/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests in a context that guards indices: setup and teardown of a group. */
#ifndef SUPPORT_GUARDED_H
#define SUPPORT_GUARDED_H

#include "support/device.h"

#include <gpuarray/index_guard.h>

static int was_on;

static inline int guard_on(void **state) {
  (void)state;
  was_on = gpucontext_guards_indices(test_context());
  return gpucontext_guard_indices(test_context(), 1);
}

static inline int guard_back(void **state) {
  (void)state;
  return gpucontext_guard_indices(test_context(), was_on);
}

#endif
