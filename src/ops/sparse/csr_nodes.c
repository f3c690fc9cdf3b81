/* SPDX-License-Identifier: BSD-2-Clause */
/* The product of a sparse matrix with a vector or a dense matrix. */
#include <gpugraph/sparse.h>
#include <string.h>

#include "ops/sparse/csr.h"
#include "ops/value_size.h"

enum { STARTS, COLUMNS, VALUES, B, OPERANDS };

/* --- types and sizes --- */

static int is_index(const gg_type *t) {
  return t->nd == 1 && (t->dtype == GA_INT || t->dtype == GA_LONG);
}

static int check_dot(const gg_apply *a) {
  const gg_type *starts = gg_var_type(a->in[STARTS]);
  const gg_type *columns = gg_var_type(a->in[COLUMNS]);
  const gg_type *values = gg_var_type(a->in[VALUES]);
  const gg_type *b = gg_var_type(a->in[B]);

  if (!is_index(starts) || !is_index(columns) ||
      starts->dtype != columns->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "expected starts and columns, vectors of int32 or int64");
  if (starts->dims[0] == 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "there are no starts");
  if (values->nd != 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "the values are no vector");
  if (values->dims[0] != GG_ANY && columns->dims[0] != GG_ANY &&
      values->dims[0] != columns->dims[0])
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld values, but %lld columns",
                      (long long)values->dims[0], (long long)columns->dims[0]);
  if (b->nd != 1 && b->nd != 2)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the dense operand has %u dimensions, expected 1 or 2",
                      b->nd);
  if (values->dtype != b->dtype || gg__float_dtype(b->dtype) != b->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the values are %s, the dense operand %s",
                      ga__dtype_name(values->dtype), ga__dtype_name(b->dtype));
  return GA_NO_ERROR;
}

static int infer_dot(const gg_apply *a, gg_type *out) {
  GA_TRY(check_dot(a));
  const int64_t n = gg_var_type(a->in[STARTS])->dims[0];
  *out = *gg_var_type(a->in[B]);
  out->dims[0] = n == GG_ANY ? GG_ANY : n - 1;
  if (!gg__sizes_fit(out->nd, out->dims))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the result is too large");
  return GA_NO_ERROR;
}

static int shape_dot(const gg_apply *a, const gg_dims *in,
                     const double *const *host, gg_dims *out) {
  (void)host;
  if (in[STARTS].dim[0] == 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "there are no starts");
  if (in[VALUES].dim[0] != in[COLUMNS].dim[0])
    return gg_op_fail(a, GA_VALUE_ERROR, "%zu values, but %zu columns",
                      in[VALUES].dim[0], in[COLUMNS].dim[0]);
  if (in[B].dim[0] == 0 && in[VALUES].dim[0] > 0)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the matrix has %zu entries, but no columns",
                      in[VALUES].dim[0]);
  *out = in[B];
  out->dim[0] = in[STARTS].dim[0] - 1;
  if (!gg__dims_fit(out))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the result is too large");
  return GA_NO_ERROR;
}

/* --- derivatives --- */

static gg_var *dot(gg_csr m, gg_var *b) {
  gg_var *const in[OPERANDS] = {m.starts, m.columns, m.values, b};

  return gg__apply_checked(&gg__op_csr_dot, NULL, OPERANDS, in, check_dot);
}

static int connected_dot(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)out;
  return in == VALUES || in == B;
}

static gg_csr matrix_of(const gg_apply *a) {
  return (gg_csr){a->in[STARTS], a->in[COLUMNS], a->in[VALUES],
                  gg_shape(a->in[B], 0)};
}

static int grad_dot(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  if (gout[0] == NULL)
    return GA_NO_ERROR;
  const gg_csr m = matrix_of(a), t = gg_csr_transpose(m);
  gin[VALUES] = gg__csr_sample(m, gout[0], a->in[B]);
  gin[B] = dot(t, gout[0]);
  return GA_NO_ERROR;
}

static int rop_dot(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_csr m = matrix_of(a);

  if (din[B] != NULL)
    dout[0] = dot(m, din[B]);
  if (din[VALUES] == NULL)
    return GA_NO_ERROR;
  m.values = din[VALUES];
  gg_var *const d = dot(m, a->in[B]);
  dout[0] = dout[0] != NULL ? gg_add(dout[0], d) : d;
  return GA_NO_ERROR;
}

/* --- on the device and on the host --- */

static int prepare_dot(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  const GpuCsr m = {.n_rows = p->out[0]->dimensions[0],
                    .n_columns = p->in[B]->dimensions[0],
                    .starts = *p->in[STARTS],
                    .columns = *p->in[COLUMNS],
                    .values = *p->in[VALUES]};

  for (int i = 0; i < OPERANDS; i++)
    slot_in[i] = i;
  slot_out[0] = OPERANDS;
  return GpuCsr_dot_prepare(out, p->out[0], &m, p->in[B]);
}

