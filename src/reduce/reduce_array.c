/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions of one array, chosen by operation: sums, means, norms, largest
 * elements. A call makes a temporary GpuReduction; its launch stays in the
 * launch cache. */
#include "reduce/reduce.h"

#include <gpuarray/device.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "array/geometry.h"
#include "array/operands.h"
#include "base/dtype.h"
#include "ocl/launch/launch_cache.h"

/* A call, with the source as iteration space. */
typedef struct call {
  const GpuArray *src;
  gpucontext *ctx;
  unsigned char reduced[GA_ND_MAX];
  size_t dims[GA_ND_MAX]; /* of the result, with 1 on reduced axes */
  size_t n_red;
} call;

/* Check the axes and initialise `c`. `code` is the error of wrong axes, in
 * which two public functions differ. */
static int call_init(call *c, const GpuArray *src, unsigned int naxes,
                     const unsigned int *axes, int code) {
  GA_TRY(ga__array_check(src));
  c->src = src;
  c->ctx = GpuArray_context(src);
  if (axes == NULL && naxes > 0)
    return ga__fail(code, "%u axes, but no list of them", naxes);
  memset(c->reduced, axes == NULL, sizeof c->reduced);
  for (unsigned int i = 0; i < naxes; i++) {
    if (axes[i] >= src->nd)
      return ga__fail(code, "axis %u of an array of %u dimensions", axes[i],
                      src->nd);
    if (c->reduced[axes[i]])
      return ga__fail(code, "axis %u is given twice", axes[i]);
    c->reduced[axes[i]] = 1;
  }
  c->n_red = 1;
  for (unsigned int d = 0; d < src->nd; d++) {
    c->dims[d] = c->reduced[d] ? 1 : src->dimensions[d];
    if (c->reduced[d])
      c->n_red *= src->dimensions[d];
  }
  return GA_NO_ERROR;
}

/* Make a result that still has its reduced axes. */
static int call_result(const call *c, GpuArray *dst, int typecode) {
  return GpuArray_empty(dst, c->ctx, typecode, c->src->nd, c->dims, GA_C_ORDER);
}

/* Remove the reduced axes from a result. It is contiguous. */
static int drop_axes(const call *c, GpuArray *dst) {
  size_t dims[GA_ND_MAX];
  ssize_t strides[GA_ND_MAX];
  unsigned int n = 0;

  for (unsigned int d = 0; d < c->src->nd; d++) {
    if (!c->reduced[d])
      dims[n++] = c->dims[d];
  }
  ga__strides_fill(strides, n, dims, GpuArray_ITEMSIZE(dst), GA_C_ORDER);
  return ga__array_set_shape(dst, n, dims, strides, dst->offset);
}

/* --- running --- */

/* A launch of a call. */
typedef struct pass {
  const call *c;
  const GpuReductionSpec *spec;
  void **in, **post; /* arrays; the scalar "n" is a value */
  const ptrdiff_t *positions;
} pass;

static int prepare_pass(GpuLaunch **out, const void *arg) {
  const pass *p = arg;
  GpuReduction *r = NULL;
  int err;

  *out = NULL;
  GA_CHECK(GpuReduction_new(&r, p->c->ctx, p->spec));
  GA_CHECK(ga__reduction_prepare(out, r, p->c->src->nd, p->c->src->dimensions,
                                 p->c->reduced, p->in, p->post, p->positions));

done:
  GpuReduction_free(r);
  return err;
}

/* The array of operand k, or NULL for the scalar "n", which follows from the
 * sizes. */
static const GpuArray *operand(const pass *p, unsigned int k) {
  const unsigned int n_in = p->spec->n_in;

  if (k >= n_in && (p->spec->post_args[k - n_in].flags & GE_SCALAR))
    return NULL;
  return k < n_in ? p->in[k] : p->post[k - n_in];
}

