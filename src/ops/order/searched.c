/* SPDX-License-Identifier: BSD-2-Clause */
/* Where elements belong among sorted ones. */
#include <gpuarray/search.h>
#include <gpugraph/search.h>
#include <stdio.h>

#include "ops/compose.h"
#include "ops/ops.h"
#include "ops/order/order_word.h"
#include "ops/value_size.h"

enum { EDGES, X };

static int flags_of(const gg_apply *a) {
  const gg__search_props *p = a->props;

  return p->right ? GA_SEARCH_RIGHT : 0;
}

/* --- sizes --- */

/* Each row of x has its own edges if these are no vector. */
static int check_ranks(const gg_apply *a) {
  const unsigned int n = gg__rank(a, EDGES);

  if (n == 1 || (n != 0 && n == gg__rank(a, X)))
    return GA_NO_ERROR;
  if (gg__rank(a, X) < 2)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "the edges have %u dimensions, expected 1", n);
  return gg_op_fail(a, GA_VALUE_ERROR,
                    "the edges have %u dimensions, expected 1 or %u", n,
                    gg__rank(a, X));
}

static int infer_search(const gg_apply *a, gg_type *out) {
  const gg_type *edges = gg_var_type(a->in[EDGES]);

  GA_TRY(check_ranks(a));
  *out = *gg_var_type(a->in[X]);
  out->dtype = GA_LONG;
  for (unsigned int d = 0; d + 1 < edges->nd; d++) {
    const int64_t n = edges->dims[d];
    if (n != GG_ANY && out->dims[d] != GG_ANY && n != out->dims[d])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the edges have %lld, expected %lld", d,
                        (long long)n, (long long)out->dims[d]);
    if (out->dims[d] == GG_ANY && n != 1)
      out->dims[d] = n;
  }
  return GA_NO_ERROR;
}

static int shape_search(const gg_apply *a, const gg_dims *in,
                        const double *const *host, gg_dims *out) {
  (void)host;
  for (unsigned int d = 0; d + 1 < in[EDGES].nd; d++)
    if (in[EDGES].dim[d] != in[X].dim[d])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the edges have %zu, expected %zu", d,
                        in[EDGES].dim[d], in[X].dim[d]);
  *out = in[X];
  return GA_NO_ERROR;
}

/* --- on the device and on the host --- */

static int prepare_search(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out) {
  slot_in[EDGES] = 0;
  slot_in[X] = 1;
  slot_out[0] = 2;
  return GpuArray_searchsorted_prepare(out, p->out[0], p->in[EDGES], p->in[X],
                                       flags_of(p->apply));
}

static int reference_search(const gg_prepare *p) {
  const GpuArray *const edges = p->in[EDGES], *const x = p->in[X];
  const size_t m = edges->dimensions[edges->nd - 1];
  const size_t size = ga__dtype_size(x->typecode);
  const uint64_t right = flags_of(p->apply) != 0;
  const size_t n = x->nd > 0 ? x->dimensions[x->nd - 1] : 1;
  const size_t total = gg__array_count(x);

  for (size_t i = 0; i < total; i++) {
    const char *row =
        (const char *)p->from[EDGES] + (edges->nd > 1 ? i / n * m : 0) * size;
    const uint64_t v =
        gg__order_word(x->typecode, (const char *)p->from[X] + i * size);
    size_t first = 0, left = m;
    while (left > 0) {
      const size_t half = left / 2;
      const uint64_t e =
          gg__order_word(x->typecode, row + (first + half) * size);
      const int is_before = e < v || (right && e == v);
      first += is_before ? half + 1 : 0;
      left = is_before ? left - half - 1 : half;
    }
    ((int64_t *)p->to[0])[i] = (int64_t)first;
  }
  return GA_NO_ERROR;
}

static void print_search(const gg_apply *a, char *buf, size_t bytes) {
  snprintf(buf, bytes, "%s", flags_of(a) ? "right" : "left");
}

const gg_op gg__op_searchsorted = {.name = "searchsorted",
                                   .kind = GG_OP_KERNEL,
                                   .half_ok = 1,
                                   .props_bytes = sizeof(gg__search_props),
                                   .n_out = 1,
                                   .infer = infer_search,
                                   .shape = shape_search,
                                   .connected = gg__not_connected,
                                   .prepare = prepare_search,
                                   .reference = reference_search,
                                   .print = print_search};

/* --- builders --- */

static gg_var *search(const gg_op *op, gg_var *edges, gg_var *x, int right) {
  const gg__search_props p = {right != 0};
  gg_var *in[2] = {edges, x};

  if (!gg__given(op, 2, in))
    return NULL;
  const int dtype = gg__common_dtype_of(2, in);
  for (unsigned int i = 0; i < 2; i++)
    in[i] = gg_cast(in[i], dtype);
  return gg_op_apply(NULL, &gg__op_searchsorted, &p, 2, in);
}

gg_var *gg_searchsorted(gg_var *edges, gg_var *x, int right) {
  return search(&gg__op_searchsorted, edges, x, right);
}

gg_var *gg_bucketize(gg_var *x, gg_var *edges, int right) {
  const gg_op *const op = GG_CALLED("bucketize");
  gg_var *const in[2] = {x, edges};

  if (!gg__given(op, 2, in))
    return NULL;
  if (gg__rank_of(edges) != 1)
    return gg__refuse(op, 2, in, GA_VALUE_ERROR, "the edges are no vector");
  return search(op, edges, x, right);
}

/* --- in texts and files --- */

static const gg_field fields[] = {
    {GG_FIELD("right", FLAG, gg__search_props, right), .optional = 1}};

const gg_op_form gg__forms_searched[] = {
    GG_FORM_PROPS(searchsorted, "XX", fields, check_ranks), GG_FORMS_END};
