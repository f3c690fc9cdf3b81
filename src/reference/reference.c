/* SPDX-License-Identifier: BSD-2-Clause */
/* Computing nodes on the host, by kind of op. */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "ops/ops.h"
#include "ops/value_size.h"

enum { MAX_OPERANDS = 10 }; /* most operands of elementwise code: %0 to %9 */

static const double max_exact = 9007199254740992.0; /* 2^53 */

/* --- elements --- */

/* Store `v` in dtype as kernels do: integers wrap around. 0 if a double is not
 * exact enough for that. */
static int store(int dtype, void *p, double v) {
  const ga__kind kind = ga__dtype_kind(dtype);

  if (kind == GA_KIND_BOOL) {
    v = v != 0;
  } else if (kind != GA_KIND_FLOAT) {
    if (!(fabs(v) < max_exact))
      return 0;
    v = ga__dtype_wrap(dtype, trunc(v));
    if (!(fabs(v) < max_exact))
      return 0;
  }
  ga__dtype_from_double(dtype, p, v);
  return 1;
}

/* Reads an operand element by element, broadcast to the shape of an output. */
typedef struct reader {
  const char *data; /* NULL: reads zeros */
  int dtype;
  size_t step[GG_MAX_ND]; /* bytes; 0 where it broadcasts */
} reader;

static reader read_stretched(const gg_var *v, const gg__host *x) {
  reader r = {x->data, v->type.dtype, {0}};
  size_t step = ga__dtype_size(v->type.dtype);

  for (unsigned int i = x->dims.nd; i-- > 0;) {
    r.step[i] = x->dims.dim[i] != 1 ? step : 0;
    step *= x->dims.dim[i];
  }
  return r;
}

/* Where element n, in C order, of the operand broadcast to sizes `d` is. */
static const char *find(const reader *r, const gg_dims *d, size_t n) {
  size_t at = 0;

  for (unsigned int i = d->nd; i-- > 0;) {
    at += n % d->dim[i] * r->step[i];
    n /= d->dim[i];
  }
  return r->data + at;
}

static double element(const reader *r, const gg_dims *d, size_t n) {
  return r->data != NULL ? ga__dtype_to_double(r->dtype, find(r, d, n)) : 0;
}

/* The parts of the element; the imaginary part of a real one is 0. */
static void read_parts(const reader *r, const gg_dims *d, size_t n, double *x) {
  const int part = ga__dtype_real(r->dtype);

  x[0] = element(r, d, n);
  x[1] = r->data != NULL && ga__dtype_is_complex(r->dtype)
             ? ga__dtype_to_double(part, find(r, d, n) + ga__dtype_size(part))
             : 0;
}

static void store_parts(int dtype, char *p, const double *y) {
  const int part = ga__dtype_real(dtype);

  ga__dtype_from_double(dtype, p, y[0]);
  if (ga__dtype_is_complex(dtype))
    ga__dtype_from_double(part, p + ga__dtype_size(part), y[1]);
}

static double eval_first(const double *x) {
  return x[0];
}

static double eval_second(const double *x) {
  return x[1];
}

double (*gg__host_code(const gg_apply *a))(const double *) {
  if (gg__has_complex(a))
    return NULL;
  if (a->op == &gg__op_cast)
    return eval_first;
  if (a->op == &gg__op_fill)
    return eval_second;
  const gg_code *code = gg_apply_code(a);
  return code != NULL ? code->eval : NULL;
}

/* The same for a node with complex operands or results. */
static int eval_complex(const gg_apply *a, const gg__host *in, gg__host *out) {
  const int dtype = a->out[0]->type.dtype;
  const size_t n = gg__dims_size(&out->dims), bytes = ga__dtype_size(dtype);
  reader r[MAX_OPERANDS];
  double x[2 * MAX_OPERANDS] = {0}, y[2];

  if (a->op->eval_complex == NULL || a->n_in > MAX_OPERANDS)
    return 0;
  for (unsigned int k = 0; k < a->n_in; k++)
    r[k] = read_stretched(a->in[k], &in[k]);
  for (size_t i = 0; i < n; i++) {
    for (unsigned int k = 0; k < a->n_in; k++)
      read_parts(&r[k], &out->dims, i, &x[2 * (size_t)k]);
    a->op->eval_complex(x, y);
    store_parts(dtype, (char *)out->data + i * bytes, y);
  }
  return 1;
}