static void add_key(ga__launch_key *key, const pass *p) {
  const unsigned int nd = p->c->src->nd;

  ga__launch_key_start(key, p->c->ctx, "reduce");
  ga__launch_key_number(key, (size_t)p->spec->op);
  ga__launch_key_number(key, (size_t)p->spec->acc);
  ga__launch_key_text(key, p->spec->map);
  ga__launch_key_text(key, p->spec->post);
  for (unsigned int d = 0; d < nd; d++) {
    ga__launch_key_number(key, p->c->reduced[d]);
    ga__launch_key_number(key, p->positions != NULL ? (size_t)p->positions[d]
                                                    : SIZE_MAX);
  }
}

static int call_run(const call *c, const GpuReductionSpec *spec, void **in,
                    void **post, const ptrdiff_t *positions) {
  const pass p = {c, spec, in, post, positions};
  const unsigned int n = spec->n_in + spec->n_post;
  const void *arrays[4];
  ga__launch_key key;

  add_key(&key, &p);
  for (unsigned int k = 0; k < n; k++) {
    arrays[k] = operand(&p, k);
    if (arrays[k] != NULL)
      ga__launch_key_array(&key, arrays[k]);
  }
  return ga__cached_run(&(ga__cached_call){.ctx = c->ctx,
                                           .key = &key,
                                           .n = n,
                                           .values = arrays,
                                           .prepare = prepare_pass,
                                           .arg = &p});
}

/* --- dtypes --- */

static int is_combining(ga_reduce_op op) {
  return op <= GA_REDUCE_ARGMIN;
}

static int is_integer(int typecode) {
  const ga__kind kind = ga__dtype_kind(typecode);

  return kind == GA_KIND_BOOL || kind == GA_KIND_INT || kind == GA_KIND_UINT;
}

static int complex_of(int part) {
  return part == GA_DOUBLE ? GA_CDOUBLE : GA_CFLOAT;
}

/* Whether the result is real, even of complex numbers. */
static int is_magnitude(ga_reduce_op op) {
  return op == GA_REDUCE_VAR || op == GA_REDUCE_NORM1 || op == GA_REDUCE_NORM2;
}

static int default_acc(const call *c, ga_reduce_op op) {
  const int type = ga__dtype_canon(c->src->typecode);

  switch (op) {
  case GA_REDUCE_ANY:
  case GA_REDUCE_ALL:
    return GA_BOOL;
  case GA_REDUCE_SUM:
  case GA_REDUCE_PROD:
    if (is_integer(type))
      return ga__dtype_kind(type) == GA_KIND_UINT ? GA_ULONG : GA_LONG;
    return ga__dtype_work(type);
  case GA_REDUCE_MEAN:
  case GA_REDUCE_VAR:
  case GA_REDUCE_NORM1:
  case GA_REDUCE_NORM2:
    if (is_integer(type))
      return gpucontext_caps(c->ctx)->fp64 ? GA_DOUBLE : GA_FLOAT;
    return ga__dtype_work(is_magnitude(op) ? ga__dtype_real(type) : type);
  default:
    return ga__dtype_work(type);
  }
}

static int default_result(const call *c, ga_reduce_op op, int acc) {
  switch (op) {
  case GA_REDUCE_ARGMAX:
  case GA_REDUCE_ARGMIN:
    return GA_LONG;
  case GA_REDUCE_ANY:
  case GA_REDUCE_ALL:
    return GA_BOOL;
  case GA_REDUCE_MAX:
  case GA_REDUCE_MIN:
  case GA_REDUCE_AND:
  case GA_REDUCE_OR:
  case GA_REDUCE_XOR:
    return c->src->typecode;
  default:
    if (is_integer(c->src->typecode) || ga__dtype_is_complex(acc))
      return acc;
    return is_magnitude(op) ? ga__dtype_real(c->src->typecode)
                            : c->src->typecode;
  }
}

/* --- operations by one reduction --- */

/* Combine `map` over the source and set `out` by `post`. `extra` is a second
 * input, named m, or NULL. In `post` the scalar n is the number of combined
 * elements. */
