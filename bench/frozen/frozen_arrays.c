/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices, arrays with known values, and comparison with what is expected. */
#include "frozen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double frozen_x(const frozen *f, size_t i, size_t j) {
  (void)f;
  return (double)((i * 7 + j * 13) % 64) / 64;
}

double frozen_w(const frozen *f, size_t i, size_t j) {
  (void)f;
  return (double)((i * 5 + j * 3) % 64) / 64;
}

double frozen_mixed(const frozen *f, size_t i, size_t j) {
  uint32_t n = (uint32_t)(i * f->side + j);

  return (double)(n * 2654435761u >> 8);
}

void frozen_need(frozen *f, int err, const char *what) {
  if (err == GA_NO_ERROR)
    return;
  const char *text = gpucontext_error(f->ctx, err);
  printf("refuses\t0\t-\t0\t%s: %.*s\n", what, (int)strcspn(text, "\n\t"),
         text);
  fflush(stdout);
  _Exit(0);
}

void *frozen_alloc(size_t size) {
  void *p = malloc(size > 0 ? size : 1);

  if (p == NULL) {
    fprintf(stderr, "out of memory\n");
    _Exit(1);
  }
  return p;
}

void frozen_open(frozen *f) {
  gpucontext_props *props;

  frozen_need(f, gpucontext_props_new(&props), "properties");
  frozen_need(f, gpucontext_props_opencl_dev(props, f->platform, f->device),
              "device");
  frozen_need(f, gpucontext_init(&f->ctx, "opencl", props), "context");
}

/* --- elements, at number k of a host array --- */

static void put(int typecode, void *p, size_t k, double v) {
  switch (typecode) {
  case GA_HALF:
    ((ga_half_t *)p)[k] = ga_float2half((float)v);
    break;
  case GA_FLOAT:
    ((float *)p)[k] = (float)v;
    break;
  case GA_DOUBLE:
    ((double *)p)[k] = v;
    break;
  case GA_CFLOAT:
    ((float *)p)[2 * k] = (float)v;
    ((float *)p)[2 * k + 1] = (float)v / 2;
    break;
  default:
    ((int32_t *)p)[k] = (int32_t)v;
  }
}

/* libgpuarray 0.7.6 has no function for this direction. */
static double half_value(ga_half_t half) {
  int exponent = half.h >> 10 & 31, mantissa = half.h & 1023;

  if (exponent == 31)
    return NAN;
  double v = exponent > 0 ? ldexp(mantissa + 1024, exponent - 25)
                          : ldexp(mantissa, -24);
  return half.h >> 15 ? -v : v;
}

static double get(int typecode, const void *p, size_t k) {
  switch (typecode) {
  case GA_HALF:
    return half_value(((const ga_half_t *)p)[k]);
  case GA_FLOAT:
    return ((const float *)p)[k];
  case GA_DOUBLE:
    return ((const double *)p)[k];
  case GA_CFLOAT:
    return ((const float *)p)[2 * k];
  default:
    return ((const int32_t *)p)[k];
  }
}

/* --- arrays --- */

void frozen_make(frozen *f, GpuArray *a, int typecode, size_t rows,
                 size_t columns, frozen_value value) {
  size_t dims[2] = {rows, columns};
  size_t size = rows * columns * gpuarray_get_elsize(typecode);

  frozen_need(f, GpuArray_empty(a, f->ctx, typecode, 2, dims, GA_C_ORDER),
              "array");
  if (value == NULL)
    return;
  char *host = frozen_alloc(size);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      put(typecode, host, i * columns + j, value(f, i, j));
  frozen_need(f, GpuArray_write(a, host, size), "write");
  free(host);
}

static int near(double got, double want, double tolerance) {
  return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

int frozen_same(frozen *f, const GpuArray *a, frozen_value want,
                double tolerance) {
  size_t rows = a->dimensions[0], columns = a->dimensions[1];
  size_t size = rows * columns * gpuarray_get_elsize(a->typecode);
  char *host = frozen_alloc(size);
  int is_same = 1;

  frozen_need(f, GpuArray_read(host, size, a), "read");
  for (size_t k = 0; k < rows * columns; k++) {
    double v = want(f, k / columns, k % columns);
    is_same &= near(get(a->typecode, host, k), v, tolerance);
    if (a->typecode == GA_CFLOAT)
      is_same &= near(((float *)(void *)host)[2 * k + 1], v / 2, tolerance);
  }
  free(host);
  return is_same;
}
