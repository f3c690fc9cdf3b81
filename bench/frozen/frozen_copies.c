/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies with and without casts, gathered rows, joins, maxima. */
#include "frozen.h"

#include <stddef.h>
#include <stdlib.h>

static int move(frozen *f) {
  return GpuArray_move(&f->z, &f->x);
}

/* --- layouts --- */

static void set_copy(frozen *f, int typecode) {
  frozen_open(f);
  frozen_make(f, &f->z, typecode, f->side, f->side, NULL);
  frozen_make(f, &f->x, GA_FLOAT, f->side, f->side, frozen_x);
}

static void set_turned(frozen *f) {
  set_copy(f, GA_FLOAT);
  frozen_need(f, GpuArray_transpose_inplace(&f->x, NULL), "transpose");
}

/* Every second element of every second row. */
static void set_slice(frozen *f) {
  ssize_t starts[2] = {0, 0}, steps[2] = {2, 2};
  ssize_t stops[2] = {(ssize_t)f->side, (ssize_t)f->side};
  size_t half = (f->side + 1) / 2;

  frozen_open(f);
  frozen_make(f, &f->z, GA_FLOAT, half, half, NULL);
  frozen_make(f, &f->x, GA_FLOAT, f->side, f->side, frozen_x);
  frozen_need(f, GpuArray_index_inplace(&f->x, starts, stops, steps), "slice");
  f->elements = half * half;
}

static double turned(const frozen *f, size_t i, size_t j) {
  return frozen_x(f, j, i);
}

static double slice(const frozen *f, size_t i, size_t j) {
  return frozen_x(f, 2 * i, 2 * j);
}

static int check_turned(frozen *f) {
  return frozen_same(f, &f->z, turned, 0);
}

static int check_slice(frozen *f) {
  return frozen_same(f, &f->z, slice, 0);
}

static int check_copy(frozen *f) {
  return frozen_same(f, &f->z, frozen_x, 0);
}

/* --- casts --- */

static void set_to_half(frozen *f) {
  set_copy(f, GA_HALF);
}

static void set_to_double(frozen *f) {
  set_copy(f, GA_DOUBLE);
}

static void set_from_int(frozen *f) {
  frozen_open(f);
  frozen_make(f, &f->z, GA_FLOAT, f->side, f->side, NULL);
  frozen_make(f, &f->x, GA_INT, f->side, f->side, frozen_mixed);
}

static int check_mixed(frozen *f) {
  return frozen_same(f, &f->z, frozen_mixed, 0);
}

/* --- rows in another order, halves put together --- */

static size_t row_of(const frozen *f, size_t i) {
  return i * 7919 % f->side;
}

static void set_take(frozen *f) {
  int *rows = frozen_alloc(f->side * sizeof *rows);

  set_copy(f, GA_FLOAT);
  frozen_need(
      f, GpuArray_empty(&f->number, f->ctx, GA_INT, 1, &f->side, GA_C_ORDER),
      "rows");
  for (size_t i = 0; i < f->side; i++)
    rows[i] = (int)row_of(f, i);
  frozen_need(f, GpuArray_write(&f->number, rows, f->side * sizeof *rows),
              "rows");
  free(rows);
}

static int take(frozen *f) {
  return GpuArray_take1(&f->z, &f->x, &f->number, 0);
}

static double taken(const frozen *f, size_t i, size_t j) {
  return frozen_x(f, row_of(f, i), j);
}

static int check_take(frozen *f) {
  return frozen_same(f, &f->z, taken, 0);
}

static void set_join(frozen *f, size_t rows, size_t columns, unsigned axis) {
  frozen_open(f);
  frozen_make(f, &f->parts[0], GA_FLOAT, rows, columns, frozen_x);
  frozen_make(f, &f->parts[1], GA_FLOAT, rows, columns, frozen_w);
  f->axes[0] = axis;
  f->elements = 2 * rows * columns;
}

static void set_join_rows(frozen *f) {
  set_join(f, f->side / 2, f->side, 0);
}

static void set_join_columns(frozen *f) {
  set_join(f, f->side, f->side / 2, 1);
}

static int join(frozen *f) {
  const GpuArray *parts[] = {&f->parts[0], &f->parts[1]};

  GpuArray_clear(&f->z);
  return GpuArray_concatenate(&f->z, parts, 2, f->axes[0], GA_FLOAT);
}