static int reduce_to(const call *c, GpuArray *out, ga_reduce_op op, int acc,
                     const char *map, const char *post, GpuArray *extra) {
  const gpuelemwise_arg in[2] = {
      {"x", c->src->typecode, GE_READ},
      {"m", extra != NULL ? extra->typecode : acc, GE_READ}};
  const gpuelemwise_arg outs[2] = {
      {"out", out->typecode, GE_WRITE},
      {"n", ga__dtype_real(acc), GE_SCALAR | GE_READ}};
  const GpuReductionSpec spec = {.op = op,
                                 .acc = acc,
                                 .map = map,
                                 .post = post,
                                 .n_in = extra != NULL ? 2 : 1,
                                 .in = in,
                                 .n_post = post != NULL ? 2 : 1,
                                 .post_args = outs,
                                 .flags = GE_VECTOR};
  double n[1];
  void *ins[2] = {(void *)c->src, extra}, *posts[2] = {out, n};

  ga__dtype_from_double(ga__dtype_real(acc), n, (double)c->n_red);
  return call_run(c, &spec, ins, posts, NULL);
}

/* A map, which reads x and assigns v in the accumulator's dtype, and a post,
 * which assigns out in the result's dtype. */
typedef struct texts {
  char map[96], post[96];
} texts;

/* Write the name of the conversion between two dtypes: w_to_ or
 * w_from_bool_. */
static void write_cast(char *out, size_t size, int from, int to) {
  const char *name =
      ga__dtype_kind(to) == GA_KIND_BOOL ? "bool" : ga__dtype_cl(to);

  snprintf(out, size, "w_%s%s",
           ga__dtype_kind(from) == GA_KIND_BOOL ? "from_bool_" : "to_", name);
}

/* The same for complex numbers, which have no vectors: real sums of magnitudes,
 * or complex means of complex or real numbers. */
static void write_complex_texts(texts *t, const call *c, ga_reduce_op op,
                                int acc) {
  const int from = ga__dtype_is_complex(c->src->typecode);

  switch (op) {
  case GA_REDUCE_VAR:
    snprintf(t->map, sizeof t->map,
             "%s r = x.r - m.r, i = x.i - m.i; v = r * r + i * i;",
             ga__dtype_cl(acc));
    snprintf(t->post, sizeof t->post, "out = acc / n;");
    break;
  case GA_REDUCE_NORM1:
    snprintf(t->map, sizeof t->map, "v = hypot(x.r, x.i);");
    break;
  case GA_REDUCE_NORM2:
    snprintf(t->map, sizeof t->map, "v = x.r * x.r + x.i * x.i;");
    break;
  default:
    snprintf(t->map, sizeof t->map, "v.r = x%s; v.i = %s;", from ? ".r" : "",
             from ? "x.i" : "0");
    snprintf(t->post, sizeof t->post, "out.r = acc.r / n; out.i = acc.i / n;");
  }
}

static void write_texts(texts *t, const call *c, ga_reduce_op op, int acc,
                        int restype) {
  char load[32], store[32];

  write_cast(load, sizeof load, c->src->typecode, acc);
  write_cast(store, sizeof store, acc, restype);
  switch (op) {
  case GA_REDUCE_NORM1:
    snprintf(t->map, sizeof t->map, "v = fabs(%s(x));", load);
    break;
  case GA_REDUCE_NORM2:
    snprintf(t->map, sizeof t->map, "v = %s(x); v = v * v;", load);
    break;
  default:
    snprintf(t->map, sizeof t->map, "v = %s(x);", load);
    break;
  }
  if (op == GA_REDUCE_NORM2)
    snprintf(t->post, sizeof t->post, "out = %s(sqrt(acc));", store);
  else if (op == GA_REDUCE_MEAN)
    snprintf(t->post, sizeof t->post, "out = %s(acc / n);", store);
  else
    snprintf(t->post, sizeof t->post, "out = %s(acc);", store);
  if (ga__dtype_is_complex(c->src->typecode) || ga__dtype_is_complex(acc))
    write_complex_texts(t, c, op, acc);
}

/* The variance of complex numbers takes two passes over the source: the mean,
 * then the sum of squared distances from it. */
static int reduce_complex_var(const call *c, GpuArray *dst, int acc) {
  const int of = complex_of(acc);
  GpuArray mean = {0};
  texts t;
  int err;

  GA_CHECK(call_result(c, &mean, of));
  write_texts(&t, c, GA_REDUCE_MEAN, of, of);
  GA_CHECK(reduce_to(c, &mean, GA_REDUCE_SUM, of, t.map, t.post, NULL));
  write_texts(&t, c, GA_REDUCE_VAR, acc, dst->typecode);
  GA_CHECK(reduce_to(c, dst, GA_REDUCE_SUM, acc, t.map, t.post, &mean));

done:
  GpuArray_clear(&mean);
  return err;
}

