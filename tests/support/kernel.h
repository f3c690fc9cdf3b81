/* SPDX-License-Identifier: BSD-2-Clause */
/* Users' kernels, built and called in the context of the tests. */
#ifndef SUPPORT_KERNEL_H
#define SUPPORT_KERNEL_H

#include <gpuarray/kernel.h>

/* Build the kernel "k" with `n` arguments; the compiler's words are shown when
 * that fails. To be cleared by the caller. */
GpuKernel test_kernel(const char *text, unsigned int n, const int *types,
                      int flags);

/* A buffer of zeros; the caller's reference. */
gpudata *test_zeros(size_t bytes);

/* Run `gs` groups of `ls` work-items. */
void test_call(GpuKernel *k, size_t gs, size_t ls, void **args);

#endif
