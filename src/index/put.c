/* SPDX-License-Identifier: BSD-2-Clause */
/* take, gather, put and scatter: checks, and their arguments as iteration
 * spaces. */
#include <gpuarray/device.h>
#include <string.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/assert.h"
#include "base/dtype.h"
#include "index/put_check.h"
#include "index/put_launch.h"
#include "ocl/launch/launch_cache.h"

/* What an index selects: a slice for take and put, an element for gather and
 * scatter. */
typedef enum layout { SLICES, ELEMENTS } layout;

typedef struct sizes {
  unsigned int nd;
  size_t dims[2 * GA_ND_MAX];
} sizes;

/* --- checks --- */

static int check_indices(const GpuArray *index, gpucontext *ctx) {
  GA_TRY(ga__operand_check_array("indices", index, ctx, GA_OPERAND_ANY));
  return ga__put_check_type(index);
}

/* Check that the indices have the sizes of `a`, except along `axis`. */
static int check_places(const GpuArray *a, const GpuArray *index,
                        unsigned int axis) {
  size_t dims[GA_ND_MAX];

  memcpy(dims, a->dimensions, a->nd * sizeof *dims);
  if (axis < index->nd)
    dims[axis] = index->dimensions[axis];
  return ga__operand_place(NULL, "indices", index, a->nd, dims, 0);
}

static int check_pair(const GpuArray *a, const GpuArray *index,
                      unsigned int axis, layout how) {
  GA_TRY(ga__array_check(a));
  GA_TRY(
      ga__operand_check_array("array", a, GpuArray_context(a), GA_OPERAND_ANY));
  GA_TRY(check_indices(index, GpuArray_context(a)));
  if (axis >= a->nd)
    return ga__fail(GA_VALUE_ERROR, "axis %u of an array of %u dimensions",
                    axis, a->nd);
  if (how == ELEMENTS)
    return check_places(a, index, axis);
  if (a->nd - 1 + index->nd > GA_ND_MAX)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, at most %d",
                    a->nd - 1 + index->nd, GA_ND_MAX);
  return GA_NO_ERROR;
}

/* Check that the written array overlaps neither the other one nor the
 * indices. */
static int check_apart(const char *name, const GpuArray *w, const char *other,
                       const GpuArray *read, const GpuArray *index) {
  GA_TRY(ga__operand_check_apart(name, w, other, read));
  return ga__operand_check_apart(name, w, "indices", index);
}

static int has_dtype_of(const GpuArray *a, const GpuArray *b) {
  return ga__dtype_canon(a->typecode) == ga__dtype_canon(b->typecode);
}

static int is_double(const GpuArray *a) {
  const int type = ga__dtype_canon(a->typecode);

  return type == GA_DOUBLE || type == GA_CDOUBLE;
}

/* GA_DEVSUP_ERROR when a conversion needs float64 and the device has none. */
static int check_cast(const GpuArray *a, const GpuArray *v, const char *name) {
  if ((is_double(a) || is_double(v)) &&
      !gpucontext_caps(GpuArray_context(a))->fp64)
    return ga__fail(GA_DEVSUP_ERROR,
                    "%s: from %s to %s: the device has no "
                    "float64",
                    name, ga__dtype_name(a->typecode),
                    ga__dtype_name(v->typecode));
  return GA_NO_ERROR;
}

/* GA_VALUE_ERROR when elements are selected from an axis of size 0, even if
 * indices are not checked. */
static int check_rows(const GpuArray *a, unsigned int axis, const sizes *s) {
  size_t total;

  GA_TRY(ga__dims_total(&total, s->nd, s->dims));
  if (total > 0 && a->dimensions[axis] == 0)
    return ga__fail(GA_VALUE_ERROR, "axis %u has size 0", axis);
  return GA_NO_ERROR;
}

/* --- the space --- */

/* The sizes of the result of take or gather. */
static void taken_sizes(sizes *s, const GpuArray *a, const GpuArray *index,
                        unsigned int axis, layout how) {
  s->nd = 0;
  for (unsigned int d = 0; how == SLICES && d < axis; d++)
    s->dims[s->nd++] = a->dimensions[d];
  for (unsigned int d = 0; d < index->nd; d++)
    s->dims[s->nd++] = index->dimensions[d];
  for (unsigned int d = axis + 1; how == SLICES && d < a->nd; d++)
    s->dims[s->nd++] = a->dimensions[d];
}

