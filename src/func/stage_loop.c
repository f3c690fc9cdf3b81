/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a loop that is a stage: each iteration calls the function of the
 * body, which plans it for the sizes that it finds.
 *
 * The values of a state are in a ring: those that the body looks back to, and
 * one more. Rows that the stages behind the loop read are copied. */
#include <gpuarray/buffer.h>
#include <string.h>

#include "func/stage_inside.h"

typedef struct ring {
  GpuArray *v; /* value k is v[k % n]; 0 to depth - 1 are the initial ones */
  size_t n, depth;
  GpuArray flat; /* of a resized state: the elements of all values, and room */
  size_t have;   /* so many */
} ring;

typedef struct runner {
  gg__inside *x;
  gg_func *f; /* of the body */
  gg__call_fn *call;
  const gg__loop *l;
  GpuArray *const *given;
  size_t steps, top, n; /* n: iterations at most */
  size_t t;             /* iterations that ran */
  GpuArray *rows;       /* by sequence */
  ring *states;
  GpuArray *outs;       /* by output of the body that is no state */
  GpuArray **in, **out; /* arguments of the body */
  GpuArray *all;        /* by output of the node: its rows */
  ga__arena arena;
} runner;

static const GpuArray *given(const runner *r, unsigned int i) {
  return r->given[r->x->from[i]];
}

static const char *name_of(const runner *r, unsigned int body_in) {
  return gg__display_name(r->l->inner->in[body_in]);
}

/* --- the number of iterations --- */

static int read_count(const runner *r, unsigned int i, double *n) {
  int64_t count = 0;

  GA_TRY(gg__inside_read(r->x, r->f, given(r, i), &count, sizeof count));
  *n = (double)count;
  return GA_NO_ERROR;
}

static int check_rows(const runner *r) {
  const gg__loop *l = r->l;

  for (unsigned int i = 0; i < l->h->n_seqs; i++) {
    const size_t n = given(r, gg__loop_seq(l, i))->dimensions[0];
    if (n < r->steps || (l->h->is_exact && n != r->steps))
      return ga__fail(GA_VALUE_ERROR,
                      "scan: sequence %u (%s) has %zu rows for %zu steps", i,
                      name_of(r, i), n, r->steps);
  }
  for (unsigned int i = 0; i < l->h->n_states; i++) {
    const GpuArray *a = given(r, gg__loop_init(l, i));
    if (l->depth[i] != 0 && a->dimensions[0] != (size_t)l->depth[i])
      return ga__fail(GA_VALUE_ERROR,
                      "scan: state %u starts from %zu rows, expected %lld", i,
                      a->dimensions[0], (long long)l->depth[i]);
  }
  return GA_NO_ERROR;
}

static int find_steps(runner *r) {
  const gg__loop_head *h = r->l->h;
  double steps = r->x->steps, limit;
  int known = 0;

  if (r->x->counter != NULL)
    GA_TRY(gg__known_output(r->x->counter, r->x->counted, &known, &steps));
  if (r->x->steps < 0 && !known)
    GA_TRY(read_count(r, GG_LOOP_STEPS, &steps));
  if (steps < 0)
    return ga__fail(GA_VALUE_ERROR, "scan: %.0f steps", steps);
  if (steps > GG_LOOP_MOST)
    return ga__fail(GA_XLARGE_ERROR, "scan: %.0f steps are more than %.0f",
                    steps, GG_LOOP_MOST);
  r->steps = r->top = (size_t)steps;
  if (h->is_limited) {
    GA_TRY(read_count(r, GG_LOOP_LIMIT, &limit));
    if (limit < steps)
      r->top = limit > 0 ? (size_t)limit : 0;
  }
  r->n = h->most != 0 && (size_t)h->most < r->top ? (size_t)h->most : r->top;
  return check_rows(r);
}

/* --- rows --- */

