/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms. The ops neither cut nor pad: builders do that before. */
#include <gpugraph/arrange.h>
#include <gpugraph/complex.h>
#include <gpugraph/fft.h>
#include <gpugraph/sizes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/compose.h"
#include "ops/fourier/fourier.h"
#include "ops/fourier/fourier_host.h"
#include "ops/ops.h"
#include "ops/shape/slice_bounds.h"

static const gg__fft_props *props_of(const gg_apply *a) {
  return a->props;
}

static int flags_of(const gg__fft_props *p) {
  return (p->inverse ? GA_FFT_INVERSE : 0) | (p->ortho ? GA_FFT_ORTHO : 0) |
         (p->forward ? GA_FFT_FORWARD : 0);
}

/* The only axis of a real transform. */
static unsigned int axis_of(const gg_apply *a) {
  unsigned int d = 0;

  while ((props_of(a)->axes >> d & 1) == 0)
    d++;
  return d;
}

/* --- sizes --- */

static int check_dtype(const gg_apply *a, int is_real, int *dtype) {
  const int given = gg_var_type(a->in[0])->dtype;
  const int real = ga__dtype_real(given);

  *dtype = real;
  if (ga__dtype_is_complex(given) == is_real ||
      (real != GA_FLOAT && real != GA_DOUBLE))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %s, got %s",
                      is_real ? "float32 or float64" : "complex numbers",
                      ga__dtype_name(given));
  return GA_NO_ERROR;
}

static int check_length(const gg_apply *a, unsigned int axis, int64_t n) {
  if (n > 0)
    return GA_NO_ERROR;
  return gg_op_fail(a, GA_VALUE_ERROR, "axis %u: a transform of %lld elements",
                    axis, (long long)n);
}

static int infer_fft(const gg_apply *a, gg_type *out) {
  int real;

  GA_TRY(check_dtype(a, 0, &real));
  *out = *gg_var_type(a->in[0]);
  for (unsigned int d = 0; d < out->nd; d++)
    if (props_of(a)->axes >> d & 1 && out->dims[d] != GG_ANY)
      GA_TRY(check_length(a, d, out->dims[d]));
  return GA_NO_ERROR;
}

static int shape_fft(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  (void)host;
  out[0] = in[0];
  for (unsigned int d = 0; d < in[0].nd; d++)
    if (props_of(a)->axes >> d & 1)
      GA_TRY(check_length(a, d, (int64_t)in[0].dim[d]));
  return GA_NO_ERROR;
}

static int infer_rfft(const gg_apply *a, gg_type *out) {
  const unsigned int axis = axis_of(a);
  int real;

  GA_TRY(check_dtype(a, 1, &real));
  *out = *gg_var_type(a->in[0]);
  out->dtype = real == GA_DOUBLE ? GA_CDOUBLE : GA_CFLOAT;
  if (out->dims[axis] != GG_ANY) {
    GA_TRY(check_length(a, axis, out->dims[axis]));
    out->dims[axis] = out->dims[axis] / 2 + 1;
  }
  return GA_NO_ERROR;
}

static int shape_rfft(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  const unsigned int axis = axis_of(a);

  GA_TRY(shape_fft(a, in, host, out));
  out[0].dim[axis] = out[0].dim[axis] / 2 + 1;
  return GA_NO_ERROR;
}

/* The length n in *number, for an operand of size m or GG_ANY. */
static int read_length(const gg_apply *a, const double *number, int64_t m,
                       int64_t *n) {
  const unsigned int axis = axis_of(a);

  GA_TRY(gg__read_number(a, "length", number, n));
  GA_TRY(check_length(a, axis, *n));
  if (m != GG_ANY && m != *n / 2 + 1)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "axis %u: expected %lld elements of a transform of %lld, "
                      "got %lld",
                      axis, (long long)(*n / 2 + 1), (long long)*n,
                      (long long)m);
  return GA_NO_ERROR;
}

static int infer_irfft(const gg_apply *a, gg_type *out) {
  const unsigned int axis = axis_of(a);
  int64_t n = GG_ANY;
  double number;
  int real;

  GA_TRY(check_dtype(a, 0, &real));
  *out = *gg_var_type(a->in[0]);
  out->dtype = real;
  if (gg_var_uniform(a->in[1], &number))
    GA_TRY(read_length(a, &number, out->dims[axis], &n));
  out->dims[axis] = n == 1 ? GG_ANY : n; /* see constant_sizes in sized.c */
  return GA_NO_ERROR;
}

