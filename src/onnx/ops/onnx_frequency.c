/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms, and the matrix that weighs frequencies by the mel
 * scale. */
#include <gpugraph/complex.h>
#include <gpugraph/fft.h>
#include <gpugraph/op.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* 0, 1, ... n - 1 for a scalar n. */
static gg_var *count_to(gg_var *n) {
  return n == NULL ? NULL : gg_arange(gg__like(n, 0), n, gg__like(n, 1));
}

/* --- transforms --- */

typedef struct transform {
  gg_var *length; /* int64; shorter inputs are followed by zeros */
  int inverse;    /* exponents have the other sign; divided by the length */
  int half;       /* only the first length / 2 + 1 frequencies */
} transform;

/* x with n elements along an axis: cut, or with zeros behind its end. */
static gg_var *resized(gg_var *x, int axis, gg_var *n) {
  gg_var *before[GG_MAX_ND], *after[GG_MAX_ND];
  double known;

  if (x == NULL || n == NULL)
    return NULL;
  const int64_t size = gg_var_type(x)->dims[axis];
  if (gg_var_uniform(n, &known) && size == (int64_t)known)
    return x;
  for (unsigned int d = 0; d < gg_var_type(x)->nd; d++)
    before[d] = after[d] = gg_i64(gg_var_graph(x), 0);
  after[axis] = gg_sub(n, gg__size_of(x, axis));
  return gg_pad_sizes(x, before, after, GG_PAD_CONSTANT, NULL);
}

/* x [..., n, 1 or 2], whose last axis has the real and the imaginary part, to
 * [..., m, 2], along an axis that is not the last. */
static gg_var *transformed(const transform *t, gg_var *x, int axis) {
  if (x == NULL || t->length == NULL)
    return NULL;
  const int dtype = gg__dtype_of(x), parts = (int)gg_var_type(x)->nd - 1;
  const int is_real = gg_var_type(x)->dims[parts] == 1;

  if (dtype != GA_DOUBLE)
    x = gg_cast(x, GA_FLOAT);
  x = resized(x, axis, t->length);
  x = is_real ? gg_index(x, -1, 0)
              : gg_complex(gg_index(x, -1, 0), gg_index(x, -1, 1));
  gg_var *const y = (t->half      ? gg_rfft
                     : t->inverse ? gg_ifft
                                  : gg_fft)(x, 1, &axis, NULL, GG_FFT_BACKWARD);
  gg_var *const both[] = {gg_real(y), gg_imag(y)};
  return gg_cast(gg_stack(-1, 2, both), dtype);
}

/* Check the last axis of input 0, and that no half of a complex signal is
 * wanted. */
static int check_signal(gg__onnx_call *c, int half) {
  const unsigned int nd = gg__call_rank(c, 0);

  if (nd < 2)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 2 or more", nd);
  const int64_t parts = gg_var_type(gg__call_in(c, 0))->dims[nd - 1];
  if (parts != 1 && parts != 2)
    return ga__fail(GA_VALUE_ERROR,
                    "the last axis has size %lld, expected 1 "
                    "or 2",
                    (long long)parts);
  return parts == 2 && half
             ? ga__fail(GA_VALUE_ERROR, "onesided, but the signal is complex")
             : GA_NO_ERROR;
}

/* Check that a number is at least 1 if it is known, and make it int64. */
static int read_count(const char *what, gg_var **n) {
  double known;

  if (*n != NULL && gg_var_uniform(*n, &known) && known < 1)
    return ga__fail(GA_VALUE_ERROR, "%s is %g", what, known);
  *n = gg_cast(*n, GA_LONG);
  return GA_NO_ERROR;
}

/* The real signal of which x [..., m, 2] has the first frequencies. */
static int dft_to_real(gg__onnx_call *c, gg_var *x, int axis) {
  const int dtype = gg__dtype_of(x);
  int64_t length = 0;

  if (gg_var_type(x)->dims[gg_var_type(x)->nd - 1] != 2)
    return ga__fail(GA_VALUE_ERROR,
                    "onesided and inverse, but the signal is real");
  if (gg__call_has(c, 1)) {
    GA_TRY(gg__call_known_one(c, 1, &length));
    if (length < 1)
      return ga__fail(GA_VALUE_ERROR, "the length is %lld", (long long)length);
  }
  x = dtype == GA_DOUBLE ? x : gg_cast(x, GA_FLOAT);
  x = gg_complex(gg_index(x, -1, 0), gg_index(x, -1, 1));
  x = gg_irfft(x, 1, &axis, length == 0 ? NULL : &length, GG_FFT_BACKWARD);
  c->out[0] = gg_cast(gg_expand_dims(x, -1), dtype);
  return GA_NO_ERROR;
}

static int dft(gg__onnx_call *c, int64_t axis) {
  transform t = {.inverse = gg__call_int(c, "inverse", 0) != 0,
                 .half = gg__call_int(c, "onesided", 0) != 0};
  gg_var *x = gg__call_in(c, 0);
  int at;

  GA_TRY(check_signal(c, t.half && !t.inverse));
  GA_TRY(gg__call_axis(axis, gg__call_rank(c, 0), &at));
  if (at == (int)gg__call_rank(c, 0) - 1)
    return ga__fail(GA_VALUE_ERROR, "axis %lld is that of the two parts",
                    (long long)axis);
  if (t.half && t.inverse)
    return dft_to_real(c, x, at);
  t.length = gg__size_of(x, at);
  if (gg__call_has(c, 1))
    GA_TRY(gg__call_size(c, 1, &t.length));
  GA_TRY(read_count("the length", &t.length));
  c->out[0] = transformed(&t, x, at);
  return GA_NO_ERROR;
}