/* Compute an elementwise node. 0 if the host cannot. */
static int eval_elements(const gg_apply *a, const gg__host *in, gg__host *out) {
  double (*eval)(const double *) = gg__host_code(a);
  const int dtype = a->out[0]->type.dtype;
  const size_t n = gg__dims_size(&out->dims), bytes = ga__dtype_size(dtype);
  const int saturates = a->op == &gg__op_cast && gg__is_float(a->in[0]);
  reader r[MAX_OPERANDS];
  double x[MAX_OPERANDS];

  if (eval == NULL || a->n_in > MAX_OPERANDS)
    return 0;
  for (unsigned int k = 0; k < a->n_in; k++)
    r[k] = read_stretched(a->in[k], &in[k]);
  for (size_t i = 0; i < n; i++) {
    for (unsigned int k = 0; k < a->n_in; k++) {
      x[k] = element(&r[k], &out->dims, i);
      if (ga__dtype_kind(r[k].dtype) != GA_KIND_FLOAT && fabs(x[k]) > max_exact)
        return 0;
    }
    if (saturates)
      ga__dtype_from_double(dtype, (char *)out->data + i * bytes, x[0]);
    else if (!store(dtype, (char *)out->data + i * bytes, eval(x)))
      return 0;
  }
  return 1;
}

/* --- reductions: one element after the other, in float64 --- */

/* The partial result for one element of the output. */
typedef struct partial {
  double value;   /* variance: the sum of squared distances from the mean */
  double at;      /* index of the value; -1 before the first element */
  double mean, n; /* variance: mean and count so far */
} partial;

/* Add an element to a variance (Welford, 1962). */
static void add_to_variance(partial *p, double x) {
  const double d = x - p->mean;

  p->n++;
  p->mean += d / p->n;
  p->value += d * (x - p->mean);
}

static void combine(gg_reduction op, partial *p, double x, size_t at) {
  const int first = p->at < 0;

  switch (op) {
  case GG_SUM:
    p->value += x;
    break;
  case GG_PROD:
    p->value *= x;
    break;
  case GG_ANY_OF:
    p->value = p->value != 0 || x != 0;
    break;
  case GG_ALL_OF:
    p->value = p->value != 0 && x != 0;
    break;
  case GG_MAX:
  case GG_ARGMAX:
    if (!first && (isnan(p->value) || !(isnan(x) || x > p->value)))
      return;
    p->value = x;
    break;
  case GG_MIN:
  case GG_ARGMIN:
    if (!first && (isnan(p->value) || !(isnan(x) || x < p->value)))
      return;
    p->value = x;
    break;
  case GG_VARIANCE:
    add_to_variance(p, x);
    break;
  }
  p->at = (double)at;
}

static int is_position(gg_reduction op) {
  return op == GG_ARGMAX || op == GG_ARGMIN;
}

/* Nonzero if there is a result: extrema and their indices need an element. */
static int is_defined(gg_reduction op, const partial *p) {
  return (op != GG_MAX && op != GG_MIN && !is_position(op)) || p->at >= 0;
}

static double reduced(gg_reduction op, const partial *p) {
  if (op == GG_VARIANCE)
    return p->value / p->n;
  return is_position(op) ? p->at : p->value;
}

/* Split index i of the input: returns the index in the result; *position is
 * the index among the elements that are reduced to it. */
static size_t locate(const gg_dims *d, unsigned int mask, size_t i,
                     size_t *position) {
  size_t place = 0, step = 1, gone = 1;

  *position = 0;
  for (unsigned int k = d->nd; k-- > 0; i /= d->dim[k]) {
    if (mask >> k & 1u) {
      *position += i % d->dim[k] * gone;
      gone *= d->dim[k];
    } else {
      place += i % d->dim[k] * step;
      step *= d->dim[k];
    }
  }
  return place;
}

