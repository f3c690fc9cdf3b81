/* SPDX-License-Identifier: BSD-2-Clause */
/* Elementwise expressions: contiguous, broadcast, transposed, and in other
 * types than float. */
#include "frozen.h"

#include <math.h>
#include <stddef.h>

static int run(frozen *f) {
  void *args[] = {&f->z, &f->x, &f->w};

  return GpuElemwise_call(f->ge, args, GE_BROADCAST);
}

static void compile(frozen *f, const char *text, int typecode) {
  gpuelemwise_arg args[] = {{"z", typecode, GE_WRITE},
                            {"x", typecode, GE_READ},
                            {"w", typecode, GE_READ}};

  f->ge = GpuElemwise_new(f->ctx, NULL, text, 3, args, 2,
                          typecode == GA_HALF ? GE_CONVERT_F16 : 0);
  if (f->ge == NULL)
    frozen_need(f, GA_MISC_ERROR, "expression");
}

/* z and x are squares; w has the size that is given. */
static void set_up(frozen *f, const char *text, int typecode, size_t rows,
                   size_t columns) {
  frozen_open(f);
  frozen_make(f, &f->z, typecode, f->side, f->side, NULL);
  frozen_make(f, &f->x, typecode, f->side, f->side, frozen_x);
  frozen_make(f, &f->w, typecode, rows, columns, frozen_w);
  compile(f, text, typecode);
}

static void set_exp(frozen *f) {
  set_up(f, "z = exp(-(x * w + 0.5f)) + 1.0f", GA_FLOAT, f->side, f->side);
}

static void set_add(frozen *f) {
  set_up(f, "z = x + w", GA_FLOAT, f->side, f->side);
}

static void set_row(frozen *f) {
  set_up(f, "z = x + w", GA_FLOAT, 1, f->side);
}

static void set_column(frozen *f) {
  set_up(f, "z = x + w", GA_FLOAT, f->side, 1);
}

static void set_turned(frozen *f) {
  set_add(f);
  frozen_need(f, GpuArray_transpose_inplace(&f->w, NULL), "transpose");
}

static void set_half(frozen *f) {
  set_up(f, "z = x + w", GA_HALF, f->side, f->side);
}

static void set_double(frozen *f) {
  set_up(f, "z = x + w", GA_DOUBLE, f->side, f->side);
}

static void set_complex(frozen *f) {
  set_up(f, "z = ga_cfloat_add(x, w)", GA_CFLOAT, f->side, f->side);
}

static void set_exp_of_some(frozen *f) {
  f->side = 480;
  set_exp(f);
}

static void set_small(frozen *f) {
  f->side = 4;
  set_add(f);
}

/* --- what is expected --- */

static double exp_of(const frozen *f, size_t i, size_t j) {
  return exp(-(frozen_x(f, i, j) * frozen_w(f, i, j) + 0.5)) + 1;
}

static double sum(const frozen *f, size_t i, size_t j) {
  return frozen_x(f, i, j) + frozen_w(f, i, j);
}

static double row_sum(const frozen *f, size_t i, size_t j) {
  return frozen_x(f, i, j) + frozen_w(f, 0, j);
}

static double column_sum(const frozen *f, size_t i, size_t j) {
  return frozen_x(f, i, j) + frozen_w(f, i, 0);
}

static double turned_sum(const frozen *f, size_t i, size_t j) {
  return frozen_x(f, i, j) + frozen_w(f, j, i);
}

static int check_exp(frozen *f) {
  return frozen_same(f, &f->z, exp_of, 1e-6);
}

static int check_add(frozen *f) {
  return frozen_same(f, &f->z, sum, 0);
}

static int check_row(frozen *f) {
  return frozen_same(f, &f->z, row_sum, 0);
}

static int check_column(frozen *f) {
  return frozen_same(f, &f->z, column_sum, 0);
}

static int check_turned(frozen *f) {
  return frozen_same(f, &f->z, turned_sum, 0);
}

/* --- the same expression again, as a program without a cache of its own
 *     builds it --- */

static int build_again(frozen *f) {
  GpuElemwise_free(f->ge);
  f->ge = NULL;
  compile(f, "z = x + w", GA_FLOAT);
  return run(f);
}

const frozen_case frozen_elemwise_cases[] = {
    {"exp(-(x*w+0.5))+1", FROZEN_LIMITED, 12, 1, set_exp, run, check_exp},
    {"x+w", FROZEN_LIMITED, 12, 1, set_add, run, check_add},
    {"x+w float16", FROZEN_LIMITED, 6, 1, set_half, run, check_add},
    {"x+w float64", FROZEN_LIMITED, 24, 1, set_double, run, check_add},
    {"x+w complex64", FROZEN_LIMITED, 24, 1, set_complex, run, check_add},
    {"x+row", FROZEN_LIMITED, 8, 1, set_row, run, check_row},
    {"x+column", FROZEN_LIMITED, 8, 1, set_column, run, check_column},
    {"x+transposed", FROZEN_LIMITED, 12, 1, set_turned, run, check_turned},
    {"exp of 230,400 elements", FROZEN_MICROS, 0, 20, set_exp_of_some, run,
     check_exp},
    {"x+w of 16 elements", FROZEN_MICROS, 0, 500, set_small, run, check_add},
    {"build x+w again, 16 elements", FROZEN_MICROS, 0, 1, set_small,
     build_again, check_add},
    {NULL, FROZEN_GBPS, 0, 0, NULL, NULL, NULL},
};