static void add_dim(ga__put_job *j, size_t dim, ptrdiff_t a, ptrdiff_t v,
                    ptrdiff_t i, int is_step) {
  if (dim == 1)
    return;
  GA_ASSERT(j->nd < sizeof j->dims / sizeof j->dims[0]);
  j->dims[j->nd] = dim;
  j->strides[GA_PUT_ROWS][j->nd] = a;
  j->strides[GA_PUT_VALUES][j->nd] = v;
  j->strides[GA_PUT_INDICES][j->nd] = i;
  j->is_step[j->nd++] = (unsigned char)is_step;
}

/* Add all dimensions. Each one of `s` is a dimension of `a`, of the indices, or
 * of both. `values` are the strides of the values, in bytes. */
static void add_dims(ga__put_job *j, const sizes *s, layout how,
                     const ptrdiff_t *values) {
  const GpuArray *a = j->a, *index = j->index;

  for (unsigned int d = 0; d < s->nd; d++) {
    const ptrdiff_t v = values[d];

    if (how == ELEMENTS)
      add_dim(j, s->dims[d], d == j->axis ? 0 : a->strides[d], v,
              index->strides[d], d == j->axis);
    else if (d < j->axis)
      add_dim(j, s->dims[d], a->strides[d], v, 0, 0);
    else if (d < j->axis + index->nd)
      add_dim(j, s->dims[d], 0, v, index->strides[d - j->axis], 1);
    else
      add_dim(j, s->dims[d], a->strides[d - index->nd + 1], v, 0, 0);
  }
  if (ga__dtype_is_complex(a->typecode) && j->move != GA_MOVE_CAST) {
    const ptrdiff_t part = (ptrdiff_t)(GpuArray_ITEMSIZE(a) / 2);

    add_dim(j, 2, part, part, 0, 0);
  }
}

static void make_job(ga__put_job *j, const GpuArray *a, const GpuArray *index,
                     const GpuArray *v, unsigned int axis, layout how,
                     const sizes *s, const ptrdiff_t *values) {
  j->ctx = GpuArray_context(a);
  j->a = a;
  j->v = v;
  j->index = index;
  j->axis = axis;
  j->rows = a->dimensions[axis];
  j->stride = a->strides[axis];
  j->nd = 0;
  j->parts = j->last = 0;
  add_dims(j, s, how, values);
}

/* --- running --- */

static int prepare_job(GpuLaunch **out, const void *arg) {
  return ga__put_launch(out, arg);
}

static int run_job(const ga__put_job *j, layout how) {
  const int is_take = ga__put_is_take(j->move);
  const void *const arrays[3] = {is_take ? j->v : j->a, is_take ? j->a : j->v,
                                 j->index};
  ga__launch_key key;

  ga__launch_key_start(&key, j->ctx, is_take ? "take" : "put");
  ga__launch_key_number(&key, j->move * 2 + (unsigned int)j->in_order);
  ga__launch_key_number(&key, j->axis * 2 + (unsigned int)how);
  for (unsigned int k = 0; k < 3; k++)
    ga__launch_key_array(&key, arrays[k]);
  return ga__cached_run(&(ga__cached_call){.ctx = j->ctx,
                                           .key = &key,
                                           .n = 3,
                                           .values = arrays,
                                           .prepare = prepare_job,
                                           .arg = j});
}

/* --- take and gather --- */

static int open_take(ga__put_job *j, GpuArray *res, const GpuArray *a,
                     const GpuArray *index, unsigned int axis, layout how) {
  ptrdiff_t values[2 * GA_ND_MAX];
  sizes s;

  GA_TRY(check_pair(a, index, axis, how));
  taken_sizes(&s, a, index, axis, how);
  GA_TRY(ga__operand_check_result("result", res, GpuArray_context(a),
                                  GA_OPERAND_ANY));
  GA_TRY(ga__operand_place(values, "result", res, s.nd, s.dims, 0));
  if (!has_dtype_of(a, res))
    GA_TRY(check_cast(a, res, "result"));
  GA_TRY(check_apart("result", res, "array", a, index));
  GA_TRY(check_rows(a, axis, &s));
  j->move = has_dtype_of(a, res) ? GA_MOVE_TAKE : GA_MOVE_CAST;
  make_job(j, a, index, res, axis, how, &s, values);
  j->in_order = 0;
  return GA_NO_ERROR;
}