static int reduce(const gg_apply *a, const gg__host *in, gg__host *out) {
  const gg_reduce_props *props = a->props;
  const int from = a->in[0]->type.dtype, to = a->out[0]->type.dtype;
  const size_t n = gg__dims_size(&in->dims), m = gg__dims_size(&out->dims);
  partial *p = ga__malloc((m + 1) * sizeof *p);
  size_t at;
  int known = p != NULL;

  for (size_t i = 0; known && i < m; i++)
    p[i] = (partial){props->op == GG_PROD || props->op == GG_ALL_OF, -1, 0, 0};
  for (size_t i = 0; known && i < n; i++) {
    partial *q = &p[locate(&in->dims, props->axes_mask, i, &at)];
    combine(props->op, q,
            ga__dtype_to_double(from, (const char *)in->data +
                                          i * ga__dtype_size(from)),
            at);
  }
  for (size_t i = 0; known && i < m; i++)
    known = is_defined(props->op, &p[i]) &&
            store(to, (char *)out->data + i * ga__dtype_size(to),
                  reduced(props->op, &p[i]));
  ga__free(p);
  return known;
}

/* Sums and products of complex numbers. */
static int reduce_complex(const gg_apply *a, const gg__host *in,
                          gg__host *out) {
  const gg_reduce_props *props = a->props;
  const int dtype = a->out[0]->type.dtype;
  const size_t n = gg__dims_size(&in->dims), m = gg__dims_size(&out->dims);
  const size_t bytes = ga__dtype_size(dtype);
  const reader r = read_stretched(a->in[0], in);
  double *sum = ga__calloc(m + 1, 2 * sizeof *sum), x[2];
  size_t at;

  for (size_t i = 0; sum != NULL && i < m; i++)
    sum[2 * i] = props->op == GG_PROD;
  for (size_t i = 0; sum != NULL && i < n; i++) {
    double *s = &sum[2 * locate(&in->dims, props->axes_mask, i, &at)];
    const double re = s[0];
    read_parts(&r, &in->dims, i, x);
    s[0] = props->op == GG_PROD ? re * x[0] - s[1] * x[1] : re + x[0];
    s[1] = props->op == GG_PROD ? re * x[1] + s[1] * x[0] : s[1] + x[1];
  }
  for (size_t i = 0; sum != NULL && i < m; i++)
    store_parts(dtype, (char *)out->data + i * bytes, &sum[2 * i]);
  ga__free(sum);
  return sum != NULL;
}

/* --- views --- */

/* The value of an input of one element, in the arena; else NULL. */
static const double *host_number(ga__arena *m, const gg_var *v,
                                 const gg__host *x) {
  double *number = ga__arena_alloc(m, sizeof *number);

  if (number == NULL || x->data == NULL || gg__dims_size(&x->dims) != 1)
    return NULL;
  *number = ga__dtype_to_double(v->type.dtype, x->data);
  return number;
}

/* Copy the elements of a view of in->data to C order. */
static void gather(const GpuArray *view, const gg__host *in, gg__host *out) {
  const size_t n = gg__dims_size(&out->dims), bytes = GpuArray_ITEMSIZE(view);
  size_t k;
  unsigned int d;

  for (size_t i = 0; i < n; i++) {
    ssize_t at = (ssize_t)view->offset;
    for (d = view->nd, k = i; d-- > 0; k /= view->dimensions[d])
      at += (ssize_t)(k % view->dimensions[d]) * view->strides[d];
    memcpy((char *)out->data + i * bytes, (const char *)in->data + at, bytes);
  }
}

/* Compute a view: call the op on an array of the input's size, whose buffer
 * stays unwritten, and gather from `in` by the resulting strides. */
static int view_output(const gg_apply *a, unsigned int which, gpucontext *ctx,
                       const gg__host *in, const gg_dims *dims,
                       const double *const *number, gg__host *out) {
  const int dtype = a->in[0]->type.dtype;
  GpuArray whole = {0}, view = {0};
  int err;

  GA_CHECK(GpuArray_empty(&whole, ctx, dtype, in->dims.nd, in->dims.dim,
                          GA_C_ORDER));
  whole.offset = 0;
  gpuarray_clear_error();
  GA_CHECK(a->op->view(a, which, &whole, dims, number, &out->dims, &view));
  gather(&view, in, out);
done:
  GpuArray_clear(&whole);
  GpuArray_clear(&view);
  return err;
}