static double joined(const frozen *f, size_t i, size_t j) {
  size_t at[2] = {i, j}, half = f->side / 2;
  frozen_value value = frozen_x;

  if (at[f->axes[0]] >= half) {
    at[f->axes[0]] -= half;
    value = frozen_w;
  }
  return value(f, at[0], at[1]);
}

static int check_join(frozen *f) {
  return frozen_same(f, &f->z, joined, 0);
}

/* --- maxima and where they are --- */

/* The caller of libgpuarray 0.7.6 makes both results. */
static void set_max(frozen *f, unsigned n, unsigned axis) {
  frozen_open(f);
  frozen_make(f, &f->x, GA_FLOAT, f->side, f->side, frozen_mixed);
  frozen_need(
      f, GpuArray_empty(&f->z, f->ctx, GA_FLOAT, 2 - n, &f->side, GA_C_ORDER),
      "maxima");
  frozen_need(
      f, GpuArray_empty(&f->w, f->ctx, GA_LONG, 2 - n, &f->side, GA_C_ORDER),
      "positions");
  f->n_axes = n;
  f->axes[0] = axis;
  f->axes[1] = 1;
}

static void set_max_all(frozen *f) {
  set_max(f, 2, 0);
}

static void set_max_columns(frozen *f) {
  set_max(f, 1, 0);
}

static void set_max_rows(frozen *f) {
  set_max(f, 1, 1);
}

static int max(frozen *f) {
  return GpuArray_maxandargmax(&f->z, &f->w, &f->x, f->n_axes, f->axes);
}

/* Element `k` of those that make result `r`. */
static double candidate(const frozen *f, size_t r, size_t k) {
  if (f->n_axes == 2)
    return frozen_mixed(f, k / f->side, k % f->side);
  return f->axes[0] == 0 ? frozen_mixed(f, k, r) : frozen_mixed(f, r, k);
}

static int is_max(const frozen *f, size_t r, size_t n, double got, size_t at) {
  if (at >= n || candidate(f, r, at) != got)
    return 0;
  for (size_t k = 0; k < n; k++)
    if (candidate(f, r, k) > got)
      return 0;
  return 1;
}

static int check_max(frozen *f) {
  size_t results = f->n_axes == 2 ? 1 : f->side;
  size_t n = f->side * f->side / results;
  float *largest = frozen_alloc(results * sizeof *largest);
  size_t *at = frozen_alloc(results * sizeof *at);
  int is_right = 1;

  frozen_need(f, GpuArray_read(largest, results * sizeof *largest, &f->z),
              "maxima");
  frozen_need(f, GpuArray_read(at, results * sizeof *at, &f->w), "positions");
  for (size_t r = 0; r < results; r++)
    is_right &= is_max(f, r, n, largest[r], at[r]);
  free(largest);
  free(at);
  return is_right;
}

const frozen_case frozen_copy_cases[] = {
    {"transpose copy", FROZEN_LIMITED, 8, 1, set_turned, move, check_turned},
    {"copy of x[::2, ::2]", FROZEN_LIMITED, 8, 1, set_slice, move, check_slice},
    {"copy float32 to float16", FROZEN_LIMITED, 6, 1, set_to_half, move,
     check_copy},
    {"copy float32 to float64", FROZEN_LIMITED, 12, 1, set_to_double, move,
     check_copy},
    {"copy int32 to float32", FROZEN_LIMITED, 8, 1, set_from_int, move,
     check_mixed},
    {"concatenate rows", FROZEN_LIMITED, 8, 1, set_join_rows, join, check_join},
    {"concatenate columns", FROZEN_LIMITED, 8, 1, set_join_columns, join,
     check_join},
    {"take1", FROZEN_LIMITED, 8, 1, set_take, take, check_take},
    {"maxandargmax, all", FROZEN_LIMITED, 4, 1, set_max_all, max, check_max},
    {"maxandargmax, axis 0", FROZEN_LIMITED, 4, 1, set_max_columns, max,
     check_max},
    {"maxandargmax, axis 1", FROZEN_LIMITED, 4, 1, set_max_rows, max,
     check_max},
    {NULL, FROZEN_GBPS, 0, 0, NULL, NULL, NULL},
};
