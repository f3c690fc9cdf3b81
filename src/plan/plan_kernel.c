/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of GG_OP_KERNEL and GG_OP_PERFORM nodes, whose ops make their own
 * launches. */
#include <string.h>

#include "plan/builder.h"

/* What the launches of a node are prepared with. */
typedef struct kernel {
  const gg__kernel_step *s;
  const gg_apply *a;
  const gg__node *node;
  gg_prepare prepare;
  GpuArray *in, *out; /* set by make_arrays, like the lists of them */
  GpuArray **in_list, **out_list;
  gg__place **from; /* by input: its place, or that of its copy */
  int *slot_in, *slot_out;
  const double **scalar;
} kernel;

/* Slots, and what belongs to inputs and to outputs, are in a block each. */
static int take_lists(gg__builder *b, kernel *k, unsigned int n,
                      unsigned int m) {
  k->slot_in = gg__step_alloc(b, (size_t)n + m, sizeof *k->slot_in);
  k->in = gg__step_alloc(b, n,
                         sizeof *k->in + sizeof *k->in_list + sizeof *k->from +
                             sizeof *k->scalar);
  k->out = gg__step_alloc(
      b, m, sizeof *k->out + sizeof *k->out_list + sizeof *k->prepare.out_off);
  if (k->slot_in == NULL || k->in == NULL || k->out == NULL)
    return GA_MEMORY_ERROR;
  k->slot_out = k->slot_in + n;
  k->in_list = (GpuArray **)(k->in + n);
  k->from = (gg__place **)(k->in_list + n);
  k->scalar = (const double **)(k->from + n);
  k->out_list = (GpuArray **)(k->out + m);
  k->prepare.out_off = (size_t *)(k->out_list + m);
  return GA_NO_ERROR;
}

/* Does the kernel read input i from memory? */
static int is_read(const kernel *k, unsigned int i) {
  return gg__kernel_reads(k->node, k->s, i);
}

static int kernel_init(gg__builder *b, kernel *k, const gg__kernel_step *s) {
  const gg_apply *a = s->step.apply;
  const unsigned int n = a->n_in, m = s->epilogue.n_out == 0 ? a->n_out : 0;

  memset(k, 0, sizeof *k);
  k->s = s;
  k->a = a;
  k->node = gg__step_node(b->p, &s->step);
  GA_TRY(take_lists(b, k, n, m));
  for (unsigned int i = 0; i < n; i++) {
    const unsigned int v = gg__in(b->p, a, i);
    k->scalar[i] = gg__scalar_of(b->sizes, b->p, v);
    k->from[i] = &b->places[v];
  }
  k->prepare.apply = a;
  k->prepare.ctx = gg__step_context(b->p, &s->step);
  k->prepare.n_in = n;
  k->prepare.n_out = m;
  k->prepare.in = k->in_list;
  k->prepare.out = k->out_list;
  k->prepare.number = k->scalar;
  return GA_NO_ERROR;
}

/* Will no step read the value, and is it no result? */
static int is_unread(const gg__builder *b, unsigned int v) {
  return b->places[v].uses == 0 && b->result_of[v] == GG_NONE &&
         b->u->watch == 0;
}

static void find_unread(const gg__builder *b, kernel *k) {
  k->prepare.unread = 0;
  for (unsigned int i = 0; i < k->prepare.n_out && i < 32; i++)
    if (is_unread(b, gg__out(b->p, k->a, i)))
      k->prepare.unread |= 1u << i;
}

/* Make the arrays that launches are prepared with. */
static int make_arrays(gg__builder *b, kernel *k) {
  for (unsigned int i = 0; i < k->a->n_in; i++) {
    const unsigned int v = gg__in(b->p, k->a, i);
    if (is_read(k, i))
      gg__make_array(b, v, k->from[i], &k->in[i]);
    else
      GA_TRY(gg__make_shape(b, v, &k->in[i]));
    k->in_list[i] = &k->in[i];
  }
  for (unsigned int i = 0; i < k->prepare.n_out; i++) {
    gg__array_of(b, gg__out(b->p, k->a, i), &k->out[i]);
    k->out_list[i] = &k->out[i];
  }
  return GA_NO_ERROR;
}

/* Release an output that nothing will read. */
static void drop_unused(gg__builder *b, unsigned int v) {
  if (b->places[v].uses == 0 && b->places[v].store != GG_NONE)
    gg__release_store(b, b->places[v].store);
}

/* Let output i take over the memory of the input that the op destroys for it;
 * *done says whether that was possible. */