int gg__from_dft_attr(gg__onnx_call *c) {
  return dft(c, gg__call_int(c, "axis", 1));
}

int gg__from_dft(gg__onnx_call *c) {
  int64_t axis = -2;

  if (gg__call_has(c, 2))
    GA_TRY(gg__call_known_one(c, 2, &axis));
  return dft(c, axis);
}

/* Inputs: signal [n, time, 1 or 2], step, window, length of frames. The result
 * is [n, frames, frequencies, 2]. */
int gg__from_stft(gg__onnx_call *c) {
  gg_var *x = gg__call_in(c, 0), *window = gg__call_in(c, 2), *step;
  transform t = {.half = gg__call_int(c, "onesided", 1) != 0};

  GA_TRY(check_signal(c, 0));
  if (gg__call_rank(c, 0) != 3)
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, expected 3",
                    gg__call_rank(c, 0));
  const int64_t parts = gg_var_type(x)->dims[2];
  t.half &= parts == 1;
  GA_TRY(gg__call_size(c, 1, &step));
  t.length = window != NULL ? gg__size_of(window, 0) : gg__size_of(x, 1);
  if (gg__call_has(c, 3))
    GA_TRY(gg__call_size(c, 3, &t.length));
  GA_TRY(read_count("the step", &step));
  GA_TRY(read_count("the length", &t.length));
  gg_var *frames = gg_add(
      gg_floordiv(gg_sub(gg__size_of(x, 1), t.length), step), gg_i64(c->g, 1));
  gg_var *start = gg_mul(count_to(frames), step);
  gg_var *at =
      gg_add(gg_expand_dims(start, 1), gg_expand_dims(count_to(t.length), 0));
  gg_var *sizes[] = {gg__size_of(x, 0), frames, t.length, gg_i64(c->g, parts)};
  gg_var *framed = gg__to_sizes(gg_take_axis(x, 1, gg_flatten(at)), 4, sizes);
  if (window != NULL)
    framed = gg_mul(framed, gg__along(window, 4, 2));
  c->out[0] = transformed(&t, framed, 2);
  return GA_NO_ERROR;
}

/* --- the mel scale --- */

/* Input i as a scalar of the widest float dtype. */
static gg_var *number(gg__onnx_call *c, size_t i) {
  gg_var *x = gg__as_widest(gg__call_in(c, i));

  return x != NULL && gg_var_type(x)->nd == 1 ? gg_index(x, 0, 0) : x;
}

/* 2595 log10(1 + hertz / 700). */
static gg_var *to_mel(gg_var *hertz) {
  gg_var *ratio = gg_div(hertz, gg__like(hertz, 700));

  return gg_mul(gg_log10(gg_add(ratio, gg__like(ratio, 1))),
                gg__like(ratio, 2595));
}

/* The frequency bins, whole numbers as floats, at which the m triangles begin,
 * peak and end: m + 2 of them in equal steps of the mel scale. */
static gg_var *mel_bins(gg__onnx_call *c, gg_var *m, gg_var *length) {
  gg_var *low = to_mel(number(c, 3)), *high = to_mel(number(c, 4));
  gg_var *count = gg_add(m, gg_i64(c->g, 2));
  gg_var *step = gg_div(gg_sub(high, low), gg__as_widest(count));
  gg_var *mel = gg_add(gg_mul(gg__as_widest(count_to(count)), step), low);
  gg_var *power = gg_div(gg_mul(mel, gg__like(mel, 2.302585092994046)),
                         gg__like(mel, 2595)); /* log(10) */
  gg_var *hertz =
      gg_mul(gg_sub(gg_exp(power), gg__like(mel, 1)), gg__like(mel, 700));
  gg_var *scaled =
      gg_mul(gg__as_widest(gg_add(length, gg_i64(c->g, 1))), hertz);

  return gg_floor(gg_div(scaled, number(c, 2)));
}

/* Inputs: triangles m, length of the transform, sample rate, lower and upper
 * edge in hertz. The result is [length / 2 + 1, m]. */
int gg__from_mel_weights(gg__onnx_call *c) {
  const int64_t type = gg__call_int(c, "output_datatype", 1);
  gg_var *m, *length;

  if (gg__onnx_dtype(type) < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "elements of type %s",
                    gg__onnx_type_name(type));
  GA_TRY(gg__call_size(c, 0, &m));
  GA_TRY(gg__call_size(c, 1, &length));
  m = gg_cast(m, GA_LONG);
  length = gg_cast(length, GA_LONG);
  gg_var *bins = gg_expand_dims(mel_bins(c, m, length), 0);
  gg_var *from = gg_slice(bins, 1, 0, -2, 1);
  gg_var *peak = gg_slice(bins, 1, 1, -1, 1);
  gg_var *to = gg_slice(bins, 1, 2, GG_END, 1);
  gg_var *n = gg_add(gg__over(length, 2), gg_i64(c->g, 1));
  gg_var *at = gg_expand_dims(gg__as_widest(count_to(n)), 1);
  gg_var *one = gg__like(at, 1), *none = gg__like(at, 0);
  gg_var *rise = gg_where(gg_eq(peak, from), one,
                          gg_div(gg_sub(at, from), gg_sub(peak, from)));
  gg_var *fall = gg_div(gg_sub(to, at), gg_sub(to, peak));
  gg_var *y = gg_where(gg_and(gg_ge(at, from), gg_le(at, peak)), rise, none);
  y = gg_where(gg_and(gg_ge(at, peak), gg_lt(at, to)), fall, y);
  c->out[0] = gg_cast(y, gg__onnx_dtype(type));
  return GA_NO_ERROR;
}
