/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting, and the positions of the sorted elements. */
#include <gpuarray/sort.h>
#include <gpugraph/complex.h>
#include <gpugraph/gather.h>
#include <gpugraph/sort.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/compose.h"
#include "ops/ops.h"
#include "ops/order/order_word.h"

static int is_argsort(const gg_apply *a) {
  return a->op == &gg__op_argsort;
}

static gg_var *apply(const gg_op *op, gg_var *x, unsigned int axis,
                     int descending) {
  const gg__sort_props p = {axis, descending != 0};

  return gg_op_apply(NULL, op, &p, 1, &x);
}

static int infer_sort(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  if (is_argsort(a))
    out->dtype = GA_LONG;
  return GA_NO_ERROR;
}

static void print_sort(const gg_apply *a, char *buf, size_t bytes) {
  const gg__sort_props *p = a->props;

  snprintf(buf, bytes, "axis=%u%s", p->axis,
           p->descending ? " descending" : "");
}

static int prepare_sort(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  const gg__sort_props *props = p->apply->props;
  const int is_arg = is_argsort(p->apply);

  slot_in[0] = 0;
  slot_out[0] = is_arg ? 2 : 1;
  return GpuArray_sort_prepare(out, is_arg ? NULL : p->out[0],
                               is_arg ? p->out[0] : NULL, p->in[0], props->axis,
                               props->descending ? GA_SORT_DESCENDING : 0);
}

/* --- on the host --- */

/* NaN is last in both orders. */
static uint64_t sort_word(int dtype, const void *from, int descending) {
  const uint64_t word = gg__order_word(dtype, from);
  const int is_nan =
      ga__dtype_kind(dtype) == GA_KIND_FLOAT && word == UINT64_MAX;

  return descending && !is_nan ? ~word : word;
}

/* Sort the row that begins at element `first`. */
static void reference_row(const gg_prepare *p, const gg__host_rows *r,
                          gg__order_item *items, size_t first) {
  const gg__sort_props *props = p->apply->props;
  const int dtype = p->in[0]->typecode;
  const size_t size = ga__dtype_size(dtype);
  const char *from = p->from[0];

  for (size_t i = 0; i < r->n; i++)
    items[i] =
        (gg__order_item){sort_word(dtype, from + (first + i * r->step) * size,
                                   props->descending),
                         i};
  gg__order_items(items, r->n);
  for (size_t i = 0; i < r->n; i++) {
    const size_t to = first + i * r->step;
    if (is_argsort(p->apply))
      ((int64_t *)p->to[0])[to] = (int64_t)items[i].at;
    else
      memcpy((char *)p->to[0] + to * size,
             from + (first + items[i].at * r->step) * size, size);
  }
}

static int reference_sort(const gg_prepare *p) {
  const gg__sort_props *props = p->apply->props;
  const gg__host_rows r = gg__host_rows_of(p->in[0], props->axis);
  gg__order_item *items = ga__calloc(r.n, sizeof *items);

  if (items == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < r.count; i++)
    reference_row(p, &r, items, gg__host_row(&r, i, r.n));
  ga__free(items);
  return GA_NO_ERROR;
}

/* --- derivatives --- */

static gg_var *places_of(const gg_apply *a) {
  const gg__sort_props *p = a->props;

  return apply(&gg__op_argsort, a->in[0], p->axis, p->descending);
}

static int grad_sort(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const gg__sort_props *p = a->props;

  gin[0] = gg_put_along(gg_zeros_like(gout[0]), (int)p->axis, places_of(a),
                        gout[0], GG_PUT_SET);
  return GA_NO_ERROR;
}

static int rop_sort(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  const gg__sort_props *p = a->props;

  dout[0] = gg_take_along(din[0], (int)p->axis, places_of(a));
  return GA_NO_ERROR;
}

const gg_op gg__op_sort = {.name = "sort",
                           .kind = GG_OP_KERNEL,
                           .half_ok = 1,
                           .props_bytes = sizeof(gg__sort_props),
                           .n_out = 1,
                           .infer = infer_sort,
                           .shape = gg__shape_first,
                           .grad = grad_sort,
                           .rop = rop_sort,
                           .prepare = prepare_sort,
                           .reference = reference_sort,
                           .print = print_sort};

const gg_op gg__op_argsort = {.name = "argsort",
                              .kind = GG_OP_KERNEL,
                              .half_ok = 1,
                              .props_bytes = sizeof(gg__sort_props),
                              .n_out = 1,
                              .infer = infer_sort,
                              .shape = gg__shape_first,
                              .connected = gg__not_connected,
                              .prepare = prepare_sort,
                              .reference = reference_sort,
                              .print = print_sort};

/* --- builders --- */

/* Positions sorted by one more key, with the order of equal elements kept. */
static gg_var *sorted_further(gg_var *at, gg_var *key, unsigned int k,
                              int descending) {
  gg_var *const own = gg_take_along(key, (int)k, at);

  return own == NULL
             ? NULL
             : gg_take_along(at, (int)k,
                             apply(&gg__op_argsort, own, k, descending));
}

/* Which parts are NaN: 1 the imaginary one, 2 the real one, 3 both. */
static gg_var *nan_of(gg_var *real, gg_var *imaginary) {
  gg_var *const of_real = gg_cast(gg_ne(real, real), GA_UBYTE);

  return gg_add(gg_add(of_real, of_real),
                gg_cast(gg_ne(imaginary, imaginary), GA_UBYTE));
}