static int take_destroyed(gg__builder *b, const gg_apply *a, unsigned int i,
                          int *done) {
  const unsigned int v = gg__out(b->p, a, i);
  const int d = gg__destroyed(a, i);

  *done = 0;
  if (d < 0)
    return GA_NO_ERROR;
  if ((unsigned int)d >= a->n_in)
    return gg__blame(ga__fail(GA_VALUE_ERROR,
                              "%s: output %u overwrites operand %d of %u",
                              a->op->name, i, d, a->n_in),
                     a->out[0]);
  unsigned int in = gg__in(b->p, a, (unsigned int)d);
  *done = gg__may_take_over(b, v, in) &&
          gg__value_bytes(b, v) == gg__value_bytes(b, in);
  if (*done)
    gg__take_over(b, v, in);
  return GA_NO_ERROR;
}

/* Give outputs places, where possible those of inputs that the op destroys. */
static int kernel_outputs(gg__builder *b, const gg__kernel_step *s) {
  const gg_apply *a = s->step.apply;
  int done;

  if (s->epilogue.n_out != 0)
    return gg__put_outputs(b, s->step.writes, s->step.n_writes);
  for (unsigned int i = 0; i < a->n_out; i++) {
    GA_TRY(take_destroyed(b, a, i, &done));
    if (!done)
      GA_TRY(gg__put_output(b, gg__out(b->p, a, i)));
  }
  return GA_NO_ERROR;
}

/* Keep channels last where the op does that: in its output, or in those of the
 * epilogue that have its shape. */
static void keep_last(gg__builder *b, const gg__kernel_step *s) {
  const gg_apply *a = s->step.apply;
  const gg__body *t = &s->epilogue;

  if (!gg__keeps_channels_last(b, a))
    return;
  if (t->n_out == 0)
    gg__turn_channels(b, gg__out(b->p, a, 0));
  for (unsigned int i = 0; i < t->n_out; i++)
    gg__turn_channels(b, t->out[i]);
}

static int bind_kernel(gg__builder *b, const kernel *k) {
  for (unsigned int i = 0; i < k->a->n_in; i++)
    if (k->slot_in[i] >= 0)
      GA_TRY(gg__add_binding(b, (unsigned int)k->slot_in[i], k->from[i], 0));
  for (unsigned int i = 0; i < k->prepare.n_out; i++)
    if (k->slot_out[i] >= 0)
      GA_TRY(gg__add_binding(b, (unsigned int)k->slot_out[i],
                             &b->places[gg__out(b->p, k->a, i)],
                             k->prepare.out_off[i]));
  return GA_NO_ERROR;
}

static void forget_slots(kernel *k) {
  for (unsigned int i = 0; i < k->a->n_in; i++)
    k->slot_in[i] = -1;
  for (unsigned int i = 0; i < k->prepare.n_out; i++) {
    k->slot_out[i] = -1;
    k->prepare.out_off[i] = 0;
  }
}

/* --- questions --- */

static const gg__place *place_at(const gg__builder *b, const kernel *k,
                                 unsigned int i) {
  const unsigned int n = k->a->n_in;

  if (i >= n)
    return &b->places[gg__out(b->p, k->a, i - n)];
  return is_read(k, i) ? k->from[i] : NULL;
}

/* Add which arrays of the node begin at the same place: ops ask for that. Of
 * each array it is the first one that does. */
static int question_places(gg__builder *b, const kernel *k) {
  const unsigned int n = k->a->n_in + k->prepare.n_out;

  for (unsigned int i = 0; i < n; i++) {
    const gg__place *x = place_at(b, k, i);
    size_t first = 0;
    for (; x != NULL && first < i; first++) {
      const gg__place *y = place_at(b, k, (unsigned int)first);
      if (y != NULL && y->store == x->store && y->rel == x->rel)
        break;
    }
    GA_TRY(gg__question_number(b, first));
  }
  return GA_NO_ERROR;
}

/* What all launches of the node depend on. Those of parts are numbered by
 * `how`. */