/* Make `out` a view of row k of a. */
static int view_row(GpuArray *out, const GpuArray *a, size_t k) {
  ssize_t starts[GG_MAX_ND] = {(ssize_t)k}, stops[GG_MAX_ND];
  ssize_t steps[GG_MAX_ND] = {0};

  for (unsigned int i = 0; i < a->nd; i++) {
    stops[i] = (ssize_t)a->dimensions[i];
    steps[i] = i != 0;
  }
  return GpuArray_index(out, a, starts, stops, steps);
}

/* Copy `value` to row k of a. */
static int put_row(GpuArray *a, size_t k, const GpuArray *value) {
  GpuArray row = {0};

  GA_TRY(view_row(&row, a, k));
  const int err = GpuArray_setarray(&row, value);
  GpuArray_clear(&row);
  return err;
}

/* The context of a value of the body: that of its graph, if the value is made
 * of numbers alone. */
static gpucontext *context_of(const runner *r, const gg_var *v) {
  return v->type.ctx != NULL ? v->type.ctx : r->l->inner->g->ctx;
}

/* Make an array of n rows of these sizes; with `zeros` of zeros. */
static int make_rows(const runner *r, GpuArray *a, const gg_var *row,
                     const size_t *dims, size_t n, int zeros) {
  size_t sizes[GG_MAX_ND] = {n};

  memcpy(sizes + 1, dims, row->type.nd * sizeof *dims);
  return (zeros ? GpuArray_zeros
                : GpuArray_empty)(a, context_of(r, row), row->type.dtype,
                                  row->type.nd + 1, sizes, GA_C_ORDER);
}

static int is_wanted(const runner *r, unsigned int out) {
  for (unsigned int k = 0; k < r->x->n_out; k++)
    if (r->x->out[k] == out)
      return 1;
  return 0;
}

/* --- states --- */

static GpuArray *value_at(const ring *s, size_t k) {
  return &s->v[k % s->n];
}

static size_t count_of(const GpuArray *a) {
  size_t n = 1;

  for (unsigned int k = 0; k < a->nd; k++)
    n *= a->dimensions[k];
  return n;
}

/* Make `out` a view of elements [from, to) of a vector. */
static int view_part(GpuArray *out, const GpuArray *a, size_t from, size_t to) {
  return GpuArray_index(out, a, (ssize_t[]){(ssize_t)from},
                        (ssize_t[]){(ssize_t)to}, (ssize_t[]){1});
}

/* Make room for n elements in all, or at least twice as many as there was. */
static int reserve(runner *r, unsigned int i, size_t n) {
  const gg_var *v = r->l->inner->out[i];
  ring *s = &r->states[i];
  const size_t room = s->flat.nd != 0 ? s->flat.dimensions[0] : 0;
  GpuArray larger = {0}, begin = {0};
  int err;

  if (s->flat.nd != 0 && n <= room)
    return GA_NO_ERROR;
  n = n < 2 * room ? 2 * room : n;
  GA_CHECK(GpuArray_empty(&larger, context_of(r, v), v->type.dtype, 1, &n,
                          GA_C_ORDER));
  if (s->have != 0) {
    GpuArray old = {0};
    GA_CHECK(view_part(&begin, &larger, 0, s->have));
    GA_CHECK(view_part(&old, &s->flat, 0, s->have));
    err = GpuArray_setarray(&begin, &old);
    GpuArray_clear(&old);
    GA_CHECK(err);
  }
  GpuArray_clear(&s->flat);
  s->flat = larger;
  larger = (GpuArray){0};
  err = GA_NO_ERROR;
done:
  GpuArray_clear(&larger);
  GpuArray_clear(&begin);
  return err;
}

/* Append a value of a resized state to its trace, if that is wanted. */
static int append(runner *r, unsigned int i, const GpuArray *value) {
  const size_t n = count_of(value);
  ring *s = &r->states[i];
  GpuArray part = {0};
  int err;

  if (!is_wanted(r, gg__loop_trace(i)))
    return GA_NO_ERROR;
  GA_TRY(reserve(r, i, s->have + n));
  if (n == 0)
    return GA_NO_ERROR;
  GA_CHECK(view_part(&part, &s->flat, s->have, s->have + n));
  GA_CHECK(GpuArray_reshape_inplace(&part, value->nd, value->dimensions,
                                    GA_C_ORDER));
  GA_CHECK(GpuArray_setarray(&part, value));
  s->have += n;
done:
  GpuArray_clear(&part);
  return err;
}

