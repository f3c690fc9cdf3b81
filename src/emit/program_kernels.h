/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a program, for any sizes: made when the first plan asks for
 * them, shared by all plans. Kinds of steps that write source have a line in
 * the table of make_kernels.c. */
#ifndef EMIT_PROGRAM_KERNELS_H
#define EMIT_PROGRAM_KERNELS_H

#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/reduction.h>
#include <gpuarray/rows.h>

#include "fuse/step.h"

/* What follows an op's own kernel, and what that points to. */
typedef struct gg__epilogue {
  GpuEpilogue e;
  struct gg__epilogue *sum; /* owned; what follows the sum, or NULL */
  gpuelemwise_arg *args;    /* owned, as the others */
  char (*names)[12];
  ga__strb text;
} gg__epilogue;

/* What a step's launches are prepared from; the kind of step says which. */
typedef union gg__kernel {
  GpuElemwise *map;
  GpuReduction *reduction;
  GpuRows *rows;
  gg__epilogue *epilogue; /* NULL: there is none */
} gg__kernel;

/* Copies elements of a dtype, any strides. */
typedef struct gg__copier {
  unsigned int context;
  int dtype;
  GpuElemwise *ge;
} gg__copier;

/* Lists live in the program's arena. */
typedef struct gg__kernels {
  const gg__program *p;
  gg__kernel *of;         /* by step */
  unsigned char *is_made; /* by step */
  unsigned int *local;    /* by value: its name while a source is written */
  GA_VEC(gg__copier) copiers;
} gg__kernels;

/* None yet. Clear in any case; *k starts zeroed. */
int gg__kernels_init(gg__kernels *k, gg__program *p);
void gg__kernels_clear(gg__kernels *k);
/* The kernel of a step; borrowed. */
int gg__kernel_get(gg__kernels *k, unsigned int step, gg__kernel *out);
int gg__copier_get(gg__kernels *k, unsigned int context, int dtype,
                   GpuElemwise **out);

#endif