static int begin_question(gg__builder *b, const kernel *k, size_t how) {
  const gg_op *op = k->a->op;

  GA_TRY(gg__question_begin(b, GG_STEP_KERNEL, how));
  GA_TRY(gg__question_bytes(b, &op, sizeof op));
  GA_TRY(gg__question_bytes(b, k->a->props, op->props_bytes));
  GA_TRY(gg__question_number(b, k->prepare.unread));
  for (unsigned int i = 0; i < k->a->n_in; i++) {
    GA_TRY(gg__question_scalar(b, k->scalar[i]));
    GA_TRY(gg__question_array(b, gg__in(b->p, k->a, i),
                              is_read(k, i) ? k->from[i] : NULL));
  }
  for (unsigned int i = 0; i < k->prepare.n_out; i++) {
    const unsigned int v = gg__out(b->p, k->a, i);
    GA_TRY(gg__question_array(b, v, &b->places[v]));
  }
  return question_places(b, k);
}

/* An answer has the slots of inputs and outputs, the offsets of outputs, and
 * the first slot of the epilogue. */
static size_t *new_answer(gg__builder *b, const kernel *k, size_t *n) {
  *n = k->a->n_in + 2 * (size_t)k->prepare.n_out + 1;
  return gg__step_alloc(b, *n, sizeof(size_t));
}

static int keep_answer(gg__builder *b, const kernel *k, GpuLaunch *l,
                       unsigned int first) {
  size_t n, *const answer = new_answer(b, k, &n), *to = answer;

  if (answer == NULL) {
    GpuLaunch_free(l);
    return GA_MEMORY_ERROR;
  }
  for (unsigned int i = 0; i < k->a->n_in; i++)
    *to++ = (size_t)k->slot_in[i];
  for (unsigned int i = 0; i < k->prepare.n_out; i++) {
    *to++ = (size_t)k->slot_out[i];
    *to++ = k->prepare.out_off[i];
  }
  *to = first;
  return gg__question_keep(b, l, answer, n);
}

/* Get a launch that answers the question, or NULL. */
static GpuLaunch *ask(gg__builder *b, kernel *k, unsigned int *first) {
  const size_t *answer;
  GpuLaunch *l = gg__question_ask(b, &answer);

  if (l == NULL)
    return NULL;
  for (unsigned int i = 0; i < k->a->n_in; i++)
    k->slot_in[i] = (int)*answer++;
  for (unsigned int i = 0; i < k->prepare.n_out; i++) {
    k->slot_out[i] = (int)*answer++;
    k->prepare.out_off[i] = *answer++;
  }
  *first = (unsigned int)*answer;
  return l;
}

/* --- launches --- */

static int prepare_new(gg__builder *b, kernel *k, GpuLaunch **l) {
  GA_TRY(make_arrays(b, k));
  forget_slots(k);
  gpuarray_clear_error();
  if (k->a->op->kind == GG_OP_PERFORM)
    GA_TRY(gg__prepare_perform(&k->prepare, l, k->slot_in, k->slot_out));
  else
    GA_TRY(k->a->op->prepare(&k->prepare, l, k->slot_in, k->slot_out));
  return keep_answer(b, k, *l, 0);
}

static int prepare_part(gg__builder *b, kernel *k, unsigned int part) {
  unsigned int first;

  k->prepare.part = part;
  GA_TRY(begin_question(b, k, 1 + (size_t)part));
  GpuLaunch *l = ask(b, k, &first);
  if (l == NULL)
    GA_TRY(prepare_new(b, k, &l));
  GA_TRY(gg__add_launch(b, l, 0));
  GA_TRY(gg__guard_indices(b, l, k->a));
  return bind_kernel(b, k);
}

/* What follows the epilogue in the list of arguments: no kernel has both. */
static const gg__body *second_body(const gg__kernel_step *s) {
  return s->front.n_nodes != 0 ? &s->front : &s->sum_epilogue;
}

/* The arguments of the epilogue, and of that of the sum or of the map in front,
 * in one list. */
static void **epilogue_arguments(gg__builder *b, const gg__kernel_step *s) {
  const gg__body *t = &s->epilogue, *u = second_body(s);
  const unsigned int n = t->n_in + t->n_scalars + t->n_out,
                     m = u->n_in + u->n_scalars + u->n_out;
  void **first = gg__body_arguments(b, t), **then = gg__body_arguments(b, u),
       **all = gg__step_alloc(b, n + m, sizeof *all);

  if (first == NULL || then == NULL || all == NULL)
    return NULL;
  memcpy(all, first, n * sizeof *all);
  memcpy(all + n, then, m * sizeof *all);
  return all;
}

