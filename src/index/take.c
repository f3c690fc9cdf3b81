/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of an array by their numbers. */
#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <gpuarray/index.h>
#include <gpuarray/launch.h>

#include <stdio.h>
#include <string.h>

#include "array/arg_check.h"
#include "array/elemwise_parts.h"
#include "array/view.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "codegen/gen_take.h"
#include "codegen/template.h"
#include "ocl/ocl.h"

enum { RESULT, VALUES, INDICES, SLOTS };

/* --- checks --- */

/* The codes are those of libgpuarray 0.7.6: clients take GA_VALUE_ERROR for an
 * index that is out of bounds. */
static int check_indices(const GpuArray *i) {
  ga__kind kind = ga__dtype_kind(i->typecode);

  if (kind != GA_KIND_INT && kind != GA_KIND_UINT)
    return ga__fail(GA_VALUE_ERROR, "indices: expected integers, got %s",
                    ga__dtype_name(i->typecode));
  if (i->nd != 1)
    return ga__fail(GA_INVALID_ERROR, "indices: expected 1 dimension, got %u",
                    i->nd);
  if (!GpuArray_IS_C_CONTIGUOUS(i))
    return ga__fail(GA_INVALID_ERROR, "indices: the array is not C contiguous");
  return GA_NO_ERROR;
}

static int check_shapes(const GpuArray *a, const GpuArray *v,
                        const GpuArray *i) {
  if (v->nd == 0 || a->nd != v->nd)
    return ga__fail(GA_INVALID_ERROR, "result: expected %u dimensions, got %u",
                    v->nd > 0 ? v->nd : 1, a->nd);
  if (a->dimensions[0] != i->dimensions[0])
    return ga__fail(GA_INVALID_ERROR, "result: dim 0: expected %zu, got %zu",
                    i->dimensions[0], a->dimensions[0]);
  for (unsigned int d = 1; d < a->nd; d++) {
    if (a->dimensions[d] != v->dimensions[d])
      return ga__fail(GA_INVALID_ERROR, "result: dim %u: expected %zu, got %zu",
                      d, v->dimensions[d], a->dimensions[d]);
  }
  if (v->dimensions[0] == 0 && ga__array_total(a) > 0)
    return ga__fail(GA_VALUE_ERROR, "axis 0 of the values has size 0");
  return GA_NO_ERROR;
}

static int check_dtype(const GpuArray *a) {
  if (ga__dtype_kind(a->typecode) == GA_KIND_NONE)
    return ga__fail(GA_UNSUPPORTED_ERROR, "type %d is not supported",
                    a->typecode);
  return GA_NO_ERROR;
}

static int check_take(const GpuArray *a, const GpuArray *v, const GpuArray *i) {
  GA_TRY(ga__array_check(a));
  GA_TRY(ga__array_check(v));
  GA_TRY(ga__array_check(i));
  if (GpuArray_context(a) != GpuArray_context(v) ||
      GpuArray_context(a) != GpuArray_context(i))
    return ga__fail(GA_VALUE_ERROR, "the arrays are of different contexts");
  GA_TRY(check_dtype(a));
  GA_TRY(check_dtype(v));
  if (!GpuArray_ISWRITEABLE(a))
    return ga__fail(GA_VALUE_ERROR, "result: the array is not writeable");
  if (!GpuArray_IS_C_CONTIGUOUS(a))
    return ga__fail(GA_INVALID_ERROR, "result: the array is not C contiguous");
  GA_TRY(ga__arg_check_aligned("result", a));
  GA_TRY(ga__arg_check_aligned("values", v));
  GA_TRY(ga__arg_check_aligned("indices", i));
  GA_TRY(check_indices(i));
  GA_TRY(check_shapes(a, v, i));
  if (ga__arrays_overlap(a, v) || ga__arrays_overlap(a, i))
    return ga__fail(GA_VALUE_ERROR, "result: overlaps the %s",
                    ga__arrays_overlap(a, v) ? "values" : "indices");
  return GA_NO_ERROR;
}

/* --- launches --- */

/* Complex elements count as two, which need not be aligned as one. */
static size_t word_of(const GpuArray *a) {
  size_t bytes = GpuArray_ITEMSIZE(a);

  return ga__dtype_is_complex(a->typecode) ? bytes / 2 : bytes;
}