/* The positions of complex numbers in order: by what is NaN, then by real, then
 * by imaginary parts, so the last ones are sorted first. */
static gg_var *complex_places(gg_var *x, unsigned int k, int descending) {
  gg_var *const real = gg_real(x), *imaginary = gg_imag(x);
  gg_var *at = apply(&gg__op_argsort, imaginary, k, descending);

  at = sorted_further(at, real, k, descending);
  return sorted_further(at, nan_of(real, imaginary), k, 0);
}

/* One of the two ops, along a valid axis. */
static gg_var *ordered(const gg_op *op, gg_var *x, unsigned int k,
                       int descending) {
  if (!ga__dtype_is_complex(gg_var_type(x)->dtype))
    return apply(op, x, k, descending);
  gg_var *const at = complex_places(x, k, descending);
  return op == &gg__op_argsort ? at : gg_take_along(x, (int)k, at);
}

static gg_var *sorted(const gg_op *op, gg_var *x, int axis, int descending) {
  unsigned int k;

  if (x == NULL || gg__axis(x, op, axis, &k) != GA_NO_ERROR)
    return NULL;
  return ordered(op, x, k, descending);
}

gg_var *gg_sort(gg_var *x, int axis, int descending) {
  return sorted(&gg__op_sort, x, axis, descending);
}

gg_var *gg_argsort(gg_var *x, int axis, int descending) {
  return sorted(&gg__op_argsort, x, axis, descending);
}

/* Each key keeps the order of those before it, since sorting is stable. */
static gg_var *order_by(unsigned int n, gg_var *const *keys, int axis) {
  gg_var *sizes[GG_MAX_ND];

  gg__sizes_of(keys[0], sizes);
  gg_var *at = gg_argsort(keys[0], axis, 0);
  for (unsigned int i = 1; i < n; i++) {
    gg_var *const key = gg_specify_sizes(keys[i], sizes);
    gg_var *const turn = gg_argsort(gg_take_along(key, axis, at), axis, 0);
    at = gg_take_along(at, axis, turn);
  }
  return at;
}

gg_var *gg_lexsort(unsigned int n, gg_var *const *keys, int axis) {
  static const gg_op op = {.name = "lexsort"};
  unsigned int k;

  if (n == 0 || keys == NULL) {
    ga__fail(GA_VALUE_ERROR, "lexsort: no keys");
    return NULL;
  }
  if (!gg__given(&op, n, keys) ||
      gg__axis(keys[0], &op, axis, &k) != GA_NO_ERROR)
    return NULL;
  for (unsigned int i = 1; i < n; i++)
    if (gg__rank_of(keys[i]) != gg__rank_of(keys[0]))
      return gg__refuse(&op, n, keys, GA_VALUE_ERROR,
                        "key %u has %u dimensions, expected %u", i,
                        gg__rank_of(keys[i]), gg__rank_of(keys[0]));
  gg_graph *const g = gg_var_graph(keys[0]);
  const gg_parts *outer =
      gg_parts_begin(g, &op, n, keys, "keys have equal sizes");
  return gg_parts_end(g, outer, order_by(n, keys, (int)k));
}

/* v, whose sizes are those of the keys, in the order of positions `at`. */
static gg_var *following(gg_var *v, gg_var *keys, gg_var *at, unsigned int k) {
  gg_var *sizes[GG_MAX_ND];

  gg__sizes_of(keys, sizes);
  v = v != keys ? gg_specify_sizes(v, sizes) : v;
  return gg_take_along(v, (int)k, at);
}

gg_var *gg_sort_by(gg_var **out, gg_var *keys, unsigned int n,
                   gg_var *const *values, int axis, int descending) {
  const gg_op *const op = GG_CALLED("sort_by");
  unsigned int k;

  for (unsigned int i = 0; i < n; i++)
    out[i] = NULL;
  if (!gg__given_beside(op, keys, n, values) || !gg__given(op, n, values) ||
      gg__axis(keys, op, axis, &k) != GA_NO_ERROR)
    return NULL;
  for (unsigned int i = 0; i < n; i++)
    if (gg__rank_of(values[i]) != gg__rank_of(keys))
      return gg__refuse(op, n, values, GA_VALUE_ERROR,
                        "values %u have %u dimensions, the keys %u", i,
                        gg__rank_of(values[i]), gg__rank_of(keys));
  gg_var *const at = gg_argsort(keys, (int)k, descending);
  gg_var *const sorted = following(keys, keys, at, k);
  gg_var *last = sorted;
  for (unsigned int i = 0; i < n && last != NULL; i++)
    last = out[i] = following(values[i], keys, at, k);
  for (unsigned int i = 0; i < n && last == NULL; i++)
    out[i] = NULL;
  return last != NULL ? sorted : NULL;
}

/* --- in texts and files --- */

static int check_sort(const gg_apply *a) {
  const gg__sort_props *p = a->props;

  return gg__check_axis_of(a, 0, p->axis);
}

static const gg_field fields[] = {
    {GG_FIELD("axis", UINT, gg__sort_props, axis)},
    {GG_FIELD("descending", FLAG, gg__sort_props, descending), .optional = 1}};

const gg_op_form gg__forms_sorted[] = {
    GG_FORM_PROPS(sort, "x", fields, check_sort),
    GG_FORM_PROPS(argsort, "x", fields, check_sort), GG_FORMS_END};
