/* SPDX-License-Identifier: BSD-2-Clause */
/* The op of loops: types and printing of its nodes. */
#include <stdio.h>
#include <string.h>

#include "loop/loop.h"

#define TYPE_TEXT 160 /* bytes */

static unsigned int count_out(const void *props) {
  const gg__inner_props *p = props;
  gg__loop l;

  if (!gg__loop_read(&l, p->inner))
    return 1; /* infer refuses the node */
  return gg__loop_count(&l) + (unsigned int)l.h->has_until;
}

/* --- types --- */

/* Set *t to the type of n rows. */
static void stack_type(gg_type *t, const gg_type *row, int64_t n) {
  *t = *row;
  t->nd = row->nd + 1;
  memmove(t->dims + 1, row->dims, row->nd * sizeof row->dims[0]);
  t->dims[0] = n;
}

static void row_type(gg_type *t, const gg_type *stack) {
  *t = *stack;
  t->nd = stack->nd - 1;
  memmove(t->dims, stack->dims + 1, t->nd * sizeof t->dims[0]);
  t->dims[t->nd] = 0;
}

/* Set unknown sizes of t to those of `other`, which fits t. */
static void learn_sizes(gg_type *t, const gg_type *other) {
  for (unsigned int i = 0; i < t->nd; i++)
    if (t->dims[i] == GG_ANY)
      t->dims[i] = other->dims[i];
}

static int check_stack(const gg_apply *a, const char *what, unsigned int i,
                       const gg_type *stack, const gg_type *row, int64_t n) {
  char want[TYPE_TEXT], got[TYPE_TEXT];
  gg_type t;

  if (row->nd < GG_MAX_ND) {
    stack_type(&t, row, n);
    if (gg__type_fits(stack, &t))
      return GA_NO_ERROR;
  }
  return gg_op_fail(a, GA_VALUE_ERROR, "%s %u is %s, where rows are %s", what,
                    i, gg_type_text(stack, got, sizeof got),
                    gg_type_text(row, want, sizeof want));
}

static int check_next(const gg_apply *a, unsigned int i, const gg_type *row,
                      const gg_type *next) {
  char from[TYPE_TEXT], to[TYPE_TEXT];

  if (gg__type_fits(next, row))
    return GA_NO_ERROR;
  return gg_op_fail(
      a, GA_VALUE_ERROR, "state %u starts as %s, but its next value is %s", i,
      gg_type_text(row, from, sizeof from), gg_type_text(next, to, sizeof to));
}

/* The type of a resized state is that of its tap. Without one, sizes in which
 * its first and its next value differ are not known. Its trace is a vector. */
static int infer_resized(const gg_apply *a, const gg__loop *l, unsigned int i,
                         gg_type *out) {
  const gg_type *init = &a->in[gg__loop_init(l, i)]->type;
  gg_type row = l->inner->out[i]->type;

  for (unsigned int k = 0; k < row.nd && k < init->nd; k++)
    if (row.dims[k] != init->dims[k])
      row.dims[k] = GG_ANY;
  for (unsigned int t = 0; t < l->h->n_taps; t++)
    if (l->taps[t].state == i)
      row = l->inner->in[gg__body_tap(l, t)]->type;
  GA_TRY(check_next(a, i, init, &row));
  GA_TRY(check_next(a, i, &row, &l->inner->out[i]->type));
  out[gg__loop_trace(i)] =
      (gg_type){.dtype = row.dtype, .nd = 1, .dims = {GG_ANY}, .ctx = row.ctx};
  out[gg__loop_trace(i) + 1] = row;
  return GA_NO_ERROR;
}

static int infer_state(const gg_apply *a, const gg__loop *l, unsigned int i,
                       int64_t steps, gg_type *out) {
  const gg_type *init = &a->in[gg__loop_init(l, i)]->type;
  const gg_type *next = &l->inner->out[i]->type;
  gg_type row;

  if (l->depth[i] == 0)
    return infer_resized(a, l, i, out);
  if (init->nd == 0 ||
      (init->dims[0] != GG_ANY && init->dims[0] != l->depth[i]))
    return check_stack(a, "initial state", i, init, next, l->depth[i]);
  row_type(&row, init);
  GA_TRY(check_next(a, i, &row, next));
  learn_sizes(&row, next);
  stack_type(&out[gg__loop_trace(i)], &row,
             steps == GG_ANY ? GG_ANY : steps + l->depth[i]);
  out[gg__loop_trace(i) + 1] = row;
  return GA_NO_ERROR;
}

static int check_tap(const gg_apply *a, const gg__loop *l, unsigned int t) {
  const unsigned int i = (unsigned int)l->taps[t].state;

  if (l->depth[i] == 0) /* infer_resized did it */
    return GA_NO_ERROR;
  return check_stack(a, "initial state", i, &a->in[gg__loop_init(l, i)]->type,
                     &l->inner->in[gg__body_tap(l, t)]->type, l->depth[i]);
}