static int prepare_take(GpuLaunch **out, GpuArray *res, const GpuArray *a,
                        const GpuArray *index, unsigned int axis, layout how) {
  ga__put_job j;

  *out = NULL;
  GA_TRY(open_take(&j, res, a, index, axis, how));
  return ga__put_launch(out, &j);
}

/* Whether the kernels for whole rows (take.c) can be used. */
static int is_rows(const GpuArray *res, const GpuArray *index,
                   unsigned int axis, layout how) {
  return how == SLICES && axis == 0 && index->nd == 1 &&
         GpuArray_IS_C_CONTIGUOUS(index) && GpuArray_IS_C_CONTIGUOUS(res);
}

static int take(GpuArray *res, const GpuArray *a, const GpuArray *index,
                unsigned int axis, layout how, int check_error) {
  ga__put_job j;
  sizes s;
  int err;

  memset(res, 0, sizeof *res);
  GA_TRY(check_pair(a, index, axis, how));
  taken_sizes(&s, a, index, axis, how);
  GA_TRY(GpuArray_empty(res, GpuArray_context(a), a->typecode, s.nd, s.dims,
                        GA_C_ORDER));
  if (is_rows(res, index, axis, how)) {
    GA_CHECK(GpuArray_take1(res, a, index, check_error));
    goto done;
  }
  GA_CHECK(open_take(&j, res, a, index, axis, how));
  if (check_error)
    GA_CHECK(ga__put_check_indices(index, j.rows, axis));
  GA_CHECK(run_job(&j, how));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  return err;
}

int GpuArray_take(GpuArray *res, const GpuArray *a, const GpuArray *index,
                  unsigned int axis, int check_error) {
  return take(res, a, index, axis, SLICES, check_error);
}

int GpuArray_gather(GpuArray *res, const GpuArray *a, const GpuArray *index,
                    unsigned int axis, int check_error) {
  return take(res, a, index, axis, ELEMENTS, check_error);
}

int GpuArray_take_prepare(GpuLaunch **out, GpuArray *res, const GpuArray *a,
                          const GpuArray *index, unsigned int axis) {
  return prepare_take(out, res, a, index, axis, SLICES);
}

int GpuArray_gather_prepare(GpuLaunch **out, GpuArray *res, const GpuArray *a,
                            const GpuArray *index, unsigned int axis) {
  return prepare_take(out, res, a, index, axis, ELEMENTS);
}

/* --- put and scatter --- */

/* Whether atomic moves of the dtype are slower than whole rows in order:
 * additions are loops of compare-and-exchange, and maxima read before. */
static int are_atomics_slow(int typecode) {
  return typecode == GA_FLOAT || typecode == GA_DOUBLE;
}

/* The atomic move of an operation whose result does not depend on the order, or
 * need not, or 0: only GPUs use them. */
static ga__put_move atomic_move(const gpudevice_caps *caps, ga_put_op op,
                                int typecode) {
  static const ga__put_move moves[GA_PUT_MIN + 1] = {
      [GA_PUT_ADD_ANY] = GA_MOVE_ADD_ATOMIC,
      [GA_PUT_MAX] = GA_MOVE_MAX_ATOMIC,
      [GA_PUT_MIN] = GA_MOVE_MIN_ATOMIC};
  const int int64 = op == GA_PUT_ADD_ANY && caps->int64_atomics;

  return !caps->is_cpu && ga__put_has_atomic(typecode, int64) ? moves[op] : 0;
}