/* Take the initial values of state i. */
static int start_state(runner *r, unsigned int i) {
  const GpuArray *init = given(r, gg__loop_init(r->l, i));
  const unsigned int trace = gg__loop_trace(i);
  ring *s = &r->states[i];

  if (r->l->depth[i] == 0) {
    GA_TRY(append(r, i, init));
    return GpuArray_view(&s->v[0], init);
  }
  for (size_t k = 0; k < s->depth; k++)
    GA_TRY(view_row(&s->v[k], init, k));
  if (!is_wanted(r, trace))
    return GA_NO_ERROR;
  GA_TRY(make_rows(r, &r->all[trace], r->l->inner->out[i], init->dimensions + 1,
                   r->steps + s->depth, gg__loop_is_open(r->l)));
  for (size_t k = 0; k < s->depth; k++)
    GA_TRY(put_row(&r->all[trace], k, &s->v[k]));
  return GA_NO_ERROR;
}

/* Take the new value of state i. */
static int keep_state(runner *r, unsigned int i) {
  const GpuArray *init = given(r, gg__loop_init(r->l, i));
  const unsigned int trace = gg__loop_trace(i);
  const ring *s = &r->states[i];
  const GpuArray *a = value_at(s, r->t + s->depth);

  if (r->l->depth[i] == 0)
    return append(r, i, a);
  for (unsigned int k = 0; k < a->nd; k++)
    if (a->dimensions[k] != init->dimensions[k + 1])
      return ga__fail(GA_VALUE_ERROR,
                      "scan: state %u (%s), dim %u: %zu at first, then %zu; "
                      "gg_scan_state_sized makes states whose sizes change",
                      i, gg__display_name(r->l->inner->out[i]), k,
                      init->dimensions[k + 1], a->dimensions[k]);
  return is_wanted(r, trace) ? put_row(&r->all[trace], r->t + s->depth, a)
                             : GA_NO_ERROR;
}

/* --- other outputs --- */

static size_t rows_of(const runner *r, unsigned int i) {
  const int64_t like = r->l->outs[i].like;

  return like < 0
             ? r->steps
             : given(r, gg__loop_seq(r->l, (unsigned int)like))->dimensions[0];
}

/* Take row t of output i. */
static int keep_out(runner *r, unsigned int i) {
  const unsigned int out = gg__loop_all(r->l, i), body = gg__body_out(r->l, i);
  const GpuArray *row = &r->outs[i];
  GpuArray *all = &r->all[out];

  if (!is_wanted(r, out))
    return GA_NO_ERROR;
  if (r->t == 0)
    GA_TRY(make_rows(r, all, r->l->inner->out[body], row->dimensions,
                     rows_of(r, i),
                     gg__loop_is_open(r->l) || rows_of(r, i) > r->n));
  for (unsigned int k = 0; k < row->nd; k++)
    if (row->dimensions[k] != all->dimensions[k + 1])
      return ga__fail(GA_VALUE_ERROR,
                      "scan: output %u (%s), dim %u: %zu in iteration 0, %zu "
                      "in iteration %zu: such rows are no array",
                      i, gg__display_name(r->l->inner->out[body]), k,
                      all->dimensions[k + 1], row->dimensions[k], r->t);
  return put_row(all, r->l->outs[i].reversed ? r->top - 1 - r->t : r->t, row);
}

/* --- one iteration --- */

