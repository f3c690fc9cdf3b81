/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions: the elements of some ranks are where sorting puts them. */
#include <gpuarray/sort.h>
#include <gpugraph/gather.h>
#include <gpugraph/sizes.h>
#include <gpugraph/sort.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/compose.h"
#include "ops/order/order_word.h"
#include "ops/shape/slice_bounds.h"

static unsigned int axis_of(const gg_apply *a) {
  return ((const gg__axis_props *)a->props)->axis;
}

static unsigned int n_ranks(const gg_apply *a) {
  return a->n_in - 1;
}

/* --- ranks --- */

/* Read rank i of an axis of n elements, counted from 0; n is GG_ANY if
 * unknown. */
static int read_rank(const gg_apply *a, const double *number, int64_t n,
                     size_t *rank) {
  int64_t k;

  GA_TRY(gg__read_number(a, "rank", number, &k));
  if (n != GG_ANY && (k < -n || k >= n))
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "rank %lld of an axis of %lld elements", (long long)k,
                      (long long)n);
  *rank = (size_t)(k < 0 ? k + n : k);
  return GA_NO_ERROR;
}

/* The ranks of a node, which the caller frees. */
static int read_ranks(const gg_prepare *p, size_t **ranks) {
  const int64_t n = (int64_t)p->in[0]->dimensions[axis_of(p->apply)];
  int err = GA_NO_ERROR;

  *ranks = ga__calloc(n_ranks(p->apply), sizeof **ranks);
  if (*ranks == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < n_ranks(p->apply) && err == GA_NO_ERROR; i++)
    err = read_rank(p->apply, p->number[i + 1], n, &(*ranks)[i]);
  if (err != GA_NO_ERROR)
    ga__free(*ranks);
  return err;
}

static int infer(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]);
  size_t rank;
  double k;

  for (unsigned int i = 1; i < a->n_in; i++)
    if (gg_var_uniform(a->in[i], &k))
      GA_TRY(read_rank(a, &k, x->dims[axis_of(a)], &rank));
  out[0] = out[1] = *x;
  out[1].dtype = GA_LONG;
  return GA_NO_ERROR;
}

static int shape(const gg_apply *a, const gg_dims *in,
                 const double *const *host, gg_dims *out) {
  const int64_t n = (int64_t)in[0].dim[axis_of(a)];
  size_t rank;

  for (unsigned int i = 1; i < a->n_in; i++)
    GA_TRY(read_rank(a, host[i], n, &rank));
  out[0] = out[1] = in[0];
  return GA_NO_ERROR;
}

/* --- on the device --- */

static int prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                   int *slot_out) {
  size_t *ranks;

  GA_TRY(read_ranks(p, &ranks));
  slot_in[0] = 0;
  const int err =
      GpuArray_partition_prepare(out, gg__wanted_output(p, 0, 1, slot_out),
                                 gg__wanted_output(p, 1, 2, slot_out), p->in[0],
                                 n_ranks(p->apply), ranks, axis_of(p->apply));
  ga__free(ranks);
  return err;
}

/* --- on the host --- */

typedef struct partition {
  gg__host_rows rows;
  unsigned int n;
  const size_t *ranks;
  gg__order_item *items; /* of one row */
} partition;

/* The number of the class of an element: how many pivots are smaller, and how
 * many are not larger, together. */
static uint64_t class_of(uint64_t word, unsigned int n,
                         const uint64_t *pivots) {
  uint64_t c = 0;

  for (unsigned int i = 0; i < n; i++)
    c += (uint64_t)(word > pivots[i]) + (uint64_t)(word >= pivots[i]);
  return c;
}

/* Put sorted items in the order of a partition. */
static void split_items(const partition *s) {
  uint64_t pivots[GA_PARTITION_RANKS];

  for (unsigned int i = 0; i < s->n; i++)
    pivots[i] = s->items[s->ranks[i]].word;
  for (size_t i = 0; i < s->rows.n; i++)
    s->items[i].word = class_of(s->items[i].word, s->n, pivots);
  gg__order_items(s->items, s->rows.n);
}

/* Partition the row that begins at element `first`. */
static void split_row(const gg_prepare *p, const partition *s, size_t first) {
  const int dtype = p->in[0]->typecode;
  const size_t size = ga__dtype_size(dtype), step = s->rows.step;
  const char *from = p->from[0];

  for (size_t i = 0; i < s->rows.n; i++)
    s->items[i] = (gg__order_item){
        gg__order_word(dtype, from + (first + i * step) * size), i};
  gg__order_items(s->items, s->rows.n);
  if (s->rows.n > GA_PARTITION_SORTED && s->n <= GA_PARTITION_RANKS)
    split_items(s);
  for (size_t i = 0; i < s->rows.n; i++) {
    const size_t at = s->items[i].at, k = first + i * step;
    memcpy((char *)p->to[0] + k * size, from + (first + at * step) * size,
           size);
    ((int64_t *)p->to[1])[k] = (int64_t)at;
  }
}