/* What ops get of their inputs beside elements. All lists lie in the arena. */
typedef struct operands {
  gg_dims *dims;
  const double **number;
  ga__arena arena;
} operands;

static int operands_init(operands *o, const gg_apply *a, const gg__host *in) {
  o->dims = ga__arena_alloc(&o->arena, a->n_in * sizeof *o->dims);
  o->number = ga__arena_alloc(&o->arena, a->n_in * sizeof *o->number);
  if (o->dims == NULL || o->number == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < a->n_in; i++) {
    o->dims[i] = in[i].dims;
    o->number[i] = host_number(&o->arena, a->in[i], &in[i]);
  }
  return GA_NO_ERROR;
}

static int view_outputs(const gg_apply *a, gpucontext *ctx, const gg__host *in,
                        gg__host *out) {
  operands o = {.arena = GA_ARENA_INIT};
  int err;

  GA_CHECK(operands_init(&o, a, in));
  for (unsigned int i = 0; i < a->n_out; i++)
    GA_CHECK(view_output(a, i, ctx, &in[0], o.dims, o.number, &out[i]));
done:
  ga__arena_clear(&o.arena);
  return err;
}

/* --- host functions of ops --- */

/* The arguments of `perform` and `reference`. All lists lie in the arena. */
typedef struct call {
  gg_prepare p;
  ga__arena arena;
} call;

static GpuArray *host_array(ga__arena *m, const gg_var *v, const gg_dims *d) {
  GpuArray *a = ga__arena_alloc(m, sizeof *a);
  ssize_t step = (ssize_t)ga__dtype_size(v->type.dtype);

  if (a == NULL)
    return NULL;
  a->typecode = v->type.dtype;
  a->nd = d->nd;
  a->flags = GA_C_CONTIGUOUS | GA_ALIGNED | GA_WRITEABLE;
  a->dimensions = ga__arena_dup(m, d->dim, d->nd * sizeof d->dim[0]);
  a->strides = ga__arena_alloc(m, d->nd * sizeof *a->strides);
  if (a->dimensions == NULL || a->strides == NULL)
    return NULL;
  for (unsigned int i = d->nd; i-- > 0;) {
    a->strides[i] = step;
    step *= (ssize_t)d->dim[i];
  }
  return a;
}

static int call_init(call *c, const gg_apply *a, gpucontext *ctx,
                     const gg__host *in, gg__host *out) {
  ga__arena *m = &c->arena;
  GpuArray **arrays = ga__arena_alloc(m, (a->n_in + a->n_out) * sizeof *arrays);
  const void **from = ga__arena_alloc(m, a->n_in * sizeof *from);
  void **to = ga__arena_alloc(m, a->n_out * sizeof *to);
  const double **number = ga__arena_alloc(m, a->n_in * sizeof *number);

  if (arrays == NULL || from == NULL || to == NULL || number == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < a->n_in + a->n_out; i++) {
    arrays[i] = i < a->n_in ? host_array(m, a->in[i], &in[i].dims)
                            : host_array(m, a->out[i - a->n_in],
                                         &out[i - a->n_in].dims);
    if (arrays[i] == NULL)
      return ga__fail_nomem();
  }
  for (unsigned int i = 0; i < a->n_in; i++) {
    from[i] = in[i].data;
    number[i] = host_number(m, a->in[i], &in[i]);
  }
  for (unsigned int i = 0; i < a->n_out; i++)
    to[i] = out[i].data;
  c->p = (gg_prepare){.apply = a,
                      .ctx = ctx,
                      .n_in = a->n_in,
                      .n_out = a->n_out,
                      .in = arrays,
                      .out = arrays + a->n_in,
                      .number = number,
                      .from = from,
                      .to = to};
  return GA_NO_ERROR;
}

static int call_op(const gg_apply *a, gpucontext *ctx, const gg__host *in,
                   gg__host *out) {
  call c = {.arena = GA_ARENA_INIT};
  int err = call_init(&c, a, ctx, in, out);

  if (err == GA_NO_ERROR) {
    gpuarray_clear_error();
    err = a->op->reference != NULL ? a->op->reference(&c.p)
                                   : a->op->perform(&c.p);
  }
  ga__arena_clear(&c.arena);
  return err;
}