static int bind(runner *r) {
  const gg__loop *l = r->l;

  for (unsigned int i = 0; i < l->h->n_seqs; i++) {
    GpuArray_clear(&r->rows[i]);
    GA_TRY(view_row(&r->rows[i], given(r, gg__loop_seq(l, i)),
                    l->reversed[i] ? r->top - 1 - r->t : r->t));
    r->in[i] = &r->rows[i];
  }
  for (unsigned int i = 0; i < l->h->n_taps; i++) {
    const ring *s = &r->states[l->taps[i].state];
    r->in[gg__body_tap(l, i)] =
        value_at(s, r->t + s->depth - (size_t)l->taps[i].back);
  }
  for (unsigned int i = 0; i < l->h->n_states; i++) {
    const ring *s = &r->states[i];
    r->out[i] = value_at(s, r->t + s->depth);
    if (r->t > 0 && r->t <= s->depth) /* a view of an initial value */
      GpuArray_clear(r->out[i]);
  }
  return GA_NO_ERROR;
}

/* Does the loop end with this iteration? */
static int find_end(const runner *r, int *end) {
  const unsigned int i = gg__body_until(r->l);
  unsigned char until = 0;
  double x = 0;
  int known;

  if (!r->l->h->has_until)
    return GA_NO_ERROR;
  GA_TRY(gg__known_output(r->f, i, &known, &x));
  if (!known)
    GA_TRY(gg__inside_read(r->x, r->f, r->out[i], &until, 1));
  *end = known ? x != 0 : until != 0;
  return GA_NO_ERROR;
}

static int iterate(runner *r, int *end) {
  const gg__loop *l = r->l;

  GA_TRY(bind(r));
  GA_TRY(r->call(r->f, r->in, r->out));
  for (unsigned int i = 0; i < l->h->n_states; i++)
    GA_TRY(keep_state(r, i));
  for (unsigned int i = 0; i < l->h->n_outs; i++)
    GA_TRY(keep_out(r, i));
  GA_TRY(find_end(r, end));
  r->t++;
  return GA_NO_ERROR;
}

static int run(runner *r) {
  int end = 0;

  for (unsigned int i = 0; i < r->l->h->n_states; i++)
    GA_TRY(start_state(r, i));
  while (r->t < r->n && !end) {
    const int err = iterate(r, &end);
    if (err != GA_NO_ERROR)
      return ga__fail(err, "iteration %zu: %s", r->t, ga__err_text(err));
  }
  return GA_NO_ERROR;
}

/* --- results --- */

/* The sizes of output i of the body, of which there is no row: those that its
 * type does not have are 0. */
static void sizes_of_none(const runner *r, unsigned int i, size_t *dims) {
  const gg_type *t = &r->l->inner->out[i]->type;

  for (unsigned int k = 0; k < t->nd; k++)
    dims[k] = t->dims[k] == GG_ANY ? 0 : (size_t)t->dims[k];
}

/* Hand `from` over, or a copy if something else needs it or owns it. */
static int hand_over(GpuArray *from, int copies, GpuArray *out) {
  if (copies)
    return GpuArray_copy(out, from, GA_C_ORDER);
  *out = *from;
  memset(from, 0, sizeof *from);
  return GA_NO_ERROR;
}

static int give_state(runner *r, unsigned int out, GpuArray *to) {
  const unsigned int i = out / 2;
  const ring *s = &r->states[i];

  if (out == gg__loop_trace(i) && r->l->depth[i] == 0)
    return view_part(to, &s->flat, 0, s->have);
  if (out == gg__loop_trace(i))
    return hand_over(&r->all[out], 0, to);
  return hand_over(value_at(s, r->t + s->depth - 1), r->t == 0, to);
}

static int give_out(runner *r, unsigned int out, GpuArray *to) {
  const unsigned int i = (out - gg__loop_all(r->l, 0)) / 2;
  const unsigned int body = gg__body_out(r->l, i);
  const gg_var *row = r->l->inner->out[body];
  size_t none[GG_MAX_ND];

  if (out != gg__loop_all(r->l, i) && r->t == 0 && !gg__loop_is_open(r->l))
    return ga__fail(GA_VALUE_ERROR,
                    "scan: no step computes the last value of output %u", i);
  if (r->t != 0)
    return hand_over(out == gg__loop_all(r->l, i) ? &r->all[out] : &r->outs[i],
                     0, to);
  sizes_of_none(r, body, none);
  if (out == gg__loop_all(r->l, i))
    return make_rows(r, to, row, none, rows_of(r, i), 1);
  return GpuArray_zeros(to, context_of(r, row), row->type.dtype, row->type.nd,
                        none, GA_C_ORDER);
}