static int infer_out(const gg_apply *a, const gg__loop *l, unsigned int i,
                     int64_t steps, gg_type *out) {
  const gg_type *t = &l->inner->out[gg__body_out(l, i)]->type;
  const int64_t like = l->outs[i].like;

  if (t->nd == GG_MAX_ND)
    return gg_op_fail(a, GA_VALUE_ERROR, "output %u has %u dimensions", i,
                      t->nd);
  if (like >= 0)
    steps = a->in[gg__loop_seq(l, (unsigned int)like)]->type.dims[0];
  stack_type(&out[gg__loop_all(l, i)], t, steps);
  out[gg__loop_all(l, i) + 1] = *t;
  return GA_NO_ERROR;
}

static int is_count_type(const gg_type *t) {
  return t->nd == 0 && t->dtype == GA_LONG;
}

static int check_inputs(const gg_apply *a, const gg__loop *l) {
  char want[TYPE_TEXT], got[TYPE_TEXT];

  if (a->n_in != gg__loop_n_in(l))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %u inputs, got %u",
                      gg__loop_n_in(l), a->n_in);
  for (unsigned int i = 0; i <= (unsigned int)l->h->is_limited; i++)
    if (!is_count_type(&a->in[i]->type))
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "the number of steps is %s, expected int64",
                        gg_type_text(&a->in[i]->type, got, sizeof got));
  for (unsigned int i = 0; i < l->h->n_seqs; i++)
    GA_TRY(check_stack(a, "sequence", i, &a->in[gg__loop_seq(l, i)]->type,
                       &l->inner->in[i]->type, GG_ANY));
  for (unsigned int i = 0; i < l->h->n_fixed; i++) {
    const gg_type *t = &a->in[gg__loop_fixed(l, i)]->type;
    const gg_type *w = &l->inner->in[gg__body_fixed(l, i)]->type;
    if (!gg__type_fits(t, w))
      return gg_op_fail(a, GA_VALUE_ERROR, "fixed input %u is %s, expected %s",
                        i, gg_type_text(t, got, sizeof got),
                        gg_type_text(w, want, sizeof want));
  }
  return GA_NO_ERROR;
}

static int check_until(const gg_apply *a, const gg__loop *l) {
  const gg_type *t = &l->inner->out[gg__body_until(l)]->type;
  char got[TYPE_TEXT];

  if (t->nd == 0 && t->dtype == GA_BOOL)
    return GA_NO_ERROR;
  return gg_op_fail(a, GA_VALUE_ERROR,
                    "the condition to end is %s, expected a bool",
                    gg_type_text(t, got, sizeof got));
}

static int infer(const gg_apply *a, gg_type *out) {
  int64_t steps = GG_ANY;
  double number;
  gg__loop l;

  if (!gg__loop_read(&l, gg__inner_of(a)))
    return gg_op_fail(a, GA_VALUE_ERROR, "the loop is not well formed");
  GA_TRY(check_inputs(a, &l));
  if (gg_var_uniform(a->in[GG_LOOP_STEPS], &number)) {
    if (number < 0)
      return gg_op_fail(a, GA_VALUE_ERROR, "%.0f steps", number);
    if (number > GG_LOOP_MOST)
      return gg_op_fail(a, GA_XLARGE_ERROR, "%.0f steps are more than %.0f",
                        number, GG_LOOP_MOST);
    steps = (int64_t)number;
  }
  for (unsigned int i = 0; i < l.h->n_states; i++)
    GA_TRY(infer_state(a, &l, i, steps, out));
  for (unsigned int i = 0; i < l.h->n_taps; i++)
    GA_TRY(check_tap(a, &l, i));
  for (unsigned int i = 0; i < l.h->n_outs; i++)
    GA_TRY(infer_out(a, &l, i, steps, out));
  if (!l.h->has_until)
    return GA_NO_ERROR;
  out[gg__loop_count(&l)] = (gg_type){.dtype = GA_LONG};
  return check_until(a, &l);
}

/* --- prints --- */

static size_t print_count(char *buf, size_t bytes, const char *between,
                          int64_t n, const char *what) {
  int k = 0;

  if (n != 0)
    k = snprintf(buf, bytes, "%s%lld %s%s", between, (long long)n, what,
                 n != 1 ? "s" : "");
  return k > 0 && (size_t)k < bytes ? (size_t)k : 0;
}

static void print(const gg_apply *a, char *buf, size_t bytes) {
  const gg__loop l = gg__loop_of(a);
  size_t n = 0;

  n += print_count(buf + n, bytes - n, "", l.h->n_seqs, "sequence");
  n += print_count(buf + n, bytes - n, n != 0 ? ", " : "", l.h->n_states,
                   "state");
  n += print_count(buf + n, bytes - n, n != 0 ? ", " : "", l.h->n_outs,
                   "output");
  if (l.h->has_until)
    snprintf(buf + n, bytes - n, ", until");
}

const gg_op gg__op_scan = {.name = "scan",
                           .kind = GG_OP_INNER,
                           .props_bytes = sizeof(gg__inner_props),
                           .number_only = 1u << GG_LOOP_STEPS,
                           .half_ok = 1,
                           .infer = infer,
                           .grad = gg__loop_grad,
                           .rop = gg__loop_rop,
                           .count_out = count_out,
                           .print = print};
