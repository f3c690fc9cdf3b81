/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements that are not 0 or under a mask, in order: the positions, or the
 * elements, of as many as an input says. */
#include <gpuarray/select.h>
#include <gpugraph/select.h>
#include <stdio.h>
#include <string.h>

#include "ops/compose.h"
#include "ops/ops.h"
#include "ops/value_size.h"

#define MOST_ROWS 9007199254740992.0 /* 2^53: doubles below it are exact */

static int is_compress(const gg_apply *a) {
  return a->op == &gg__op_compress;
}

/* The index of the mask; the bound follows. */
static unsigned int mask_of(const gg_apply *a) {
  return is_compress(a) ? 1 : 0;
}

/* --- sizes --- */

static int check_rows(const gg_apply *a, double n) {
  if (!(n >= 0 && n < MOST_ROWS))
    return gg_op_fail(a, GA_VALUE_ERROR, "%.0f is not a number of rows", n);
  return GA_NO_ERROR;
}

/* Rows that are the constant 1 are no axis that broadcasts. */
static int infer_rows(const gg_apply *a, int64_t *rows) {
  double n = 0;

  *rows = GG_ANY;
  if (!gg_var_uniform(a->in[mask_of(a) + 1], &n))
    return GA_NO_ERROR;
  GA_TRY(check_rows(a, n));
  *rows = n != 1 ? (int64_t)n : GG_ANY;
  return GA_NO_ERROR;
}

static int infer_selected(const gg_apply *a, gg_type *out) {
  const gg__positions_props *p = is_compress(a) ? NULL : a->props;
  const gg_type *x = gg_var_type(a->in[0]);

  out->dtype = is_compress(a) ? x->dtype : GA_LONG;
  out->nd = p != NULL && p->coordinates ? 2 : 1;
  GA_TRY(infer_rows(a, &out->dims[0]));
  out->dims[1] = out->nd == 2 ? x->nd : 0;
  if (!gg__sizes_fit(out->nd, out->dims))
    return gg_op_fail(a, GA_XLARGE_ERROR, "the result is too large");
  return GA_NO_ERROR;
}

static int shape_selected(const gg_apply *a, const gg_dims *in,
                          const double *const *host, gg_dims *out) {
  const double *const n = host[mask_of(a) + 1];
  const gg_type *t = gg_var_type(a->out[0]);

  if (n == NULL)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the number of rows is not known before the call");
  GA_TRY(check_rows(a, *n));
  for (unsigned int d = 0; is_compress(a) && d < in[0].nd; d++)
    if (in[0].dim[d] != in[1].dim[d])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: x has %zu, the mask has %zu", d, in[0].dim[d],
                        in[1].dim[d]);
  out->nd = t->nd;
  out->dim[0] = (size_t)*n;
  out->dim[1] = in[0].nd;
  return GA_NO_ERROR;
}

static int not_connected_to_mask(const gg_apply *a, unsigned int in,
                                 unsigned int out) {
  (void)a;
  (void)out;
  return in == 0;
}

/* --- on the host --- */

static int counts(const GpuArray *x, const char *from, size_t i) {
  const int is_complex = ga__dtype_is_complex(x->typecode);
  const int dtype = is_complex ? ga__dtype_real(x->typecode) : x->typecode;
  const size_t size = ga__dtype_size(dtype);
  const char *at = from + i * ga__dtype_size(x->typecode);

  return ga__dtype_to_double(dtype, at) != 0 ||
         (is_complex && ga__dtype_to_double(dtype, at + size) != 0);
}

static void write_position(int64_t *to, const GpuArray *x, size_t i,
                           int coordinates) {
  if (!coordinates)
    *to = (int64_t)i;
  for (unsigned int d = x->nd; coordinates && d-- > 0;) {
    to[d] = (int64_t)(i % x->dimensions[d]);
    i /= x->dimensions[d];
  }
}

static int reference_positions(const gg_prepare *p) {
  const gg__positions_props *props = p->apply->props;
  const GpuArray *const x = p->in[0];
  const size_t n = gg__array_count(x);
  const size_t rows = p->out[0]->dimensions[0];
  const size_t width = props->coordinates ? x->nd : 1;
  int64_t *const to = p->to[0];
  size_t k = 0;

  for (size_t i = 0; i < rows * width; i++)
    to[i] = props->fill;
  for (size_t i = 0; i < n; i++)
    if (k < rows && counts(x, p->from[0], i))
      write_position(to + k++ * width, x, i, (int)props->coordinates);
  return GA_NO_ERROR;
}

static int reference_compress(const gg_prepare *p) {
  const size_t size = ga__dtype_size(p->in[0]->typecode);
  const size_t n = gg__array_count(p->in[0]);
  const size_t rows = p->out[0]->dimensions[0];
  size_t k = 0;

  memset(p->to[0], 0, rows * size);
  for (size_t i = 0; i < n; i++)
    if (k < rows && counts(p->in[1], p->from[1], i))
      memcpy((char *)p->to[0] + k++ * size, (const char *)p->from[0] + i * size,
             size);
  return GA_NO_ERROR;
}

/* --- positions --- */

static void print_positions(const gg_apply *a, char *buf, size_t bytes) {
  const gg__positions_props *p = a->props;

  snprintf(buf, bytes, "fill=%lld%s", (long long)p->fill,
           p->coordinates ? " coordinates" : "");
}

