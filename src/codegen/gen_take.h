/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of the kernel that gathers rows: they stand in front of cl/take.cl
 * and cl/take_cpu.cl or cl/take_gpu.cl. */
#ifndef CODEGEN_GEN_TAKE_H
#define CODEGEN_GEN_TAKE_H

#include "base/strb.h"
#include "layout/take_layout.h"

/* The type of words of 1, 2, 4, 8 or 16 bytes. */
const char *ga__word_cl(size_t bytes);

/* Append the macros. The kernel's arguments are those of take.cl: buffers with
 * their offsets, sizes (long if is_wide, else int), ga_vn as ulong and ga_vs as
 * long; then sizes and strides of nd dimensions as long. The strides count
 * words. */
void ga__gen_take(ga__strb *b, const ga__take_layout *p);

#endif