/* The space of one row: array 0 is the result, array 1 the values. */
static int row_space(ga__iter *it, const GpuArray *a, const GpuArray *v) {
  size_t dims[GA_ND_MAX];
  ptrdiff_t strides[2][GA_ND_MAX];
  unsigned int nd = a->nd - 1;

  for (unsigned int d = 0; d < nd; d++) {
    dims[d] = a->dimensions[d + 1];
    strides[0][d] = a->strides[d + 1];
    strides[1][d] = v->strides[d + 1];
  }
  if (word_of(a) != GpuArray_ITEMSIZE(a)) {
    dims[nd] = 2;
    strides[0][nd] = strides[1][nd] = (ptrdiff_t)word_of(a);
    nd++;
  }
  GA_TRY(ga__iter_init(it, nd, dims, 2));
  ga__iter_set(it, 0, strides[0]);
  ga__iter_set(it, 1, strides[1]);
  ga__iter_order(it, 0);
  ga__iter_merge(it);
  return GA_NO_ERROR;
}

static void add_sizes(GpuLaunch *l, const ga__take_plan *p, const ga__iter *row,
                      const GpuArray *v) {
  const size_t sizes[] = {p->n, p->len, p->segs, p->part, p->rows};

  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    if (p->is_wide)
      ga__launch_ssize(l, (ptrdiff_t)sizes[k]);
    else
      ga__launch_int(l, (int32_t)sizes[k]);
  }
  ga__launch_size(l, v->dimensions[0]);
  ga__launch_ssize(l, v->strides[0] / (ptrdiff_t)p->word);
  for (unsigned int d = 0; d < p->nd; d++) {
    ga__launch_ssize(l, (ptrdiff_t)row->dims[d]);
    ga__launch_ssize(l, row->strides[1][d] / (ptrdiff_t)p->word);
  }
}

static int add_take(GpuLaunch *l, GpuArray *a, const GpuArray *v,
                    const GpuArray *i) {
  ga__target t = ga__elemwise_target(GpuArray_context(a));
  ga__take_plan p = {.index_type = i->typecode};
  ga__strb macros = GA_STRB_INIT;
  ga__iter row = {0};
  const char *parts[3];
  ga__source src = {.n = 3, .parts = parts, .entry = "take"};
  int err;

  GA_CHECK(row_space(&row, a, v));
  ga__take_plan_make(&p, &row, i->dimensions[0], word_of(a),
                     a->offset | v->offset | (size_t)v->strides[0], &t);
  ga__gen_take(&macros, &p);
  GA_CHECK(macros.err == GA_NO_ERROR ? GA_NO_ERROR : ga__fail_nomem());
  parts[0] = ga__strb_text(&macros);
  parts[1] = ga__template("take");
  parts[2] = ga__template(t.is_cpu ? "take_cpu" : "take_gpu");
  ga__launch_kernel(l, &src, 1, &p.gs, &p.ls);
  for (unsigned int k = RESULT; k <= INDICES; k++) {
    ga__launch_slot(l, k);
    ga__launch_offset(l, k, 0);
    ga__launch_require_align(l, k,
                             k == INDICES ? GpuArray_ITEMSIZE(i) : p.word);
  }
  add_sizes(l, &p, &row, v);
  ga__launch_cost(l,
                  2.0 * (double)(p.n * p.len * p.word) +
                      (double)(p.n * GpuArray_ITEMSIZE(i)),
                  0);

done:
  ga__iter_clear(&row);
  ga__strb_clear(&macros);
  return err;
}

/* Rows of words; those that are converted go the way of all axes. */
static int prepare(GpuLaunch **out, GpuArray *a, const GpuArray *v,
                   const GpuArray *i) {
  if (ga__dtype_canon(a->typecode) != ga__dtype_canon(v->typecode))
    return GpuArray_take_prepare(out, a, v, i, 0);
  GpuLaunch *l = ga__launch_open(GpuArray_context(a), "take", SLOTS);
  if (l == NULL)
    return ga__fail_nomem();
  if (ga__array_total(a) > 0) {
    int err = add_take(l, a, v, i);
    if (err != GA_NO_ERROR)
      ga__launch_error(l, err);
  }
  ga__launch_bind_array(l, RESULT, a);
  ga__launch_bind_array(l, VALUES, v);
  ga__launch_bind_array(l, INDICES, i);
  return ga__launch_seal(out, l);
}

int GpuArray_take1_prepare(GpuLaunch **out, GpuArray *a, const GpuArray *v,
                           const GpuArray *i) {
  *out = NULL;
  GA_TRY(check_take(a, v, i));
  return prepare(out, a, v, i);
}

/* --- calls --- */

/* Whether element k of host data at `p` is out of bounds for `n` rows; writes
 * it to `text`. */