static int reduce_op(const call *c, GpuArray *dst, ga_reduce_op op, int acc) {
  texts t;

  if (op == GA_REDUCE_VAR && ga__dtype_is_complex(c->src->typecode))
    return reduce_complex_var(c, dst, acc);
  if (is_combining(op))
    return reduce_to(c, dst, op, acc, NULL, NULL, NULL);
  write_texts(&t, c, op, acc, dst->typecode);
  return reduce_to(c, dst, op == GA_REDUCE_VAR ? op : GA_REDUCE_SUM, acc, t.map,
                   t.post, NULL);
}

/* Check dtypes for the maps and posts written above, which could drop imaginary
 * parts. */
static int check_complex(const call *c, ga_reduce_op op, int acc, int restype) {
  const char *from = ga__dtype_name(c->src->typecode);

  if (is_magnitude(op) && ga__dtype_is_complex(acc))
    return ga__fail(GA_VALUE_ERROR,
                    "norms and variances in %s, expected a "
                    "float",
                    ga__dtype_name(acc));
  if (op == GA_REDUCE_MEAN && ga__dtype_is_complex(c->src->typecode) &&
      !ga__dtype_is_complex(acc))
    return ga__fail(GA_VALUE_ERROR, "mean of %s in %s", from,
                    ga__dtype_name(acc));
  if (op == GA_REDUCE_MEAN && ga__dtype_is_complex(acc) &&
      !ga__dtype_is_complex(restype))
    return ga__fail(GA_VALUE_ERROR, "mean of %s, result in %s", from,
                    ga__dtype_name(restype));
  if (!is_combining(op) && ga__dtype_is_complex(restype) &&
      !ga__dtype_is_complex(acc))
    return ga__fail(GA_VALUE_ERROR, "means and norms in %s, result in %s",
                    ga__dtype_name(acc), ga__dtype_name(restype));
  return GA_NO_ERROR;
}

static int check_types(ga_reduce_op op, int acc, int restype) {
  if ((int)op < GA_REDUCE_SUM || op > GA_REDUCE_NORM2)
    return ga__fail(GA_VALUE_ERROR, "no reduction has the number %d", (int)op);
  if (ga__dtype_kind(restype) == GA_KIND_NONE)
    return ga__fail(GA_VALUE_ERROR, "result: no dtype has the number %d",
                    restype);
  if (!is_combining(op) && ga__dtype_kind(acc) != GA_KIND_FLOAT &&
      !ga__dtype_is_complex(acc))
    return ga__fail(GA_VALUE_ERROR, "means and norms in %s, expected a float",
                    ga__dtype_name(acc));
  return GA_NO_ERROR;
}

int GpuArray_reduction(GpuArray *dst, const GpuArray *src, ga_reduce_op op,
                       unsigned int naxes, const unsigned int *axes,
                       int keepdims, int acc, int restype) {
  call c;
  int err;

  memset(dst, 0, sizeof *dst);
  GA_TRY(call_init(&c, src, naxes, axes, GA_VALUE_ERROR));
  acc = acc < 0 ? default_acc(&c, op) : ga__dtype_canon(ga__dtype_work(acc));
  restype = restype < 0 ? default_result(&c, op, acc) : restype;
  GA_TRY(check_types(op, acc, restype));
  GA_TRY(check_complex(&c, op, acc, restype));
  GA_CHECK(call_result(&c, dst, restype));
  GA_CHECK(reduce_op(&c, dst, op, acc));
  if (!keepdims)
    GA_CHECK(drop_axes(&c, dst));

done:
  if (err != GA_NO_ERROR)
    GpuArray_clear(dst);
  return err;
}

/* --- the largest elements --- */

/* Set the steps of positions that are counted in C order over the listed axes,
 * in the order of the list. */