static int reference(const gg_prepare *p) {
  partition s = {.rows = gg__host_rows_of(p->in[0], axis_of(p->apply)),
                 .n = n_ranks(p->apply)};
  size_t *ranks;

  GA_TRY(read_ranks(p, &ranks));
  s.ranks = ranks;
  s.items = ga__calloc(s.rows.n, sizeof *s.items);
  for (size_t i = 0; s.items != NULL && i < s.rows.count; i++)
    split_row(p, &s, gg__host_row(&s.rows, i, s.rows.n));
  const int err = s.items != NULL ? GA_NO_ERROR : ga__fail_nomem();
  ga__free(s.items);
  ga__free(ranks);
  return err;
}

/* --- derivatives --- */

static int connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  return in == 0 && out == 0;
}

static int grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  if (gout[0] != NULL)
    gin[0] = gg_put_along(gg_zeros_like(gout[0]), (int)axis_of(a), a->out[1],
                          gout[0], GG_PUT_SET);
  return GA_NO_ERROR;
}

static int rop(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  if (din[0] != NULL)
    dout[0] = gg_take_along(din[0], (int)axis_of(a), a->out[1]);
  return GA_NO_ERROR;
}

const gg_op gg__op_partition = {.name = "partition",
                                .kind = GG_OP_KERNEL,
                                .half_ok = 1,
                                .props_bytes = sizeof(gg__axis_props),
                                .n_out = 2,
                                .number_only = ~1u,
                                .infer = infer,
                                .shape = shape,
                                .grad = grad,
                                .rop = rop,
                                .connected = connected,
                                .prepare = prepare,
                                .reference = reference,
                                .print = gg__axis_print};

/* --- builders: complex numbers are sorted, once the node has checked the
 * ranks --- */

/* Output `which` of a partition of x by ranks that are scalars. */
static gg_var *apply(gg_var *x, unsigned int n, gg_var *const *ranks,
                     unsigned int axis, unsigned int which) {
  const gg__axis_props p = {axis};
  gg_var **in = ga__calloc((size_t)n + 1, sizeof(gg_var *));

  if (in == NULL)
    return gg__refuse(&gg__op_partition, 1, &x, GA_MEMORY_ERROR,
                      "%u ranks do not fit", n);
  in[0] = x;
  for (unsigned int i = 0; i < n; i++)
    in[i + 1] = gg_element(ranks[i], 0);
  gg_var *const v = gg_op_apply(NULL, &gg__op_partition, &p, n + 1, in);
  ga__free(in);
  return v != NULL ? gg_var_owner(v)->out[which] : NULL;
}

static gg_var *partitioned(gg_var *x, unsigned int n, gg_var *const *ranks,
                           int axis, unsigned int which) {
  const gg_op *const op = &gg__op_partition;
  unsigned int k;

  if (!gg__given_beside(op, x, ranks != NULL ? n : 0, ranks) ||
      !gg__listed(op, x, n, ranks) || gg__axis(x, op, axis, &k) != GA_NO_ERROR)
    return NULL;
  if (n == 0)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "there are no ranks");
  for (unsigned int i = 0; i < n; i++)
    if (!gg__given(op, 2, (gg_var *[]){x, ranks[i]}) ||
        !gg__check_number(op, x, ranks[i]))
      return NULL;
  gg_var *const v = apply(x, n, ranks, k, which);
  if (v == NULL || !ga__dtype_is_complex(gg_var_type(x)->dtype))
    return v;
  return which == 0 ? gg_sort(x, (int)k, 0) : gg_argsort(x, (int)k, 0);
}

gg_var *gg_partition_ranks(gg_var *x, unsigned int n, gg_var *const *ranks,
                           int axis) {
  return partitioned(x, n, ranks, axis, 0);
}

gg_var *gg_argpartition_ranks(gg_var *x, unsigned int n, gg_var *const *ranks,
                              int axis) {
  return partitioned(x, n, ranks, axis, 1);
}

static gg_var *partitioned_one(gg_var *x, int64_t rank, int axis,
                               unsigned int which) {
  gg_var *const k = x != NULL ? gg__whole_number(x, rank) : NULL;

  return k != NULL ? partitioned(x, 1, &k, axis, which) : NULL;
}

gg_var *gg_partition(gg_var *x, int64_t rank, int axis) {
  return partitioned_one(x, rank, axis, 0);
}

gg_var *gg_argpartition(gg_var *x, int64_t rank, int axis) {
  return partitioned_one(x, rank, axis, 1);
}

/* --- in texts and files --- */

const gg_op_form gg__forms_partitioned[] = {
    GG_FORM_PROPS(partition, "xi0+", gg__axis_fields, gg__check_axis),
    GG_FORMS_END};