/* Set the move and the order with which this device does the operation. */
static int choose_move(ga__put_job *j, ga_put_op op) {
  static const ga__put_move moves[] = {
      [GA_PUT_SET] = GA_MOVE_SET,     [GA_PUT_ADD] = GA_MOVE_ADD,
      [GA_PUT_SET_ANY] = GA_MOVE_SET, [GA_PUT_ADD_ANY] = GA_MOVE_ADD,
      [GA_PUT_MUL] = GA_MOVE_MUL,     [GA_PUT_MAX] = GA_MOVE_MAX,
      [GA_PUT_MIN] = GA_MOVE_MIN};
  const gpudevice_caps *caps = gpucontext_caps(j->ctx);
  const int part_type = ga__dtype_real(j->a->typecode);

  if ((int)op < GA_PUT_SET || op > GA_PUT_MIN)
    return ga__fail(GA_VALUE_ERROR, "unknown put operation %d", (int)op);
  if (op >= GA_PUT_MUL && ga__dtype_is_complex(j->a->typecode))
    return ga__fail(GA_UNSUPPORTED_ERROR, "array: %s has no %s",
                    ga__dtype_name(j->a->typecode),
                    op == GA_PUT_MUL ? "products by index" : "order");
  j->move = moves[op];
  if (j->move != GA_MOVE_SET && part_type == GA_DOUBLE && !caps->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "array: the device has no %s",
                    ga__dtype_name(j->a->typecode));
  j->in_order = op != GA_PUT_SET_ANY;
  const ga__put_move atomic = atomic_move(caps, op, part_type);
  const int is_slow = are_atomics_slow(part_type) && ga__put_prefers_order(j);
  if (atomic == 0)
    return GA_NO_ERROR;
  j->move = atomic;
  ga__put_split(j);
  if (is_slow && j->parts == 0)
    j->move = moves[op];
  else
    j->in_order = 0;
  return GA_NO_ERROR;
}

static int open_put(ga__put_job *j, GpuArray *a, const GpuArray *index,
                    const GpuArray *v, unsigned int axis, layout how,
                    ga_put_op op) {
  ptrdiff_t values[2 * GA_ND_MAX];
  sizes s;

  GA_TRY(check_pair(a, index, axis, how));
  GA_TRY(ga__operand_check_result("array", a, GpuArray_context(a),
                                  GA_OPERAND_ANY));
  taken_sizes(&s, a, index, axis, how);
  GA_TRY(
      ga__operand_check_array("values", v, GpuArray_context(a), a->typecode));
  GA_TRY(ga__operand_place(values, "values", v, s.nd, s.dims,
                           GA_MAY_REPEAT | GA_MAY_PAD));
  GA_TRY(check_apart("array", a, "values", v, index));
  GA_TRY(check_rows(a, axis, &s));
  j->move = GA_MOVE_SET;
  make_job(j, a, index, v, axis, how, &s, values);
  return choose_move(j, op);
}

static int prepare_put(GpuLaunch **out, GpuArray *a, const GpuArray *index,
                       const GpuArray *v, unsigned int axis, layout how,
                       ga_put_op op) {
  ga__put_job j;

  *out = NULL;
  GA_TRY(open_put(&j, a, index, v, axis, how, op));
  return ga__put_launch(out, &j);
}

static int put(GpuArray *a, const GpuArray *index, const GpuArray *v,
               unsigned int axis, layout how, ga_put_op op, int check_error) {
  ga__put_job j;

  GA_TRY(open_put(&j, a, index, v, axis, how, op));
  if (check_error)
    GA_TRY(ga__put_check_indices(index, j.rows, axis));
  return run_job(&j, how);
}

int GpuArray_put(GpuArray *a, const GpuArray *index, const GpuArray *v,
                 unsigned int axis, ga_put_op op, int check_error) {
  return put(a, index, v, axis, SLICES, op, check_error);
}

int GpuArray_scatter(GpuArray *a, const GpuArray *index, const GpuArray *v,
                     unsigned int axis, ga_put_op op, int check_error) {
  return put(a, index, v, axis, ELEMENTS, op, check_error);
}

int GpuArray_put_prepare(GpuLaunch **out, GpuArray *a, const GpuArray *index,
                         const GpuArray *v, unsigned int axis, ga_put_op op) {
  return prepare_put(out, a, index, v, axis, SLICES, op);
}

int GpuArray_scatter_prepare(GpuLaunch **out, GpuArray *a,
                             const GpuArray *index, const GpuArray *v,
                             unsigned int axis, ga_put_op op) {
  return prepare_put(out, a, index, v, axis, ELEMENTS, op);
}