static void list_positions(const GpuArray *src, unsigned int n,
                           const unsigned int *axes, ptrdiff_t *steps) {
  ptrdiff_t step = 1;

  memset(steps, 0, GA_ND_MAX * sizeof *steps);
  for (unsigned int i = n; i-- > 0;) {
    steps[axes[i]] = step;
    step *= (ptrdiff_t)src->dimensions[axes[i]];
  }
}

/* A view of the caller's array with the reduced axes put back. */
typedef struct result {
  GpuArray a; /* borrows */
  size_t dims[GA_ND_MAX];
  ssize_t strides[GA_ND_MAX];
} result;

static int put_axes_back(result *r, const call *c, const char *name,
                         const GpuArray *dst) {
  const unsigned int nd = c->src->nd;
  unsigned int n = 0;

  if (ga__array_check(dst) != GA_NO_ERROR)
    return ga__fail(GA_INVALID_ERROR, "%s: the caller makes this array", name);
  r->a = *dst;
  for (unsigned int d = 0; d < nd; d++) {
    const int is_kept = !c->reduced[d] && n < dst->nd;

    r->dims[d] = is_kept ? dst->dimensions[n] : 1;
    r->strides[d] = is_kept ? dst->strides[n] : 0;
    n += !c->reduced[d];
  }
  if (n != dst->nd)
    return ga__fail(GA_VALUE_ERROR, "%s: expected %u dimensions, got %u", name,
                    n, dst->nd);
  r->a.nd = nd;
  r->a.dimensions = r->dims;
  r->a.strides = r->strides;
  return GA_NO_ERROR;
}

static int is_position(int typecode) {
  const ga__kind kind = ga__dtype_kind(typecode);

  return (kind == GA_KIND_INT || kind == GA_KIND_UINT) &&
         ga__dtype_size(typecode) == 8;
}

/* Check both results and view them with all axes. Positions are written as
 * int64: all are below 2^63, so uint64 has the same bits. */
static int open_results(const call *c, result *most, const GpuArray *dst_max,
                        result *at, const GpuArray *dst_argmax) {
  GA_TRY(put_axes_back(most, c, "dstMax", dst_max));
  GA_TRY(put_axes_back(at, c, "dstArgmax", dst_argmax));
  if (!is_position(dst_argmax->typecode))
    return ga__fail(GA_VALUE_ERROR,
                    "dstArgmax: %s, expected an integer of 64 bits",
                    ga__dtype_name(dst_argmax->typecode));
  at->a.typecode = GA_LONG;
  GA_TRY(ga__operand_check_apart("dstMax", dst_max, "src", c->src));
  GA_TRY(ga__operand_check_apart("dstArgmax", dst_argmax, "src", c->src));
  return ga__operand_check_apart("dstArgmax", dst_argmax, "dstMax", dst_max);
}

int GpuArray_maxandargmax(GpuArray *dstMax, GpuArray *dstArgmax,
                          const GpuArray *src, unsigned reduxLen,
                          const unsigned *reduxList) {
  gpuelemwise_arg in = {.name = "src", .flags = GE_READ}, outs[2];
  GpuReductionSpec spec = {.op = GA_REDUCE_ARGMAX,
                           .post = "dstMax = acc; dstArgmax = w_to_long(idx);",
                           .n_in = 1,
                           .in = &in,
                           .n_post = 2,
                           .post_args = outs};
  ptrdiff_t positions[GA_ND_MAX];
  result most, at;
  void *ins[1] = {(void *)src}, *posts[2] = {&most.a, &at.a};
  call c;

  GA_TRY(ga__array_check(src));
  if (reduxLen == 0)
    return ga__fail(GA_INVALID_ERROR, "no axis to look along");
  GA_TRY(call_init(&c, src, reduxLen, reduxList, GA_INVALID_ERROR));
  GA_TRY(open_results(&c, &most, dstMax, &at, dstArgmax));
  list_positions(src, reduxLen, reduxList, positions);
  spec.acc = in.typecode = src->typecode;
  outs[0] = (gpuelemwise_arg){"dstMax", src->typecode, GE_WRITE};
  outs[1] = (gpuelemwise_arg){"dstArgmax", GA_LONG, GE_WRITE};
  return call_run(&c, &spec, ins, posts, positions);
}
