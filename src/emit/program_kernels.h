/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of a program, for all sizes. Each is made when a plan first needs
 * it, and shared by all plans. Kinds of steps that have source have a line in
 * the table of make_kernels.c. */
#ifndef EMIT_PROGRAM_KERNELS_H
#define EMIT_PROGRAM_KERNELS_H

#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>
#include <gpuarray/reduction.h>
#include <gpuarray/rows.h>

#include "fuse/step.h"

/* The epilogue of an op with kernels of its own, and the memory that it points
 * to. */
typedef struct gg__epilogue {
  GpuEpilogue e;
  struct gg__epilogue *sum;   /* owned; the epilogue of the sum, or NULL */
  struct gg__epilogue *front; /* owned; the map in front, or NULL */
  gpuelemwise_arg *args;      /* owned, like names and text */
  char (*names)[12];
  ga__strb text;
} gg__epilogue;

/* What a step's launches are prepared from; the kind of step says which
 * member. */
typedef union gg__kernel {
  GpuElemwise *map;
  GpuReduction *reduction;
  GpuRows *rows;
  gg__epilogue *epilogue; /* NULL: there is none */
} gg__kernel;

/* A kernel that copies elements of a dtype, with any strides. */
typedef struct gg__copier {
  unsigned int context;
  int dtype;
  GpuElemwise *ge;
} gg__copier;

/* The kernels of a program. Lists by step and by value live in the program's
 * arena. */
typedef struct gg__kernels {
  const gg__program *p;
  gg__kernel *of;         /* by step */
  unsigned char *is_made; /* by step */
  unsigned int *local;    /* by value: its name while a source is written */
  GA_VEC(gg__copier) copiers;
} gg__kernels;

/* Allocate the lists; no kernel is made yet. *k must be zeroed. Clear it in any
 * case. */
int gg__kernels_init(gg__kernels *k, gg__program *p);
void gg__kernels_clear(gg__kernels *k);
/* Get the kernel of a step, making it if needed; borrowed. The same for a
 * kernel that copies elements of `dtype` in a context. */
int gg__kernel_get(gg__kernels *k, unsigned int step, gg__kernel *out);
int gg__copier_get(gg__kernels *k, unsigned int context, int dtype,
                   GpuElemwise **out);

#endif