static int shape_irfft(const gg_apply *a, const gg_dims *in,
                       const double *const *host, gg_dims *out) {
  const unsigned int axis = axis_of(a);
  int64_t n;

  GA_TRY(read_length(a, host[1], (int64_t)in[0].dim[axis], &n));
  out[0] = in[0];
  out[0].dim[axis] = (size_t)n;
  return GA_NO_ERROR;
}

/* --- on the device, and on the host --- */

static int prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                   int *slot_out) {
  const gg__fft_props *props = props_of(p->apply);
  unsigned int axes[GG_MAX_ND], n = 0;

  for (unsigned int d = 0; d < p->in[0]->nd; d++)
    if (props->axes >> d & 1)
      axes[n++] = d;
  slot_in[0] = 0;
  slot_out[0] = 1;
  return GpuArray_fft_prepare(out, p->out[0], p->in[0], n, axes, NULL,
                              flags_of(props));
}

static int reference(const gg_prepare *p) {
  return gg__fft_host(p->in[0], p->from[0], p->out[0], p->to[0],
                      props_of(p->apply)->axes, flags_of(p->apply->props));
}

/* --- derivatives --- */

static int connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)out;
  return in == 0;
}

/* The other direction with the same factor. */
static gg__fft_props turned(const gg_apply *a) {
  gg__fft_props p = *props_of(a);

  p.inverse = !p.inverse;
  p.forward = p.ortho ? 0 : !p.forward;
  return p;
}

static int grad_fft(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__fft_props p = turned(a);

  gin[0] = gg_op_apply(NULL, &gg__op_fft, &p, 1, gout);
  return GA_NO_ERROR;
}

static int rop(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const in[2] = {din[0], a->n_in > 1 ? a->in[1] : NULL};

  if (din[0] != NULL)
    dout[0] = gg_op_apply(NULL, a->op, a->props, a->n_in, in);
  return GA_NO_ERROR;
}

/* `inner` for the elements of `half`, half of a transform of n elements along
 * an axis, that stand for their conjugates, too; 1 for the others. */
static gg_var *weights(gg_var *half, unsigned int axis, gg_var *n, gg_var *like,
                       double inner) {
  gg_var *const k = gg__iota(half, (int)axis);
  gg_var *const is_edge =
      gg_or(gg_eq(k, gg_i64(gg_var_graph(k), 0)), gg_eq(gg_add(k, k), n));

  return gg_where(is_edge, gg__num(like, 1), gg__num(like, inner));
}

/* An inner element of the result gets its gradient once, though the inverse
 * counts it twice. */
static int grad_rfft(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__fft_props p = turned(a);
  const unsigned int axis = axis_of(a);
  gg_var *const n = gg_shape(a->in[0], (int)axis);
  gg_var *const w = weights(gout[0], axis, n, a->in[0], 0.5);
  gg_var *const in[2] = {gg_mul(gout[0], w), n};

  gin[0] = gg_op_apply(NULL, &gg__op_irfft, &p, 2, in);
  return GA_NO_ERROR;
}

static int grad_irfft(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__fft_props p = turned(a);
  gg_var *const y = gg_op_apply(NULL, &gg__op_rfft, &p, 1, gout);

  if (y != NULL)
    gin[0] = gg_mul(y, weights(y, axis_of(a), a->in[1], gout[0], 2));
  return GA_NO_ERROR;
}

static void print_props(const gg_apply *a, char *buf, size_t bytes) {
  const gg__fft_props *p = props_of(a);
  int at = snprintf(buf, bytes, "axes=");

  for (unsigned int d = 0, n = 0; d < GG_MAX_ND && at < (int)bytes; d++)
    if (p->axes >> d & 1)
      at +=
          snprintf(buf + at, bytes - (size_t)at, "%s%u", n++ > 0 ? "," : "", d);
  if (at < (int)bytes)
    snprintf(buf + at, bytes - (size_t)at, "%s%s%s",
             p->inverse ? " inverse" : "", p->ortho ? " ortho" : "",
             p->forward ? " forward" : "");
}

#define FFT_OP(title, letter)                                                  \
  {                                                                            \
    .name = #title, .kind = GG_OP_KERNEL, .complex_use = GG_PARTS,             \
    .props_bytes = sizeof(gg__fft_props), .n_out = 1,                          \
    .number_only = letter ? 1u << 1 : 0, .infer = infer_##title,               \
    .shape = shape_##title, .grad = grad_##title, .rop = rop,                  \
    .connected = connected, .prepare = prepare, .reference = reference,        \
    .print = print_props                                                       \
  }

