/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins arrays along an axis. */
#include <gpuarray/create.h>
#include <gpuarray/device.h>

#include <string.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_join.h"
#include "codegen/template.h"
#include "layout/cut.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/ocl.h"

#define GROUP 256     /* work-items of a group on a GPU */
#define ITEM_MIN 8192 /* bytes of a work-item on a CPU */
#define ITEM_MAX 262144
#define ITEMS_PER_UNIT 16

static int check_part(const GpuArray *part, const GpuArray *first, size_t i,
                      unsigned int axis) {
  GA_TRY(ga__array_check(part));
  if (GpuArray_context(part) != GpuArray_context(first))
    return ga__fail(GA_INVALID_ERROR, "array %zu is of another context", i);
  if (part->nd != first->nd)
    return ga__fail(GA_VALUE_ERROR, "array %zu: expected %u dimensions, got %u",
                    i, first->nd, part->nd);
  for (unsigned int d = 0; d < part->nd; d++) {
    if (d != axis && part->dimensions[d] != first->dimensions[d])
      return ga__fail(GA_VALUE_ERROR,
                      "array %zu: dim %u: expected %zu, got %zu", i, d,
                      first->dimensions[d], part->dimensions[d]);
  }
  return GA_NO_ERROR;
}

static int check_parts(const GpuArray **as, size_t n, unsigned int axis) {
  if (n == 0)
    return ga__fail(GA_VALUE_ERROR, "no arrays to join");
  GA_TRY(ga__array_check(as[0]));
  if (axis >= as[0]->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    axis, as[0]->nd);
  for (size_t i = 0; i < n; i++)
    GA_TRY(check_part(as[i], as[0], i, axis));
  return GA_NO_ERROR;
}

static int check_result(const GpuArray *r, const GpuArray *first,
                        unsigned int axis, size_t dim) {
  size_t dims[GA_ND_MAX];

  memcpy(dims, first->dimensions, first->nd * sizeof *dims);
  dims[axis] = dim;
  return ga__operand_place(NULL, "result", r, first->nd, dims, 0);
}

/* --- wide parts: one copy for each --- */

/* Copy `a` to the part of `r` that begins at index `at` along `axis`. */
static int fill_part(const GpuArray *r, const GpuArray *a, unsigned int axis,
                     size_t at) {
  GpuArray part = *r; /* borrows */

  if (a->dimensions[axis] == 0)
    return GA_NO_ERROR;
  part.dimensions = a->dimensions;
  part.offset += at * (size_t)r->strides[axis];
  GpuArray_fix_flags(&part);
  return GpuArray_setarray(&part, a);
}

/* --- narrow parts: one kernel that writes whole rows --- */

/* A join of narrow parts by one kernel. With one copy for each part, every copy
 * would write to most cache lines of the result. A row is what the joined axis
 * and those after it span. */
typedef struct job {
  const GpuArray *const *values; /* the result, then the parts */
  size_t n;                      /* parts */
  unsigned int axis;
} job;

static size_t row_bytes(const GpuArray *a, unsigned int axis) {
  size_t bytes = GpuArray_ITEMSIZE(a);

  for (unsigned int d = axis; d < a->nd; d++)
    bytes *= a->dimensions[d];
  return bytes;
}

static int is_narrow(const job *j) {
  const GpuArray *r = j->values[0];

  for (size_t i = 0; i <= j->n; i++) {
    if (!GpuArray_IS_C_CONTIGUOUS(j->values[i]) ||
        !GpuArray_ISALIGNED(j->values[i]) ||
        ga__dtype_canon(j->values[i]->typecode) != ga__dtype_canon(r->typecode))
      return 0;
  }
  return row_bytes(r, j->axis) <= GPUARRAY_JOIN_BYTES;
}

/* Rows that one work-item computes. */
static size_t rows_per_item(const gpudevice_caps *caps, size_t rows,
                            size_t bytes) {
  if (!caps->is_cpu)
    return 1;
  return ga__cut_units(
      bytes,
      ga__cut_even(rows * bytes, (size_t)caps->compute_units * ITEMS_PER_UNIT,
                   ITEM_MIN, ITEM_MAX),
      rows);
}

static int add_kernel(GpuLaunch *l, const job *j, const size_t *words,
                      size_t word, size_t rows, size_t per) {
  const gpudevice_caps *caps = gpucontext_caps(GpuArray_context(j->values[0]));
  const size_t ls = caps->is_cpu ? 1 : ga__at_most(caps->max_group, GROUP);
  const size_t gs = ga__round_up(ga__ceil_div(rows, per), ls);
  ga__strb macros = GA_STRB_INIT;

  ga__gen_join(&macros, word, j->n, words);
  const char *const parts[2] = {ga__strb_text(&macros), ga__template("join")};
  const ga__source src = {.n = 2, .parts = parts, .entry = "join"};
  const int err = macros.err;
  if (err == GA_NO_ERROR)
    ga__launch_kernel(l, &src, 1, &gs, &ls);
  ga__strb_clear(&macros);
  return err;
}