/* Call gg_op.host, which needs only sizes and scalars. */
static int call_host(const gg_apply *a, const gg__host *in, gg__host *out) {
  operands o = {.arena = GA_ARENA_INIT};
  int err = operands_init(&o, a, in);

  gpuarray_clear_error();
  if (err == GA_NO_ERROR)
    err = a->op->host(a, o.dims, o.number, &out->dims, out->data);
  ga__arena_clear(&o.arena);
  return err;
}

/* --- any node --- */

/* Nonzero if the host can compute the node. */
static int is_known(const gg_apply *a, gpucontext *ctx, const gg__host *in) {
  const gg_op *op = a->op;

  for (unsigned int i = 0; i < a->n_in && op->kind != GG_OP_SHAPE; i++)
    if (in[i].data == NULL && !gg_apply_shape_only(a, i))
      return 0;
  switch (op->kind) {
  case GG_OP_ELEMWISE:
  case GG_OP_REDUCE:
    return a->n_out == 1;
  case GG_OP_SHAPE:
    return 1;
  case GG_OP_VIEW:
    return ctx != NULL;
  case GG_OP_KERNEL:
    return op->reference != NULL;
  case GG_OP_PERFORM:
    return op->reference != NULL || (op->on_host && op->state_new == NULL);
  case GG_OP_MACRO:
  case GG_OP_INNER:
  case GG_OP_TRANSFER:
    break;
  }
  return 0;
}

static int compute(const gg_apply *a, gpucontext *ctx, const gg__host *in,
                   gg__host *out, int *known) {
  switch (a->op->kind) {
  case GG_OP_ELEMWISE:
    *known = gg__has_complex(a) ? eval_complex(a, in, out)
                                : eval_elements(a, in, out);
    return GA_NO_ERROR;
  case GG_OP_REDUCE:
    *known =
        gg__has_complex(a) ? reduce_complex(a, in, out) : reduce(a, in, out);
    return GA_NO_ERROR;
  case GG_OP_VIEW:
    return view_outputs(a, ctx, in, out);
  case GG_OP_SHAPE:
    return call_host(a, in, out);
  default:
    return call_op(a, ctx, in, out);
  }
}

static void forget(const gg_apply *a, gg__host *out) {
  for (unsigned int i = 0; i < a->n_out; i++) {
    ga__free(out[i].data);
    out[i].data = NULL;
  }
}

int gg__reference(const gg_apply *a, gpucontext *ctx, const gg__host *in,
                  gg__host *out) {
  int known = 1, err = GA_NO_ERROR;

  for (unsigned int i = 0; i < a->n_out; i++)
    out[i].data = NULL;
  if (!is_known(a, ctx, in))
    return GA_NO_ERROR;
  for (unsigned int i = 0; i < a->n_out && err == GA_NO_ERROR; i++) {
    out[i].data = ga__calloc(gg__dims_size(&out[i].dims) + 1,
                             ga__dtype_size(a->out[i]->type.dtype));
    if (out[i].data == NULL)
      err = ga__fail_nomem();
  }
  if (err == GA_NO_ERROR)
    err = compute(a, ctx, in, out, &known);
  if (err != GA_NO_ERROR || !known)
    forget(a, out);
  return err;
}

int gg__host_read(const GpuArray *a, void **data) {
  GpuArray copy = {0};
  const size_t n = gg__array_bytes(a);
  int err = GA_NO_ERROR;

  *data = ga__malloc(n + 1);
  if (*data == NULL)
    return ga__fail_nomem();
  if (n == 0)
    return GA_NO_ERROR;
  if (!GpuArray_IS_C_CONTIGUOUS(a))
    GA_CHECK(GpuArray_copy(&copy, a, GA_C_ORDER));
  GA_CHECK(GpuArray_read(*data, n, copy.data != NULL ? &copy : a));
done:
  GpuArray_clear(&copy);
  if (err != GA_NO_ERROR) {
    ga__free(*data);
    *data = NULL;
  }
  return err;
}