const gg_op gg__op_fft = FFT_OP(fft, 0);
const gg_op gg__op_rfft = FFT_OP(rfft, 0);
const gg_op gg__op_irfft = FFT_OP(irfft, 1);

/* --- builders --- */

/* What a builder was called with. */
typedef struct request {
  const gg_op *op; /* for messages */
  unsigned int n;
  const int *axes;
  const int64_t *lengths;
  gg_fft_norm norm;
  int inverse;
  unsigned int at[GG_MAX_ND];
} request;

int gg__fourier_axes(const gg_op *op, gg_var *x, unsigned int n,
                     const int *axes, unsigned int *at) {
  unsigned int seen = 0;

  if (!gg__given(op, 1, &x))
    return 0;
  if (n < 1 || n > gg__rank_of(x) || axes == NULL)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "%u axes of an operand of %u dimensions", n,
                      gg__rank_of(x)) != NULL;
  for (unsigned int i = 0; i < n; i++) {
    if (gg__axis(x, op, axes[i], &at[i]) != GA_NO_ERROR)
      return 0;
    if (seen >> at[i] & 1)
      return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                        "axis %u is in the list twice", at[i]) != NULL;
    seen |= 1u << at[i];
  }
  return 1;
}

int gg__fourier_norm(const gg_op *op, gg_var *x, gg_fft_norm norm) {
  return (unsigned int)norm <= GG_FFT_FORWARD ||
         gg__refuse(op, 1, &x, GA_VALUE_ERROR, "norm %d, expected 0 to 2",
                    (int)norm) != NULL;
}

/* Set `at` to the axes. Returns NULL after an error. */
static gg_var *check(request *r, gg_var *x) {
  if (!gg__fourier_axes(r->op, x, r->n, r->axes, r->at) ||
      !gg__fourier_norm(r->op, x, r->norm))
    return NULL;
  for (unsigned int i = 0; i < r->n; i++)
    if (r->lengths != NULL && r->lengths[i] < 1)
      return gg__refuse(r->op, 1, &x, GA_VALUE_ERROR,
                        "axis %u: a transform of %lld elements", r->at[i],
                        (long long)r->lengths[i]);
  return x;
}

gg_var *gg__fourier_float(gg_var *x, int is_complex) {
  if (x == NULL)
    return NULL;
  const int given = gg_var_type(x)->dtype;
  const int is_double = ga__dtype_real(given) == GA_DOUBLE;

  if (ga__dtype_is_complex(given) && is_complex)
    return x;
  if (is_complex)
    return gg_cast(x, is_double ? GA_CDOUBLE : GA_CFLOAT);
  return gg_cast(x, is_double ? GA_DOUBLE : GA_FLOAT);
}

/* x with n elements along an axis: cut, or with zeros behind. If the size is
 * unknown, both. */
static gg_var *resize(gg_var *x, unsigned int axis, int64_t n) {
  int64_t before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0}, dims[GG_MAX_ND];
  const gg_type *t = x != NULL ? gg_var_type(x) : NULL;
  const int64_t m = x != NULL ? t->dims[axis] : n;

  if (m == n)
    return x;
  for (unsigned int d = 0; d < t->nd; d++)
    dims[d] = d == axis ? n : GG_ANY;
  after[axis] = m == GG_ANY ? n : n - m;
  if (m == GG_ANY || m < n)
    x = gg_pad(x, before, after, GG_PAD_CONSTANT, gg__num(x, 0));
  if (m == GG_ANY || m > n)
    x = gg_slice(x, (int)axis, 0, n, 1);
  return m == GG_ANY ? gg_specify_shape(x, dims) : x;
}

/* Cut and pad for the transforms; a half has n / 2 + 1 elements along the last
 * axis. */
static gg_var *fit(const request *r, gg_var *x, int is_half) {
  for (unsigned int i = 0; i < r->n && r->lengths != NULL; i++) {
    const int64_t n = r->lengths[i];

    x = resize(x, r->at[i], is_half && i + 1 == r->n ? n / 2 + 1 : n);
  }
  return x;
}

static gg_var *apply(const request *r, const gg_op *op, unsigned int first,
                     unsigned int end, gg_var *x, gg_var *n) {
  gg__fft_props p = {.inverse = r->inverse,
                     .ortho = r->norm == GG_FFT_ORTHO,
                     .forward = r->norm == GG_FFT_FORWARD};
  gg_var *const in[2] = {x, n};

  for (unsigned int i = first; i < end; i++)
    p.axes |= 1u << r->at[i];
  return p.axes == 0 ? x : gg_op_apply(NULL, op, &p, n != NULL ? 2 : 1, in);
}

