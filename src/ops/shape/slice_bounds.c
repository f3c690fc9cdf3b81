/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of an axis that a slice has. */
#include "ops/shape/slice_bounds.h"

#include <gpugraph/sizes.h>
#include <stdio.h>
#include <string.h>

/* --- Python's rules --- */

void gg__slice_resolve(const gg__slice_props *p, int64_t n, int64_t *first,
                       int64_t *count) {
  const int64_t lo = p->step > 0 ? 0 : -1; /* bounds are clipped to [lo, hi] */
  const int64_t hi = p->step > 0 ? n : n - 1;
  int64_t start = p->start, stop = p->stop;

  if (start == GG_END)
    start = p->step > 0 ? lo : hi;
  else if (start < 0)
    start += n;
  if (stop == GG_END)
    stop = p->step > 0 ? hi : lo;
  else if (stop < 0)
    stop += n;
  start = start < lo ? lo : start > hi ? hi : start;
  stop = stop < lo ? lo : stop > hi ? hi : stop;
  *first = start;
  if (p->step > 0)
    *count = stop > start ? (stop - start - 1) / p->step + 1 : 0;
  else
    *count = start > stop ? (start - stop - 1) / -p->step + 1 : 0;
}

int gg__read_number(const gg_apply *a, const char *what, const double *number,
                    int64_t *out) {
  if (number == NULL)
    return gg_op_fail(a, GA_VALUE_ERROR, "the %s is not known before the call",
                      what);
  /* 2^63 and more is beyond any axis. */
  *out = *number < 9223372036854775808.0 ? (int64_t)*number : INT64_MAX;
  return GA_NO_ERROR;
}

static int read_bounds(const gg_apply *a, const double *const *number,
                       gg__slice_props *out) {
  const gg__axis_props *p = a->props;

  *out = (gg__slice_props){.axis = p->axis};
  GA_TRY(gg__read_number(a, "start", number[0], &out->start));
  GA_TRY(gg__read_number(a, "stop", number[1], &out->stop));
  GA_TRY(gg__read_number(a, "step", number[2], &out->step));
  if (out->step == 0 || out->step == GG_END)
    return gg_op_fail(a, GA_VALUE_ERROR, "the step is %lld",
                      (long long)out->step);
  return GA_NO_ERROR;
}

int gg__slice_of(const gg_apply *a, const double *const *number,
                 gg__slice_props *out) {
  if (a->op->number_only != 0)
    return read_bounds(a, number + a->n_in - 3, out);
  *out = *(const gg__slice_props *)a->props;
  return GA_NO_ERROR;
}

size_t gg__offset_by(const GpuArray *in, int64_t by) {
  for (unsigned int i = 0; i < in->nd; i++)
    if (in->dimensions[i] == 0)
      return in->offset;
  return (size_t)((int64_t)in->offset + by);
}

int gg__slice_view(const gg__slice_props *p, const GpuArray *in,
                   GpuArray *out) {
  size_t dims[GG_MAX_ND];
  ssize_t strides[GG_MAX_ND];
  int64_t first, count;
  size_t off = in->offset;

  gg__slice_resolve(p, (int64_t)in->dimensions[p->axis], &first, &count);
  for (unsigned int i = 0; i < in->nd; i++) {
    dims[i] = in->dimensions[i];
    strides[i] = in->strides[i];
  }
  if (count > 0)
    off = gg__offset_by(in, first * in->strides[p->axis]);
  dims[p->axis] = (size_t)count;
  if (count > 1) /* then |step| is less than the size, and the product fits */
    strides[p->axis] *= (ssize_t)p->step;
  return GpuArray_fromdata(out, in->data, off, in->typecode, in->nd, dims,
                           strides, GpuArray_ISWRITEABLE(in));
}

int gg__slice_sizes(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out) {
  gg__slice_props p;
  int64_t first, count;

  GA_TRY(gg__slice_of(a, host, &p));
  *out = in[0];
  gg__slice_resolve(&p, (int64_t)in[0].dim[p.axis], &first, &count);
  out->dim[p.axis] = (size_t)count;
  return GA_NO_ERROR;
}

/* --- for builders --- */

int gg__slice_check(const gg_apply *a) {
  const gg__slice_props *p = a->props;

  if (p->step == 0 || p->step == GG_END)
    return gg_op_fail(a, GA_VALUE_ERROR, "the step must not be 0");
  return gg__check_axis_of(a, 0, p->axis);
}

int gg__slice_bounds(const gg_op *op, gg_var *x, gg_var *start, gg_var *stop,
                     gg_var *step, gg_var **out) {
  static const int64_t open[3] = {GG_END, GG_END, 1};
  gg_var *const given[3] = {start, stop, step};

  for (unsigned int i = 0; i < 3; i++) {
    out[i] = given[i] != NULL ? given[i] : gg_i64(gg_var_graph(x), open[i]);
    if (out[i] == NULL || !gg__check_number(op, x, out[i]))
      return 0;
    out[i] = gg_element(out[i], 0);
  }
  return 1;
}

/* A constant scalar whose value is about x. */
static int64_t exactly(const gg_var *v, double x) {
  int64_t i;

  if (gg_var_type(v)->dtype != GA_LONG)
    return x < 9223372036854775808.0 ? (int64_t)x : INT64_MAX;
  memcpy(&i, gg_var_data(v), sizeof i);
  return i;
}

int gg__slice_known(gg_var *const *v, int64_t *out) {
  double x = 0;

  for (unsigned int i = 0; i < 3; i++) {
    if (!gg_var_uniform(v[i], &x))
      return 0;
    out[i] = exactly(v[i], x);
  }
  return 1;
}

/* --- printing --- */

static size_t print_end(char *buf, size_t bytes, const char *before,
                        int64_t end) {
  int k;

  if (end == GG_END)
    k = snprintf(buf, bytes, "%s", before);
  else
    k = snprintf(buf, bytes, "%s%lld", before, (long long)end);
  return k > 0 ? (size_t)k : 0;
}

void gg__slice_print(const gg_apply *a, char *buf, size_t bytes) {
  const gg__slice_props *p = a->props;
  size_t n = 0;
  int k;

  k = snprintf(buf, bytes, "axis=%lld ", (long long)p->axis);
  n += k > 0 ? (size_t)k : 0;
  if (n < bytes)
    n += print_end(buf + n, bytes - n, "", p->start);
  if (n < bytes)
    n += print_end(buf + n, bytes - n, ":", p->stop);
  if (n < bytes && p->step != 1)
    print_end(buf + n, bytes - n, ":", p->step);
}