static int prepare_positions(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                             int *slot_out) {
  const gg__positions_props *props = p->apply->props;

  slot_out[0] = 0;
  slot_in[0] = 2;
  return GpuArray_nonzero_prepare(out, p->out[0], NULL, p->in[0], props->fill);
}

const gg_op gg__op_positions_of = {.name = "positions_of",
                                   .kind = GG_OP_KERNEL,
                                   .complex_use = GG_PARTS,
                                   .half_ok = 1,
                                   .c_order = 1,
                                   .props_bytes = sizeof(gg__positions_props),
                                   .n_out = 1,
                                   .number_only = 1u << 1,
                                   .infer = infer_selected,
                                   .shape = shape_selected,
                                   .connected = gg__not_connected,
                                   .prepare = prepare_positions,
                                   .reference = reference_positions,
                                   .print = print_positions};

/* --- compress --- */

static int prepare_compress(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                            int *slot_out) {
  slot_out[0] = 0;
  slot_in[0] = 2;
  slot_in[1] = 3;
  return GpuArray_compress_prepare(out, p->out[0], NULL, p->in[0], p->in[1],
                                   NULL);
}

static gg_var *positions(gg_var *x, gg_var *n, int64_t fill, int coordinates) {
  const gg__positions_props p = {fill, coordinates};

  return gg_op_apply(NULL, &gg__op_positions_of, &p, 2, (gg_var *[]){x, n});
}

/* The gradients of rows that were filled go to an element behind the last one
 * of x, which is cut off. */
static int grad_compress(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gg_var *const x = a->in[0];
  gg_var *const n = gg_add(gg_size(x), gg__whole_number(x, 1));
  gg_var *const at = positions(a->in[1], a->in[2], -1, 0);
  gg_var *sizes[GG_MAX_ND];

  gg_var *const g =
      gg_put(gg_alloc(gg__num(gout[0], 0), 1, &n), 0, at, gout[0]);
  gg__sizes_of(x, sizes);
  gin[0] = gg_reshape_sizes(gg_slice(g, 0, 0, -1, 1), gg__rank_of(x), sizes);
  return GA_NO_ERROR;
}

static int rop_compress(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const in[3] = {din[0], a->in[1], a->in[2]};

  if (din[0] != NULL)
    dout[0] = gg_op_apply(NULL, &gg__op_compress, NULL, 3, in);
  return GA_NO_ERROR;
}

const gg_op gg__op_compress = {.name = "compress",
                               .kind = GG_OP_KERNEL,
                               .complex_use = GG_PARTS,
                               .half_ok = 1,
                               .c_order = 1,
                               .n_out = 1,
                               .number_only = 1u << 2,
                               .infer = infer_selected,
                               .shape = shape_selected,
                               .grad = grad_compress,
                               .rop = rop_compress,
                               .connected = not_connected_to_mask,
                               .prepare = prepare_compress,
                               .reference = reference_compress};

/* --- builders --- */

/* Set *count, unless `count` is NULL, to how many elements of x are not 0. */
static void set_count(gg_var *x, gg_var **count) {
  if (count != NULL)
    *count = x != NULL ? gg__count_of(x) : NULL;
}

static gg_var *bounded(gg_var *x, gg_var *n, int64_t fill, int coordinates,
                       gg_var **count) {
  gg_var *const in[2] = {x, n};

  set_count(x, count);
  if (!gg__given(&gg__op_positions_of, 2, in) ||
      !gg__check_number(&gg__op_positions_of, x, n))
    return NULL;
  return positions(x, n, fill, coordinates);
}

gg_var *gg_nonzero_bounded(gg_var *x, gg_var *n, int64_t fill, gg_var **count) {
  return bounded(x, n, fill, 1, count);
}

gg_var *gg_flatnonzero_bounded(gg_var *x, gg_var *n, int64_t fill,
                               gg_var **count) {
  return bounded(x, n, fill, 0, count);
}

static int check_mask(const gg_op *op, gg_var *x, gg_var *mask) {
  if (gg_var_type(x)->nd == gg_var_type(mask)->nd)
    return 1;
  gg__refuse(op, 1, &x, GA_VALUE_ERROR, "x has %u dimensions, the mask has %u",
             gg_var_type(x)->nd, gg_var_type(mask)->nd);
  return 0;
}

gg_var *gg_compress_bounded(gg_var *x, gg_var *mask, gg_var *n,
                            gg_var **count) {
  gg_var *const in[3] = {x, mask, n};

  set_count(mask, count);
  if (!gg__given(&gg__op_compress, 3, in) ||
      !gg__check_number(&gg__op_compress, x, n) ||
      !check_mask(&gg__op_compress, x, mask))
    return NULL;
  return gg_op_apply(NULL, &gg__op_compress, NULL, 3, in);
}

/* --- in texts and files --- */

static int check_compress(const gg_apply *a) {
  return gg__check_ranks(a, 0, 1);
}

static int check_positions(const gg_apply *a) {
  const gg__positions_props *p = a->props;

  if (p->coordinates != 0 && p->coordinates != 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "coordinates is %lld, expected 0 or 1",
                      (long long)p->coordinates);
  return GA_NO_ERROR;
}

static const gg_field fields[] = {
    {GG_FIELD("fill", INT64, gg__positions_props, fill)},
    {GG_FIELD("coordinates", INT64, gg__positions_props, coordinates)}};

const gg_op_form gg__forms_masked[] = {
    GG_FORM_PROPS(positions_of, "xi0", fields, check_positions),
    GG_FORM(compress, "xxi0", check_compress), GG_FORMS_END};