static int is_bad_index(const unsigned char *p, int typecode, size_t k,
                        size_t n, char text[24]) {
  size_t bytes = ga__dtype_size(typecode);
  int is_signed = ga__dtype_kind(typecode) == GA_KIND_INT;
  uint64_t u = 0;
  int64_t s;

  p += k * bytes;
  switch (bytes) {
  case 1:
    u = *p;
    s = *p < 128 ? *p : *p - 256;
    break;
  case 2: {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    u = v;
    s = (int16_t)v;
    break;
  }
  case 4: {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    u = v;
    s = (int32_t)v;
    break;
  }
  default:
    memcpy(&u, p, sizeof u);
    s = (int64_t)u;
  }
  if (is_signed)
    snprintf(text, 24, "%lld", (long long)s);
  else
    snprintf(text, 24, "%llu", (unsigned long long)u);
  return is_signed ? s >= (int64_t)n || s < -(int64_t)n : u >= n;
}

/* Name the first bad index. */
static int report(const GpuArray *v, const GpuArray *i) {
  size_t n = i->dimensions[0], bytes = n * GpuArray_ITEMSIZE(i);
  unsigned char *host = ga__malloc(bytes);
  char text[24];
  int err;

  if (host == NULL)
    return ga__fail_nomem();
  GA_CHECK(gpudata_read(host, i->data, i->offset, bytes));
  err = ga__fail(GA_VALUE_ERROR, "an index is out of bounds");
  for (size_t k = 0; k < n; k++) {
    if (is_bad_index(host, i->typecode, k, v->dimensions[0], text)) {
      err = ga__fail(GA_VALUE_ERROR,
                     "index %s at position %zu out of bounds for axis 0 with "
                     "size %zu",
                     text, k, v->dimensions[0]);
      break;
    }
  }

done:
  ga__free(host);
  return err;
}

/* A launch that sets `errors` to 1 if an index is bad. */
static int prepare_check(GpuLaunch **out, const GpuArray *v, const GpuArray *i,
                         gpudata *errors) {
  const ga__target t = ga__elemwise_target(GpuArray_context(i));
  const GpuArray flag = {.data = errors};
  const size_t n = i->dimensions[0];
  ga__strb macros = GA_STRB_INIT;
  const char *parts[2];
  const ga__source src = {.n = 2, .parts = parts, .entry = "take_check"};
  ga__take_check c;
  GpuLaunch *l = ga__launch_open(GpuArray_context(i), "take_check", 2);

  ga__take_check_make(&c, n, &t);
  ga__gen_take_check(&macros, i->typecode);
  if (macros.err != GA_NO_ERROR)
    ga__launch_error(l, ga__fail_nomem());
  parts[0] = ga__strb_text(&macros);
  parts[1] = ga__template("take_check");
  ga__launch_kernel(l, &src, 1, &c.gs, &c.ls);
  ga__launch_slot(l, 0);
  ga__launch_offset(l, 0, 0);
  ga__launch_slot(l, 1);
  ga__launch_size(l, n);
  ga__launch_size(l, c.part);
  ga__launch_size(l, v->dimensions[0]);
  ga__launch_cost(l, (double)(n * GpuArray_ITEMSIZE(i)), 0);
  ga__launch_bind_array(l, 0, i);
  ga__launch_bind_array(l, 1, &flag);
  ga__strb_clear(&macros);
  return ga__launch_seal(out, l);
}

/* GA_VALUE_ERROR when an index is out of bounds. Uses the context's error
 * buffer, which is zero before and after; lock held. */
static int check_bounds(const GpuArray *v, const GpuArray *i) {
  const int32_t zero = 0;
  gpudata *errors;
  int32_t flag = 0;
  GpuLaunch *l = NULL;
  int err;

  GA_CHECK(
      gpucontext_property(GpuArray_context(i), GA_CTX_PROP_ERRBUF, &errors));
  GA_CHECK(prepare_check(&l, v, i, errors));
  GA_CHECK(GpuLaunch_run(l));
  GA_CHECK(gpudata_read(&flag, errors, 0, sizeof flag));
  if (flag != 0) {
    GA_CHECK(gpudata_write(errors, 0, &zero, sizeof zero));
    GA_CHECK(report(v, i));
  }

done:
  GpuLaunch_free(l);
  return err;
}

int GpuArray_take1(GpuArray *a, const GpuArray *v, const GpuArray *i,
                   int check_error) {
  GpuLaunch *l = NULL;
  int err;

  GA_TRY(check_take(a, v, i));
  if (ga__array_total(a) == 0)
    return GA_NO_ERROR;
  GA_CHECK(prepare(&l, a, v, i));
  if (check_error) {
    ga__ctx_lock(GpuArray_context(a)); /* one error buffer for all */
    err = check_bounds(v, i);
    ga__ctx_unlock(GpuArray_context(a));
    GA_CHECK(err);
  }
  GA_CHECK(GpuLaunch_run(l));

done:
  GpuLaunch_free(l);
  return err;
}
