/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses between two arrays, element by element. */
#include <gpuarray/index.h>

#include <string.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "ocl/launch/launch_cache.h"

enum { RESULT, COND, X, Y, ARRAYS };

static const char *const names[ARRAYS] = {
    [RESULT] = "result", [COND] = "cond", [X] = "x", [Y] = "y"};

typedef struct shape {
  unsigned int nd;
  size_t dims[GA_ND_MAX];
} shape;

/* An argument, broadcast to the sizes of the result. */
typedef struct view {
  GpuArray a; /* borrows */
  size_t dims[GA_ND_MAX + 1];
  ssize_t strides[GA_ND_MAX + 1];
} view;

/* --- checks --- */

static int check_arrays(const GpuArray *const *arrays) {
  GA_TRY(ga__array_check(arrays[COND]));
  gpucontext *ctx = GpuArray_context(arrays[COND]);
  GA_TRY(ga__operand_check_array("cond", arrays[COND], ctx, GA_OPERAND_ANY));
  GA_TRY(ga__operand_check_array("x", arrays[X], ctx, GA_OPERAND_ANY));
  return ga__operand_check_array("y", arrays[Y], ctx, arrays[X]->typecode);
}

/* Set the sizes to which cond, x and y are broadcast. */
static int find_shape(shape *s, const GpuArray *const *arrays) {
  s->nd = 0;
  for (int k = COND; k < ARRAYS; k++) {
    if (arrays[k]->nd > s->nd)
      s->nd = arrays[k]->nd;
  }
  for (unsigned int d = 0; d < s->nd; d++)
    s->dims[d] = 1;
  for (int k = COND; k < ARRAYS; k++) {
    const unsigned int missing = s->nd - arrays[k]->nd;

    for (unsigned int d = 0; d < arrays[k]->nd; d++) {
      size_t *dim = &s->dims[missing + d];

      if (*dim != 1 && arrays[k]->dimensions[d] != 1 &&
          *dim != arrays[k]->dimensions[d])
        return ga__fail(GA_VALUE_ERROR, "%s: dim %u: expected %zu, got %zu",
                        names[k], d, *dim, arrays[k]->dimensions[d]);
      if (*dim == 1)
        *dim = arrays[k]->dimensions[d];
    }
  }
  return GA_NO_ERROR;
}

static int check_result(const GpuArray *const *arrays, const shape *s) {
  const GpuArray *res = arrays[RESULT], *x = arrays[X];

  GA_TRY(ga__operand_check_result(names[RESULT], res, GpuArray_context(x),
                                  x->typecode));
  GA_TRY(ga__operand_place(NULL, names[RESULT], res, s->nd, s->dims, 0));
  for (int k = COND; k < ARRAYS; k++)
    GA_TRY(ga__operand_check_apart(names[RESULT], res, names[k], arrays[k]));
  return GA_NO_ERROR;
}

/* --- the expression --- */

/* View the argument in the sizes of the result, which were checked before. With
 * parts > 1 it gets one more dimension, with a stride of `part_bytes`. */
static int view_as(view *v, const char *name, const GpuArray *a, const shape *s,
                   int typecode, size_t parts, ssize_t part_bytes) {
  v->a = *a;
  v->a.typecode = typecode;
  v->a.nd = s->nd;
  v->a.dimensions = v->dims;
  v->a.strides = v->strides;
  memcpy(v->dims, s->dims, s->nd * sizeof *v->dims);
  GA_TRY(ga__operand_place(v->strides, name, a, s->nd, s->dims,
                           GA_MAY_REPEAT | GA_MAY_PAD));
  if (parts > 1) {
    v->dims[s->nd] = parts;
    v->strides[s->nd] = part_bytes;
    v->a.nd++;
  }
  return GA_NO_ERROR;
}

static int prepare(GpuLaunch **out, const GpuArray *const *arrays,
                   const shape *s) {
  const int is_complex = ga__dtype_is_complex(arrays[COND]->typecode);
  size_t parts;
  const int word = ga__array_word(arrays[X], &parts);
  const gpuelemwise_arg args[ARRAYS] = {{"o", word, GE_WRITE},
                                        {"c", arrays[COND]->typecode, GE_READ},
                                        {"x", word, GE_READ},
                                        {"y", word, GE_READ}};
  view views[ARRAYS];
  void *values[ARRAYS];
  GpuElemwise *ge = NULL;
  int err;

  for (int k = 0; k < ARRAYS; k++) {
    GA_CHECK(view_as(&views[k], names[k], arrays[k], s,
                     k == COND ? arrays[COND]->typecode : word, parts,
                     k == COND ? 0 : (ssize_t)ga__dtype_size(word)));
    values[k] = &views[k].a;
  }
  GA_CHECK(ga__elemwise_new(&ge, GpuArray_context(arrays[COND]), NULL,
                            is_complex ? "o = c.r != 0 || c.i != 0 ? x : y"
                                       : "o = c != 0 ? x : y",
                            ARRAYS, args, 0));
  GA_CHECK(GpuElemwise_prepare(out, ge, values, 0));

done:
  GpuElemwise_free(ge);
  return err;
}

int GpuArray_where_prepare(GpuLaunch **out, GpuArray *res, const GpuArray *cond,
                           const GpuArray *x, const GpuArray *y) {
  const GpuArray *const arrays[ARRAYS] = {res, cond, x, y};
  shape s;

  *out = NULL;
  GA_TRY(check_arrays(arrays));
  GA_TRY(find_shape(&s, arrays));
  GA_TRY(check_result(arrays, &s));
  return prepare(out, arrays, &s);
}

/* --- calls --- */

typedef struct call {
  const GpuArray *const *arrays;
  const shape *s;
} call;

static int prepare_call(GpuLaunch **out, const void *arg) {
  const call *c = arg;

  *out = NULL;
  return prepare(out, c->arrays, c->s);
}

static int run(const GpuArray *const *arrays, const shape *s) {
  const void *const values[ARRAYS] = {arrays[RESULT], arrays[COND], arrays[X],
                                      arrays[Y]};
  const call c = {arrays, s};
  gpucontext *ctx = GpuArray_context(arrays[COND]);
  ga__launch_key key;

  ga__launch_key_start(&key, ctx, "where");
  for (int k = 0; k < ARRAYS; k++)
    ga__launch_key_array(&key, arrays[k]);
  return ga__cached_run(&(ga__cached_call){.ctx = ctx,
                                           .key = &key,
                                           .n = ARRAYS,
                                           .values = values,
                                           .prepare = prepare_call,
                                           .arg = &c});
}

int GpuArray_where(GpuArray *res, const GpuArray *cond, const GpuArray *x,
                   const GpuArray *y) {
  const GpuArray *const arrays[ARRAYS] = {res, cond, x, y};
  shape s;

  memset(res, 0, sizeof *res);
  GA_TRY(check_arrays(arrays));
  GA_TRY(find_shape(&s, arrays));
  GA_TRY(GpuArray_empty(res, GpuArray_context(x), x->typecode, s.nd, s.dims,
                        GA_C_ORDER));
  int err = run(arrays, &s);
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  return err;
}
