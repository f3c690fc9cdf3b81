/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies with casts, within a context and between two contexts. */
#include <gpuarray/array.h>
#include <gpuarray/device.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/launch.h>

#include <string.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/strb.h"
#include "codegen/gen_cast.h"
#include "ocl/ocl.h"

/* A CPU driver copies a buffer with one thread. For more bytes a kernel is
 * faster. */
#define CPU_COPY_MAX ((size_t)1 << 18) /* bytes */

/* --- casts as expressions --- */

/* The cast expressions that a context has needed so far, by dtypes; owned by
 * the context. */
typedef struct casts {
  GpuElemwise *to_from[GA_DTYPES][GA_DTYPES];
} casts;

static void drop_casts(void *p) {
  casts *c = p;

  for (int dst = 0; dst < GA_DTYPES; dst++) {
    for (int src = 0; src < GA_DTYPES; src++)
      GpuElemwise_free(c->to_from[dst][src]);
  }
  ga__free(c);
}

static int new_cast(GpuElemwise **out, gpucontext *ctx, int dst, int src) {
  gpuelemwise_arg args[] = {{"dst", dst, GE_WRITE}, {"src", src, GE_READ}};
  ga__strb text = GA_STRB_INIT;
  int err;

  ga__gen_cast(&text, "dst", dst, "src", src);
  GA_CHECK(text.err);
  GA_CHECK(ga__elemwise_new(out, ctx, NULL, ga__strb_text(&text), 2, args,
                            ga__gen_cast_is_vector(dst, src) ? GE_VECTOR : 0));
  ga__elemwise_weaken(*out);

done:
  ga__strb_clear(&text);
  return err;
}

/* The caller holds the context's lock. */
static int get_cast(GpuElemwise **out, gpucontext *ctx, int dst, int src) {
  casts *c = ga__ctx_kept(ctx, GA_KEEPER_ARRAY);

  if (c == NULL) {
    c = ga__calloc(1, sizeof *c);
    if (c == NULL)
      return ga__fail_nomem();
    ga__ctx_keep(ctx, GA_KEEPER_ARRAY, c, drop_casts);
  }
  if (c->to_from[dst][src] == NULL)
    GA_TRY(new_cast(&c->to_from[dst][src], ctx, dst, src));
  *out = c->to_from[dst][src];
  return GA_NO_ERROR;
}

static int check_dtype(const GpuArray *a) {
  if (ga__dtype_kind(a->typecode) != GA_KIND_NONE)
    return GA_NO_ERROR;
  return ga__fail(GA_UNSUPPORTED_ERROR, "type %d is not supported",
                  a->typecode);
}

/* dst[...] = src by a kernel. */
static int run_cast(GpuArray *dst, const GpuArray *src, int flags) {
  void *values[] = {dst, (void *)src};
  gpucontext *ctx = GpuArray_context(dst);
  GpuElemwise *ge = NULL;

  GA_TRY(check_dtype(dst));
  GA_TRY(check_dtype(src));
  ga__ctx_lock(ctx);
  int err = get_cast(&ge, ctx, ga__dtype_canon(dst->typecode),
                     ga__dtype_canon(src->typecode));
  if (err == GA_NO_ERROR)
    err = GpuElemwise_call(ge, values, flags);
  ga__ctx_unlock(ctx);
  return err;
}

/* --- copies without a cast, in words --- */

/* Make `v` a view of `a` as words (see ga__array_word). Elements of several
 * words get one more dimension. `v` borrows; `dims` and `strides` must hold
 * a->nd + 1 entries. */
static void view_words(GpuArray *v, const GpuArray *a, size_t *dims,
                       ssize_t *strides) {
  size_t parts;

  *v = *a;
  v->typecode = ga__array_word(a, &parts);
  if (parts == 1)
    return;
  memcpy(dims, a->dimensions, a->nd * sizeof *dims);
  memcpy(strides, a->strides, a->nd * sizeof *strides);
  dims[a->nd] = parts;
  strides[a->nd] = (ssize_t)ga__dtype_size(v->typecode);
  v->dimensions = dims;
  v->strides = strides;
  v->nd++;
}

static int run_copy(GpuArray *dst, const GpuArray *src, int flags) {
  size_t dims[2][GA_ND_MAX + 1];
  ssize_t strides[2][GA_ND_MAX + 1];
  GpuArray d, s;

  if (ga__dtype_canon(dst->typecode) != ga__dtype_canon(src->typecode))
    return run_cast(dst, src, flags);
  view_words(&d, dst, dims[0], strides[0]);
  view_words(&s, src, dims[1], strides[1]);
  return run_cast(&d, &s, flags);
}

/* --- copies of whole buffers --- */

static int has_shape_of(const GpuArray *a, const GpuArray *b) {
  if (a->nd != b->nd)
    return 0;
  for (unsigned int d = 0; d < a->nd; d++) {
    if (a->dimensions[d] != b->dimensions[d])
      return 0;
  }
  return 1;
}

/* Whether both are contiguous in the same order and have equal shapes and
 * dtypes. */
static int is_plain_copy(const GpuArray *dst, const GpuArray *src) {
  int order = dst->flags & src->flags & (GA_C_CONTIGUOUS | GA_F_CONTIGUOUS);

  return order != 0 && dst->typecode == src->typecode && has_shape_of(dst, src);
}

static int is_same_place(const GpuArray *dst, const GpuArray *src) {
  return dst->data == src->data && dst->offset == src->offset;
}