static int give_count(const runner *r, GpuArray *to) {
  const int64_t count = (int64_t)r->t;

  GA_TRY(GpuArray_empty(to, r->l->inner->g->ctx, GA_LONG, 0, NULL, GA_C_ORDER));
  return GpuArray_write(to, &count, sizeof count);
}

static int give(runner *r, GpuArray *const *out) {
  for (unsigned int k = 0; k < r->x->n_out; k++) {
    const unsigned int i = r->x->out[k];
    GpuArray_clear(out[k]);
    if (i < gg__loop_all(r->l, 0))
      GA_TRY(give_state(r, i, out[k]));
    else if (i < gg__loop_count(r->l))
      GA_TRY(give_out(r, i, out[k]));
    else
      GA_TRY(give_count(r, out[k]));
  }
  return GA_NO_ERROR;
}

/* --- the whole --- */

static void *list(runner *r, size_t n, size_t size) {
  return ga__arena_alloc(&r->arena, (n + 1) * size);
}

static int runner_init(runner *r) {
  const gg__loop *l = r->l;
  const size_t n_states = (size_t)l->h->n_states, n_outs = l->inner->n_out;

  r->rows = list(r, (size_t)l->h->n_seqs, sizeof *r->rows);
  r->states = list(r, n_states, sizeof *r->states);
  r->outs = list(r, n_outs - n_states, sizeof *r->outs);
  r->in = list(r, l->inner->n_in, sizeof *r->in);
  r->out = list(r, n_outs, sizeof *r->out);
  r->all = list(r, 2 * n_outs, sizeof *r->all);
  if (r->rows == NULL || r->states == NULL || r->outs == NULL ||
      r->in == NULL || r->out == NULL || r->all == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n_states; i++) {
    ring *s = &r->states[i];
    s->depth = l->depth[i] != 0 ? (size_t)l->depth[i] : 1;
    s->n = s->depth + 1;
    s->v = list(r, s->n, sizeof *s->v);
    if (s->v == NULL)
      return ga__fail_nomem();
  }
  for (unsigned int i = 0; i < l->h->n_fixed; i++)
    r->in[gg__body_fixed(l, i)] = r->given[r->x->from[gg__loop_fixed(l, i)]];
  for (size_t i = n_states; i < n_outs; i++)
    r->out[i] = &r->outs[i - n_states];
  return GA_NO_ERROR;
}

static void runner_clear(runner *r) {
  const gg__loop *l = r->l;
  const size_t n_states = (size_t)l->h->n_states, n_outs = l->inner->n_out;

  for (size_t i = 0; r->rows != NULL && i < (size_t)l->h->n_seqs; i++)
    GpuArray_clear(&r->rows[i]);
  for (size_t i = 0; r->states != NULL && i < n_states; i++)
    for (size_t k = 0; r->states[i].v != NULL && k < r->states[i].n; k++)
      GpuArray_clear(&r->states[i].v[k]);
  for (size_t i = 0; r->states != NULL && i < n_states; i++)
    GpuArray_clear(&r->states[i].flat);
  for (size_t i = 0; r->outs != NULL && i < n_outs - n_states; i++)
    GpuArray_clear(&r->outs[i]);
  for (size_t i = 0; r->all != NULL && i < 2 * n_outs; i++)
    GpuArray_clear(&r->all[i]);
  ga__arena_clear(&r->arena);
}

int gg__loop_run(gg__inside *x, gg_func *f, gg__call_fn *call,
                 GpuArray *const *in, GpuArray *const *out) {
  runner r = {.x = x,
              .f = f,
              .call = call,
              .l = &x->l,
              .given = in,
              .arena = GA_ARENA_INIT};
  int err;

  GA_CHECK(runner_init(&r));
  GA_CHECK(find_steps(&r));
  GA_CHECK(run(&r));
  GA_CHECK(give(&r, out));
done:
  runner_clear(&r);
  return err;
}
