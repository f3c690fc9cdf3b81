/* SPDX-License-Identifier: BSD-2-Clause */
/** \file kernel_file.h
 *  Read kernels from files.
 *
 *      #section kernels
 *
 *      #kernel eye : *, offset, size, size, ssize : GA_USE_SMALL
 *      KERNEL void eye(GLOBAL_MEM DTYPE_OUTPUT_0 *a, ga_size off, ...) { ... }
 *
 *  A line "#kernel NAME : PARAMETERS : FLAGS" begins a kernel; its source ends
 *  at the next such line or section. Parameters are a list of * (device
 *  memory), offset (that of the memory before it), size, ssize and NumPy's
 *  names of dtypes; flags are GA_USE_* names joined with |, or nothing.
 *
 *  Other sections hold C for the generator (`gpugraph kernels`): support_code,
 *  support_code_apply, support_code_struct, init_code, init_code_apply,
 *  init_code_struct, cleanup_code_struct, code, code_cleanup. Nothing but blank
 *  lines may stand before the first section, or before the first kernel of a
 *  section.
 */
#ifndef GPUARRAY_KERNEL_FILE_H
#define GPUARRAY_KERNEL_FILE_H

#include <gpuarray/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The contents of one or more files. */
typedef struct GpuKernelFile GpuKernelFile;

/** Read files; sections of the same name are joined. The caller frees *out,
 *  which is NULL on failure. The message of GA_VALUE_ERROR has the file, the
 *  line and what was expected there, that of GA_SYS_ERROR why a file cannot be
 *  read. Blocks. */
GPUARRAY_PUBLIC int GpuKernelFile_read(GpuKernelFile **out, unsigned int n,
                                       const char *const *paths);
/** The same from `bytes` bytes of memory; `name` is for messages. */
GPUARRAY_PUBLIC int GpuKernelFile_parse(GpuKernelFile **out, const char *name,
                                        const char *text, size_t bytes);
/** Free it with its kernels and sections. Accepts NULL. */
GPUARRAY_PUBLIC void GpuKernelFile_free(GpuKernelFile *f);

/** The count of kernels in all files. */
GPUARRAY_PUBLIC unsigned int GpuKernelFile_count(const GpuKernelFile *f);
/** Kernel `i`, from 0, in the order of the files; borrowed, NULL beyond the
 *  last. */
GPUARRAY_PUBLIC const GpuKernelSpec *
GpuKernelFile_kernel(const GpuKernelFile *f, unsigned int i);
/** The kernel of that name; borrowed. NULL, with a GA_VALUE_ERROR recorded, if
 *  there is none. */
GPUARRAY_PUBLIC const GpuKernelSpec *GpuKernelFile_find(const GpuKernelFile *f,
                                                        const char *name);
/** The text of a section other than "kernels", each file's part after a #line
 *  directive; "" if there is none. Borrowed. */
GPUARRAY_PUBLIC const char *GpuKernelFile_section(const GpuKernelFile *f,
                                                  const char *name);

#ifdef __cplusplus
}
#endif

#endif