static int prepare_new_fused(gg__builder *b, kernel *k, const gg__epilogue *e,
                             GpuLaunch **l, unsigned int *first) {
  void **args = epilogue_arguments(b, k->s);

  if (args == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(make_arrays(b, k));
  forget_slots(k);
  GA_TRY(
      k->a->op->prepare_post(&k->prepare, &e->e, args, l, k->slot_in, first));
  return keep_answer(b, k, *l, *first);
}

/* Prepare one launch, which stores only the outputs of the epilogues. */
static int prepare_fused(gg__builder *b, kernel *k, const gg__epilogue *e) {
  unsigned int first = 0;

  GA_TRY(begin_question(b, k, 0));
  GA_TRY(gg__question_body(b, &k->s->epilogue));
  GA_TRY(gg__question_body(b, second_body(k->s)));
  GpuLaunch *l = ask(b, k, &first);
  if (l == NULL)
    GA_TRY(prepare_new_fused(b, k, e, &l, &first));
  GA_TRY(gg__add_launch(b, l, 0));
  GA_TRY(bind_kernel(b, k));
  GA_TRY(gg__bind_body(b, &k->s->epilogue, 1, &first));
  return gg__bind_body(b, second_body(k->s), 1, &first);
}

static int prepare_parts(gg__builder *b, kernel *k) {
  unsigned int n = 1;
  gg__kernel made;

  find_unread(b, k);
  GA_TRY(gg__kernel_get(&b->u->kernels, b->step, &made));
  if (made.epilogue != NULL)
    return prepare_fused(b, k, made.epilogue);
  if (k->a->op->parts != NULL) {
    GA_TRY(make_arrays(b, k));
    n = k->a->op->parts(&k->prepare);
  }
  for (unsigned int i = 0; i < n; i++)
    GA_TRY(prepare_part(b, k, i));
  return GA_NO_ERROR;
}

/* Which inputs a kernel takes: any, those in C order, or only those in C order
 * that start where their buffer does. */
enum { ANY, IN_C_ORDER, AT_START };

static int is_fine(const gg__builder *b, unsigned int v, int want) {
  const gg__place *x = &b->places[v];

  if (want != ANY && !gg__is_c_order(b, v))
    return 0;
  return want != AT_START ||
         (ssize_t)b->plan->stores.v[x->store].offset + x->rel == 0;
}

static int is_copied(const gg__builder *b, const kernel *k, unsigned int i) {
  return k->from[i] != &b->places[gg__in(b->p, k->a, i)];
}

static int copy_inputs(gg__builder *b, kernel *k, int want) {
  for (unsigned int i = 0; i < k->a->n_in; i++) {
    unsigned int v = gg__in(b->p, k->a, i);
    if (!is_read(k, i) || is_copied(b, k, i) || is_fine(b, v, want))
      continue;
    gg__place *copy = gg__step_alloc(b, 1, sizeof *copy);
    if (copy == NULL)
      return GA_MEMORY_ERROR;
    GA_TRY(gg__copy_to_temp(b, v, copy));
    k->from[i] = copy;
  }
  return GA_NO_ERROR;
}

/* Prepare the launches. If the op cannot take its inputs as they are
 * (GA_COPY_ERROR), try again with copies of those that are not in C order, then
 * also of those that do not start where their buffer does. */
static int prepare_kernel(gg__builder *b, kernel *k) {
  const gg_op *op = k->a->op;
  int want = op->c_order || op->on_host ? IN_C_ORDER : ANY;
  int err = GA_COPY_ERROR;

  for (; want <= AT_START && err == GA_COPY_ERROR; want++) {
    GA_TRY(copy_inputs(b, k, want));
    size_t n_launches = b->plan->launches.n;
    size_t n_bindings = b->plan->bindings.n;
    err = prepare_parts(b, k);
    if (err == GA_COPY_ERROR && want < AT_START)
      gg__drop_launches(b->plan, n_launches, n_bindings);
  }
  return err;
}

static void release_copies(gg__builder *b, const kernel *k) {
  for (unsigned int i = 0; i < k->a->n_in; i++)
    if (is_copied(b, k, i))
      gg__release_store(b, k->from[i]->store);
}

int gg__plan_kernel(gg__builder *b, const gg__step *s) {
  const gg__kernel_step *x = gg__kernel_of(s);
  kernel k;

  GA_TRY(kernel_init(b, &k, x));
  GA_TRY(kernel_outputs(b, x));
  keep_last(b, x);
  GA_TRY(prepare_kernel(b, &k));
  release_copies(b, &k);
  for (unsigned int i = 0; i < k.prepare.n_out; i++)
    drop_unused(b, gg__out(b->p, s->apply, i));
  return GA_NO_ERROR;
}