static int plain_copy(GpuArray *dst, const GpuArray *src) {
  size_t bytes = ga__array_total(src) * GpuArray_ITEMSIZE(src);

  if (bytes == 0 || is_same_place(dst, src))
    return GA_NO_ERROR;
  if (bytes > CPU_COPY_MAX && gpucontext_caps(GpuArray_context(dst))->is_cpu)
    return run_copy(dst, src, 0);
  return gpudata_move(dst->data, dst->offset, src->data, src->offset, bytes);
}

/* --- assignment --- */

static int check_aligned(const GpuArray *a) {
  GA_TRY(ga__array_check(a));
  return ga__operand_check_aligned("array", a);
}

static int check_target(const GpuArray *dst, const GpuArray *src) {
  GA_TRY(check_aligned(dst));
  GA_TRY(check_aligned(src));
  if (!GpuArray_ISWRITEABLE(dst))
    return ga__fail(GA_VALUE_ERROR, "the array is not writeable");
  return GA_NO_ERROR;
}

/* Copy `src` to `dst`. The two must not overlap, unless they are the same
 * array. */
static int assign(GpuArray *dst, const GpuArray *src) {
  if (is_plain_copy(dst, src))
    return plain_copy(dst, src);
  return run_copy(dst, src, GE_BROADCAST | GE_PADSHAPE);
}

int GpuArray_setarray(GpuArray *a, const GpuArray *v) {
  GpuArray copy = {0};
  int err;

  GA_TRY(check_target(a, v));
  if (!GpuArray_share(a, v) || (is_plain_copy(a, v) && is_same_place(a, v)))
    return assign(a, v);
  /* The arrays overlap, so the values go through a copy. */
  GA_CHECK(GpuArray_copy(&copy, v, GA_ANY_ORDER));
  GA_CHECK(assign(a, &copy));

done:
  GpuArray_clear(&copy);
  return err;
}

int GpuArray_copy(GpuArray *res, const GpuArray *a, ga_order order) {
  memset(res, 0, sizeof *res);
  GA_TRY(check_aligned(a));
  GA_TRY(GpuArray_empty(res, GpuArray_context(a), a->typecode, a->nd,
                        a->dimensions, ga__array_order(a, order)));
  int err = assign(res, a);
  if (err != GA_NO_ERROR)
    GpuArray_clear(res);
  return err;
}

/* --- copies between shapes --- */

/* Make `out` a view of `flat`, which is C contiguous, with the sizes of
 * `shape`. */
static int view_as(GpuArray *out, const GpuArray *flat, const GpuArray *shape) {
  return GpuArray_reshape(out, flat, shape->nd, shape->dimensions, GA_C_ORDER,
                          1);
}

static int move_reshaped(GpuArray *dst, const GpuArray *src) {
  GpuArray copy = {0}, view = {0};
  int err;

  if (GpuArray_IS_C_CONTIGUOUS(dst)) {
    GA_CHECK(view_as(&view, dst, src));
    GA_CHECK(GpuArray_setarray(&view, src));
  } else {
    if (!GpuArray_IS_C_CONTIGUOUS(src))
      GA_CHECK(GpuArray_copy(&copy, src, GA_C_ORDER));
    GA_CHECK(view_as(&view, copy.data != NULL ? &copy : src, dst));
    GA_CHECK(GpuArray_setarray(dst, &view));
  }

done:
  GpuArray_clear(&view);
  GpuArray_clear(&copy);
  return err;
}

int GpuArray_move(GpuArray *dst, const GpuArray *src) {
  GA_TRY(check_target(dst, src));
  if (ga__array_total(dst) != ga__array_total(src))
    return ga__fail(GA_VALUE_ERROR, "%zu elements into an array of %zu",
                    ga__array_total(src), ga__array_total(dst));
  if (GpuArray_context(dst) != GpuArray_context(src))
    return ga__fail(GA_VALUE_ERROR, "the arrays are of different contexts");
  if (has_shape_of(dst, src))
    return GpuArray_setarray(dst, src);
  return move_reshaped(dst, src);
}

/* --- between contexts --- */

static int check_transfer(const GpuArray *dst, const GpuArray *src) {
  GA_TRY(check_target(dst, src));
  if (dst->typecode != src->typecode)
    return ga__fail(GA_UNSUPPORTED_ERROR, "expected %s, got %s",
                    ga__dtype_name(dst->typecode),
                    ga__dtype_name(src->typecode));
  return ga__operand_place(NULL, "source", src, dst->nd, dst->dimensions, 0);
}

/* Both arrays are contiguous in the same order. */
static int transfer_plain(GpuArray *dst, const GpuArray *src) {
  return gpudata_transfer(dst->data, dst->offset, src->data, src->offset,
                          ga__array_total(src) * GpuArray_ITEMSIZE(src));
}

/* Transfer through a C contiguous copy on each side. */
static int transfer_packed(GpuArray *dst, const GpuArray *src) {
  GpuArray from = {0}, to = {0};
  int err;

  GA_CHECK(GpuArray_copy(&from, src, GA_C_ORDER));
  GA_CHECK(GpuArray_empty(&to, GpuArray_context(dst), dst->typecode, dst->nd,
                          dst->dimensions, GA_C_ORDER));
  GA_CHECK(transfer_plain(&to, &from));
  GA_CHECK(assign(dst, &to));

done:
  GpuArray_clear(&to);
  GpuArray_clear(&from);
  return err;
}

int GpuArray_transfer(GpuArray *res, const GpuArray *a) {
  GA_TRY(check_transfer(res, a));
  if (GpuArray_context(res) == GpuArray_context(a))
    return GpuArray_setarray(res, a);
  if (ga__array_total(a) == 0)
    return GA_NO_ERROR;
  return is_plain_copy(res, a) ? transfer_plain(res, a)
                               : transfer_packed(res, a);
}