static int prepare_narrow(GpuLaunch **out, const void *arg) {
  const job *j = arg;
  const GpuArray *r = j->values[0];
  const size_t bytes = row_bytes(r, j->axis);
  const size_t all = ga__array_total(r) * GpuArray_ITEMSIZE(r);
  const size_t rows = bytes > 0 ? all / bytes : 0;
  const size_t per =
      rows > 0
          ? rows_per_item(gpucontext_caps(GpuArray_context(r)), rows, bytes)
          : 1;
  size_t words[GPUARRAY_JOIN_PARTS], parts;
  const size_t word = ga__dtype_size(ga__array_word(r, &parts));

  *out = NULL;
  for (size_t i = 0; i < j->n; i++)
    words[i] = row_bytes(j->values[i + 1], j->axis) / word;
  GpuLaunch *l =
      ga__launch_open(GpuArray_context(r), "join", (unsigned int)j->n + 1);
  const int err = add_kernel(l, j, words, word, rows, per);
  if (err != GA_NO_ERROR)
    ga__launch_error(l, err);
  for (unsigned int k = 0; k <= j->n; k++) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, 0);
    ga__launch_bind_array(l, k, j->values[k]);
    ga__launch_require_align(l, k, word);
  }
  ga__launch_size(l, rows);
  ga__launch_size(l, per);
  ga__launch_cost(l, 2.0 * (double)all, 0);
  return ga__launch_seal(out, l);
}

static int run_narrow(const job *j) {
  gpucontext *ctx = GpuArray_context(j->values[0]);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "join");
  ga__launch_key_number(&key, j->axis);
  for (size_t i = 0; i <= j->n; i++)
    ga__launch_key_array(&key, j->values[i]);
  return ga__cached_run(
      &(ga__cached_call){.ctx = ctx,
                         .key = &key,
                         .n = (unsigned int)j->n + 1,
                         .values = (const void *const *)j->values,
                         .prepare = prepare_narrow,
                         .arg = j});
}

int GpuArray_join_prepare(GpuLaunch **out, GpuArray *res, const GpuArray **as,
                          size_t n, unsigned int axis) {
  const GpuArray *values[GPUARRAY_JOIN_PARTS + 1] = {res};
  const job j = {values, n, axis};
  size_t dim = 0;

  *out = NULL;
  GA_TRY(check_parts(as, n, axis));
  if (n > GPUARRAY_JOIN_PARTS)
    return ga__fail(GA_UNSUPPORTED_ERROR, "%zu arrays to join, at most %d", n,
                    GPUARRAY_JOIN_PARTS);
  GA_TRY(ga__operand_check_result("result", res, GpuArray_context(as[0]),
                                  as[0]->typecode));
  for (size_t i = 0; i < n; i++) {
    values[i + 1] = as[i];
    dim += as[i]->dimensions[axis];
    GA_TRY(ga__operand_check_apart("result", res, "a part", as[i]));
  }
  GA_TRY(check_result(res, as[0], axis, dim));
  if (!is_narrow(&j))
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "join: rows of %zu bytes, at most %d without gaps",
                    row_bytes(res, axis), GPUARRAY_JOIN_BYTES);
  return prepare_narrow(out, &j);
}

/* --- the call --- */

int GpuArray_concatenate(GpuArray *r, const GpuArray **as, size_t n,
                         unsigned int axis, int restype) {
  const GpuArray *values[GPUARRAY_JOIN_PARTS + 1];
  const job narrow = {values, n, axis};
  size_t *dims = NULL, at = 0;
  int err;

  memset(r, 0, sizeof *r);
  GA_TRY(check_parts(as, n, axis));
  dims = ga__memdup(as[0]->dimensions, as[0]->nd * sizeof *dims);
  if (dims == NULL)
    return ga__fail_nomem();
  for (size_t i = 1; i < n; i++)
    dims[axis] += as[i]->dimensions[axis];
  GA_CHECK(GpuArray_empty(r, GpuArray_context(as[0]), restype, as[0]->nd, dims,
                          GA_ANY_ORDER));
  values[0] = r;
  for (size_t i = 0; i < n && n <= GPUARRAY_JOIN_PARTS; i++)
    values[i + 1] = as[i];
  if (n <= GPUARRAY_JOIN_PARTS && is_narrow(&narrow)) {
    err = run_narrow(&narrow);
    goto done;
  }
  for (size_t i = 0; i < n; i++) {
    GA_CHECK(fill_part(r, as[i], axis, at));
    at += as[i]->dimensions[axis];
  }

done:
  ga__free(dims);
  if (err != GA_NO_ERROR)
    GpuArray_clear(r);
  return err;
}
