/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers. Nodes without a seed share a source of streams with a fixed
 * seed, so two loads of a model draw the same numbers. */
#include <gpugraph/cumulate.h>
#include <gpugraph/op.h>
#include <gpugraph/random.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

/* --- sources --- */

/* The source for a node, which *own says to free. Seeds are float32 here, so
 * their bits become the seed. */
static gg_random *source(gg__onnx_call *c, int *own) {
  const gg__onnx_attr *a = gg__call_attr(c, "seed");
  uint32_t bits = 0;

  *own = a != NULL;
  if (a != NULL) {
    memcpy(&bits, &a->f, sizeof bits);
    if (a->kind == GG_ATTR_INT)
      bits = (uint32_t)a->i;
    return gg_random_new(c->g, GG_PHILOX, (uint64_t)bits + 1);
  }
  if (c->b->random == NULL)
    c->b->random = gg_random_new(c->g, GG_PHILOX, 1);
  return c->b->random;
}

typedef gg_var *draw_fn(gg_random *r, const gg_draw *d, gg_var *a, gg_var *b);

static gg_var *bernoulli(gg_random *r, const gg_draw *d, gg_var *p,
                         gg_var *none) {
  (void)none;
  return gg_random_bernoulli(r, d, p);
}

/* A draw of `dtype` in the shape of `like`. */
static gg_var *draw(gg__onnx_call *c, draw_fn *fn, int dtype, gg_var *like,
                    gg_var *a, gg_var *b) {
  int own;
  gg_random *r = source(c, &own);
  gg_var *x = fn(r, GG_DRAW_LIKE(dtype, like), a, b);

  if (own)
    gg_random_free(r);
  return x;
}

/* The dtype that the attribute `dtype` gives, or `missing`. */
static int read_dtype(const gg__onnx_call *c, int missing, int *dtype) {
  const int64_t type = gg__call_int(c, "dtype", 0);

  *dtype = type == 0 ? missing : gg__onnx_dtype(type);
  return *dtype >= 0 ? GA_NO_ERROR
                     : ga__fail(GA_UNSUPPORTED_ERROR, "elements of type %s",
                                gg__onnx_type_name(type));
}

/* --- uniform and normal --- */

static int uniform_or_normal(gg__onnx_call *c, int dtype, gg_var *like) {
  const int is_normal = c->row->arg == 1;
  const double a = gg__call_float(c, is_normal ? "mean" : "low", 0);
  const double b = gg__call_float(c, is_normal ? "scale" : "high", 1);

  c->out[0] = draw(c, is_normal ? gg_random_normal : gg_random_uniform, dtype,
                   like, gg_scalar(c->g, dtype, a), gg_scalar(c->g, dtype, b));
  return GA_NO_ERROR;
}

int gg__from_random(gg__onnx_call *c) {
  gg_var *sizes[GG_MAX_ND], *zero = gg_f32(c->g, 0);
  int dtype;
  size_t n;
  const int64_t *shape = gg__call_ints(c, "shape", &n);

  GA_TRY(read_dtype(c, GA_FLOAT, &dtype));
  if (n > GG_MAX_ND)
    return ga__fail(GA_UNSUPPORTED_ERROR, "%zu dimensions, at most %d", n,
                    GG_MAX_ND);
  for (size_t i = 0; i < n; i++) {
    if (shape[i] < 0)
      return ga__fail(GA_VALUE_ERROR, "shape[%zu] is %lld", i,
                      (long long)shape[i]);
    sizes[i] = gg_i64(c->g, shape[i]);
  }
  return uniform_or_normal(
      c, dtype, n == 0 ? zero : gg_alloc(zero, (unsigned int)n, sizes));
}

int gg__from_random_like(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  int dtype;

  GA_TRY(read_dtype(c, gg__dtype_of(x), &dtype));
  return uniform_or_normal(c, dtype, x);
}

/* --- trials --- */

int gg__from_bernoulli(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0);
  int dtype;

  GA_TRY(read_dtype(c, gg__dtype_of(x), &dtype));
  c->out[0] = draw(c, bernoulli, dtype, x, x, NULL);
  return GA_NO_ERROR;
}

/* sample_size columns for each row of x [n, k], which are logarithms of
 * weights. A draw in [0, 1) selects the first column up to which the
 * probabilities add up to more. */
int gg__from_multinomial(gg__onnx_call *c) {
  const int64_t count = gg__call_int(c, "sample_size", 1);
  gg_var *x = gg__call_in(c, 0);
  const int last = 2;
  int dtype;

  GA_TRY(read_dtype(c, GA_INT, &dtype));
  if (count < 1 || gg__call_rank(c, 0) != 2)
    return ga__fail(GA_VALUE_ERROR, "sample_size is %lld, of %u dimensions",
                    (long long)count, gg__call_rank(c, 0));
  gg_var *up_to = gg_cumsum(gg_softmax(gg_cast(x, GA_FLOAT)), 1);
  gg_var *sizes[] = {gg__size_of(x, 0), gg_i64(c->g, count), gg_i64(c->g, 1)};
  gg_var *u =
      draw(c, gg_random_uniform, GA_FLOAT, gg_alloc(gg_f32(c->g, 0), 3, sizes),
           gg_f32(c->g, 0), gg_f32(c->g, 1));
  gg_var *before = gg_le(gg_expand_dims(up_to, 1), u);
  gg_var *at = gg_reduce(GG_SUM, gg_cast(before, GA_LONG), 1, &last, 0);
  gg_var *most = gg_sub(gg__size_of(x, 1), gg_i64(c->g, 1));

  c->out[0] = gg_cast(gg_minimum(at, most), dtype);
  return GA_NO_ERROR;
}

/* --- dropout --- */

/* Inputs: x, ratio, training. */
int gg__from_dropout(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *mask = NULL;
  double ratio = 0.5, training = 0;

  if (gg__call_has(c, 2))
    GA_TRY(gg__call_known_float(c, 2, &training));
  if (gg__call_has(c, 1) && training != 0)
    GA_TRY(gg__call_known_float(c, 1, &ratio));
  if (!(ratio >= 0 && ratio < 1) && training != 0)
    return ga__fail(GA_VALUE_ERROR, "the ratio is %g, expected 0 to below 1",
                    ratio);
  if (training != 0 && ratio != 0) {
    mask =
        draw(c, bernoulli, GA_BOOL, x, gg_f32(c->g, (float)(1 - ratio)), NULL);
    x = gg_where(mask, gg_div(x, gg__like(x, 1 - ratio)), gg__like(x, 0));
  }
  c->out[0] = x;
  if (c->n_out > 1)
    c->out[1] = gg_cast(mask != NULL ? mask : gg_ones_like(x),
                        c->version < 10 ? gg__dtype_of(x) : GA_BOOL);
  return GA_NO_ERROR;
}