static int64_t integer_at(const gg_prepare *p, unsigned int k, size_t i) {
  return p->in[k]->typecode == GA_INT ? ((const int32_t *)p->from[k])[i]
                                      : ((const int64_t *)p->from[k])[i];
}

/* Part `at` of element i: of complex numbers 0 is the real one. */
static double number_at(const gg_prepare *p, unsigned int k, size_t i,
                        size_t at) {
  const int dtype = p->in[k]->typecode, real = ga__dtype_real(dtype);
  const size_t parts = ga__dtype_is_complex(dtype) ? 2 : 1;

  return at < parts ? ga__dtype_to_double(real, (const char *)p->from[k] +
                                                    (parts * i + at) *
                                                        ga__dtype_size(real))
                    : 0;
}

/* Add entry e times row j of b to column c of a row. */
static void add_entry(double *sum, const gg_prepare *p, size_t e, size_t j) {
  const double vr = number_at(p, VALUES, e, 0), vi = number_at(p, VALUES, e, 1);
  const double br = number_at(p, B, j, 0), bi = number_at(p, B, j, 1);

  sum[0] += vi != 0 || bi != 0 ? vr * br - vi * bi : vr * br;
  sum[1] += vi != 0 || bi != 0 ? vr * bi + vi * br : 0;
}

static int reference_dot(const gg_prepare *p) {
  const GpuArray *const y = p->out[0];
  const size_t rows = y->dimensions[0], n = y->nd > 1 ? y->dimensions[1] : 1;
  const int real = ga__dtype_real(y->typecode);
  const size_t parts = ga__dtype_is_complex(y->typecode) ? 2 : 1;
  const int64_t last = (int64_t)p->in[B]->dimensions[0] - 1;
  const int64_t most = (int64_t)p->in[COLUMNS]->dimensions[0];

  for (size_t i = 0; i < rows * n; i++) {
    const int64_t from = integer_at(p, STARTS, i / n);
    const int64_t to = integer_at(p, STARTS, i / n + 1);
    double sum[2] = {0, 0};

    for (int64_t e = from < 0 ? 0 : from; e < to && e < most; e++) {
      const int64_t j = integer_at(p, COLUMNS, (size_t)e);
      const size_t row = (size_t)(j < 0 || j > last ? last : j);
      add_entry(sum, p, (size_t)e, row * n + i % n);
    }
    for (size_t at = 0; at < parts; at++)
      ga__dtype_from_double(
          real, (char *)p->to[0] + (parts * i + at) * ga__dtype_size(real),
          sum[at]);
  }
  return GA_NO_ERROR;
}

const gg_op gg__op_csr_dot = {.name = "csr_dot",
                              .kind = GG_OP_KERNEL,
                              .complex_use = GG_ANALYTIC,
                              .n_out = 1,
                              .infer = infer_dot,
                              .shape = shape_dot,
                              .grad = grad_dot,
                              .rop = rop_dot,
                              .connected = connected_dot,
                              .prepare = prepare_dot,
                              .reference = reference_dot};

/* --- builders --- */

gg_var *gg_csr_dot(gg_csr m, gg_var *b) {
  const gg_op *const op = GG_CALLED("csr_dot");

  if (!gg__given(op, 2, (gg_var *[]){m.values, b}) || !gg__take_csr(op, &m) ||
      !gg__as_floats(&m.values, &b))
    return NULL;
  if (gg__rank_of(b) == 1 || gg__rank_of(b) == 2)
    b = gg__sized(op, b, 0, m.n_columns);
  return b != NULL ? dot(m, b) : NULL;
}

gg_var *gg_dot_csr(gg_var *b, gg_csr m) {
  const gg_op *const op = GG_CALLED("dot_csr");

  if (!gg__given(op, 2, (gg_var *[]){m.values, b}) || !gg__take_csr(op, &m))
    return NULL;
  const unsigned int nd = gg__rank_of(b);
  if (nd != 1 && nd != 2)
    return gg__refuse(op, 1, &b, GA_VALUE_ERROR,
                      "the dense operand has %u dimensions, expected 1 or 2",
                      nd);
  b = gg__sized(op, b, nd - 1, gg__csr_n_rows(m));
  if (b == NULL)
    return NULL;
  const gg_csr t = gg_csr_transpose(m);
  return nd == 1 ? gg_csr_dot(t, b)
                 : gg_transpose(gg_csr_dot(t, gg_transpose(b)));
}

/* --- in texts and files --- */

const gg_op_form gg__forms_csr_nodes[] = {
    GG_FORM(csr_dot, "i1i1n1n", check_dot), GG_FORMS_END};
