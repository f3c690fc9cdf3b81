/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases that use only what libgpuarray 0.7.6 also has, so that one program
 * runs with either library. A case is checked before it is timed. */
#ifndef FROZEN_FROZEN_H
#define FROZEN_FROZEN_H

#include <gpuarray/array.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/kernel.h>

/* What a case works on. Everything starts zeroed and ends with the process. */
typedef struct frozen {
  int platform, device;
  size_t side;     /* arrays are side x side unless a case says otherwise */
  size_t elements; /* those that the case's bytes count; setup may change it */
  gpucontext *ctx;
  GpuArray z, x, w; /* results in z, and in w where there are two */
  GpuArray parts[2];
  GpuArray number;
  GpuElemwise *ge;
  GpuKernel kernel;
  gpudata *from, *to; /* the limit: a copy of side * side floats */
  unsigned int axes[2], n_axes;
  void *host;
} frozen;

/* How a figure is made of the seconds of a call. */
typedef enum frozen_unit {
  FROZEN_GBPS,    /* bytes moved, at least once, per second */
  FROZEN_LIMITED, /* the same, also as a share of the device's copy */
  FROZEN_MICROS,  /* microseconds per call */
  FROZEN_FIRST    /* milliseconds of the first call in a process */
} frozen_unit;

typedef struct frozen_case {
  const char *name; /* NULL ends a table */
  frozen_unit unit;
  double bytes; /* per element */
  int calls;    /* that are timed together, then waited for */
  void (*setup)(frozen *f);
  int (*run)(frozen *f); /* returns a GA_* code; need not wait */
  int (*check)(frozen *f);
} frozen_case;

extern const frozen_case frozen_elemwise_cases[];
extern const frozen_case frozen_copy_cases[];
extern const frozen_case frozen_fold_cases[];
extern const frozen_case frozen_host_cases[];

/* The value at row i, column j. */
typedef double (*frozen_value)(const frozen *f, size_t i, size_t j);

/* Multiples of 1/64 from 0 up to 1: exact in every type, sums too. */
double frozen_x(const frozen *f, size_t i, size_t j);
double frozen_w(const frozen *f, size_t i, size_t j);

/* Whole numbers below 2^24 without an order. */
double frozen_mixed(const frozen *f, size_t i, size_t j);

/* Report that the library refuses the case, unless `err` is 0; does not
 * return then. */
void frozen_need(frozen *f, int err, const char *what);

/* malloc() that does not fail. */
void *frozen_alloc(size_t size);

/* Open the device. */
void frozen_open(frozen *f);

/* Make a rows x columns array in C order; with `value` not NULL, filled. A
 * complex number gets half of the value as its imaginary part. */
void frozen_make(frozen *f, GpuArray *a, int typecode, size_t rows,
                 size_t columns, frozen_value value);

/* 1 when every element of a matrix in C order is within `tolerance` of
 * `want`, relative to 1 or to the value if that is larger. */
int frozen_same(frozen *f, const GpuArray *a, frozen_value want,
                double tolerance);

#endif