static gg_var *complex_of(request *r, gg_var *x) {
  if (check(r, x) == NULL)
    return NULL;
  return apply(r, &gg__op_fft, 0, r->n, fit(r, gg__fourier_float(x, 1), 0),
               NULL);
}

gg_var *gg_fft(gg_var *x, unsigned int n, const int *axes,
               const int64_t *lengths, gg_fft_norm norm) {
  return complex_of(&(request){.op = &gg__op_fft,
                               .n = n,
                               .axes = axes,
                               .lengths = lengths,
                               .norm = norm},
                    x);
}

gg_var *gg_ifft(gg_var *x, unsigned int n, const int *axes,
                const int64_t *lengths, gg_fft_norm norm) {
  return complex_of(&(request){.op = GG_CALLED("ifft"),
                               .n = n,
                               .axes = axes,
                               .lengths = lengths,
                               .norm = norm,
                               .inverse = 1},
                    x);
}

gg_var *gg_rfft(gg_var *x, unsigned int n, const int *axes,
                const int64_t *lengths, gg_fft_norm norm) {
  request r = {.op = &gg__op_rfft,
               .n = n,
               .axes = axes,
               .lengths = lengths,
               .norm = norm};

  if (check(&r, x) == NULL)
    return NULL;
  if (ga__dtype_is_complex(gg_var_type(x)->dtype))
    return gg__refuse(r.op, 1, &x, GA_VALUE_ERROR, "expected real numbers");
  gg_var *const y = apply(&r, &gg__op_rfft, n - 1, n,
                          fit(&r, gg__fourier_float(x, 0), 0), NULL);
  return apply(&r, &gg__op_fft, 0, n - 1, y, NULL);
}

/* The real result of a checked request, of this length along the last axis. */
static gg_var *real_of(const request *r, gg_var *x, gg_var *length) {
  gg_var *const y = apply(r, &gg__op_fft, 0, r->n - 1,
                          fit(r, gg__fourier_float(x, 1), 1), NULL);

  return length != NULL ? apply(r, &gg__op_irfft, r->n - 1, r->n, y, length)
                        : NULL;
}

gg_var *gg_irfft(gg_var *x, unsigned int n, const int *axes,
                 const int64_t *lengths, gg_fft_norm norm) {
  request r = {.op = &gg__op_irfft,
               .n = n,
               .axes = axes,
               .lengths = lengths,
               .norm = norm,
               .inverse = 1};

  if (check(&r, x) == NULL)
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  gg_var *const m = gg_shape(x, (int)r.at[n - 1]);
  return real_of(
      &r, x,
      lengths != NULL
          ? gg_i64(g, lengths[n - 1])
          : gg__number_mul(gg_i64(g, 2), gg__number_add(m, gg_i64(g, -1))));
}

gg_var *gg__irfft_sized(gg_var *x, unsigned int n, const int *axes,
                        gg_var *length, gg_fft_norm norm) {
  request r = {
      .op = &gg__op_irfft, .n = n, .axes = axes, .norm = norm, .inverse = 1};

  return check(&r, x) != NULL ? real_of(&r, x, length) : NULL;
}

/* --- in texts and files --- */

static int check_axes(const gg_apply *a) {
  const unsigned int axes = props_of(a)->axes;
  const unsigned int nd = gg__rank_of(a->in[0]);

  if (axes == 0 || axes >> nd != 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "axes of an operand of %u dimensions",
                      nd);
  if (a->op != &gg__op_fft && gg__count_axes(axes) != 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "%u axes, expected 1",
                      gg__count_axes(axes));
  if (props_of(a)->ortho && props_of(a)->forward)
    return gg_op_fail(a, GA_VALUE_ERROR, "two norms");
  return GA_NO_ERROR;
}

static const gg_field fields[] = {
    {GG_FIELD("axes", AXES, gg__fft_props, axes)},
    {GG_FIELD("inverse", FLAG, gg__fft_props, inverse), .optional = 1},
    {GG_FIELD("ortho", FLAG, gg__fft_props, ortho), .optional = 1},
    {GG_FIELD("forward", FLAG, gg__fft_props, forward), .optional = 1}};

const gg_op_form gg__forms_fourier[] = {
    GG_FORM_PROPS(fft, "x", fields, check_axes),
    GG_FORM_PROPS(rfft, "x", fields, check_axes),
    GG_FORM_PROPS(irfft, "xi0", fields, check_axes), GG_FORMS_END};
