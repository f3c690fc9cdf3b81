/* SPDX-License-Identifier: BSD-2-Clause */
/* Running loops: bind the rows of each iteration and run the body. */
#include <gpuarray/buffer.h>

#include <string.h>

#include "base/clock.h"
#include "base/dtype.h"
#include "plan/figures.h"

enum { ALIGN = 64 /* bytes; no kernel needs offsets aligned to more */ };

/* --- loops --- */

/* The body's list of its loops, by which profiles find their plans. */
static void enlist(gg__looping *x, gg__unit *body) {
  x->body = body;
  x->next = body->loops;
  if (x->next != NULL)
    x->next->before = x;
  body->loops = x;
}

static void strike_out(gg__looping *x) {
  if (x->before != NULL)
    x->before->next = x->next;
  else
    x->body->loops = x->next;
  if (x->next != NULL)
    x->next->before = x->before;
}

/* Keep the figures of a plan that is to go. Those of a plan that has come from
 * another loop are kept already. */
static void keep_figures(const gg__looping *x) {
  if (x->plan != NULL && !x->is_stale)
    gg__keep_figures(x->body, x->plan);
}

gg__looping *gg__looping_new(gg__unit *body, unsigned int n_in,
                             unsigned int n_out, unsigned int max_slots) {
  ga__arena m = GA_ARENA_INIT;
  gg__looping *x = ga__arena_alloc(&m, sizeof *x);

  if (x == NULL)
    return NULL;
  x->n_in = n_in;
  x->n_out = n_out;
  x->limit = x->until = x->count = GG_NONE;
  x->in = ga__arena_alloc(&m, n_in * sizeof *x->in);
  x->out = ga__arena_alloc(&m, n_out * sizeof *x->out);
  x->in_rows = ga__arena_alloc(&m, n_in * sizeof *x->in_rows);
  x->out_rows = ga__arena_alloc(&m, n_out * sizeof *x->out_rows);
  x->in_list = ga__arena_alloc(&m, n_in * sizeof *x->in_list);
  x->now = ga__arena_alloc(&m, max_slots * sizeof *x->now);
  if (x->in == NULL || x->out == NULL || x->in_rows == NULL ||
      x->out_rows == NULL || x->in_list == NULL || x->now == NULL) {
    ga__arena_clear(&m);
    return NULL;
  }
  for (unsigned int i = 0; i < n_in; i++)
    x->in_list[i] = &x->in_rows[i];
  x->arena = m;
  enlist(x, body);
  return x;
}

int gg__looping_row(gg__looping *x, const gg_var *v, const gg_dims *d,
                    const ssize_t *strides, GpuArray *out) {
  GA_TRY(gg__blank_array(&x->arena, v, d, 0, out));
  for (unsigned int k = 0; strides != NULL && k < out->nd; k++)
    out->strides[k] = strides[k];
  GpuArray_fix_flags(out);
  return GA_NO_ERROR;
}

/* --- the body's plan --- */

void gg__looping_free(void *state) {
  gg__looping *x = state;
  ga__arena arena = x->arena; /* which holds x */

  keep_figures(x);
  strike_out(x);
  if (x->plan != NULL && x->body->bound == x->plan)
    x->body->bound = NULL;
  gg__plan_free(x->plan);
  ga__arena_clear(&arena);
}

void gg__looping_renew(gg__looping *x, gg__looping *old) {
  if (old == NULL)
    return;
  keep_figures(old);
  x->plan = old->plan;
  x->is_stale = x->plan != NULL;
  old->plan = NULL;
}

/* The alignment of an offset in bytes. */
static size_t alignment(size_t off) {
  return off == 0 ? ALIGN : off & (~off + 1);
}

/* The offset of a row with the worst alignment, which is that of the first or
 * the second row. */
static size_t worst_offset(const gg__moving *m, const size_t *offs) {
  const size_t first = offs[m->slot];
  const size_t second = (size_t)((ssize_t)first + m->step);

  return m->rows > 1 && alignment(second) < alignment(first) ? second : first;
}

/* Kernels refuse outputs that overlap inputs. The body reads and writes rows of
 * a state; if both were put at the offset with the worst alignment, they would
 * overlap. So the rows that it reads get memory of their own while the body is
 * planned. The caller releases row->data. */
static int stand_in(const gg__looping *x, const gg__moving *m, GpuArray *row) {
  const size_t off = worst_offset(m, x->now) % ALIGN;
  int err = GA_NO_ERROR;

  row->offset = off;
  row->data = gpudata_alloc(x->body->program.g->ctx, off + (size_t)m->step,
                            NULL, 0, &err);
  return row->data != NULL ? GA_NO_ERROR : err;
}

static int place_rows(gg__looping *x, gpudata *const *bufs) {
  gg__unit *body = x->body;

  for (unsigned int i = 0; i < x->n_in; i++) {
    x->in_rows[i].data = bufs[x->in[i].slot];
    x->in_rows[i].offset = worst_offset(&x->in[i], x->now);
  }
  for (unsigned int i = 0; i < x->n_out; i++) {
    x->out_rows[i].data = bufs[x->out[i].slot];
    x->out_rows[i].offset = worst_offset(&x->out[i], x->now);
    body->frame.out[i] = &x->out_rows[i];
  }
  for (unsigned int i = x->first_tap; i < x->first_tap + x->n_taps; i++)
    x->in_rows[i].data = NULL;
  for (unsigned int i = x->first_tap; i < x->first_tap + x->n_taps; i++)
    GA_TRY(stand_in(x, &x->in[i], &x->in_rows[i]));
  return GA_NO_ERROR;
}

static int make_plan(gg__looping *x, gpudata *const *bufs) {
  gg__unit *body = x->body;
  gg__sizes sizes = {.dims = NULL};
  int err;

  keep_figures(x);
  x->is_stale = 1;
  body->frame.in = x->in_list;
  GA_CHECK(place_rows(x, bufs));
  GA_CHECK(body->ops->measure(&sizes, &body->program, x->in_list));
  body->whole = x;
  err = body->ops->plan(&x->plan, body, &sizes);
  body->whole = NULL;
  if (err == GA_NO_ERROR && x->plan->at_once != 0 && x->plan->launches.n > 1)
    /* A view became a copy: the body needs two launches in each iteration. */
    err = body->ops->plan(&x->plan, body, &sizes);
done:
  gg__sizes_clear(&sizes);
  for (unsigned int i = x->first_tap; i < x->first_tap + x->n_taps; i++)
    gpudata_release(x->in_rows[i].data);
  body->bound = NULL; /* temporaries may have been replaced */
  if (body->frees_temps)
    gg__temps_free(body, x->plan);
  x->is_stale = x->plan != NULL && err != GA_NO_ERROR;
  return err;
}

int gg__looping_ready(gg__looping *x, gpudata *const *bufs,
                      const size_t *offs) {
  int same = x->plan != NULL && !x->is_stale;

  for (unsigned int i = 0; i < x->n_slots; i++) {
    same &= x->now[i] % ALIGN == offs[i] % ALIGN;
    x->now[i] = offs[i];
  }
  return same ? GA_NO_ERROR : make_plan(x, bufs);
}

/* --- one iteration --- */

static size_t row_offset(const gg__moving *m, size_t t, size_t top,
                         size_t base) {
  size_t row = m->reversed ? top - 1 - t : t + m->shift;

  if (m->ring != 0)
    row %= m->ring;
  return (size_t)((ssize_t)base + (ssize_t)row * m->step);
}

/* Bind the stores that do not move while the loop runs. */
static int bind_inside(gg__looping *x) {
  gg__plan *p = x->plan;

  if (x->body->bound == p)
    return GA_NO_ERROR;
  for (size_t k = 0; k < p->stores.n; k++) {
    gg__store *s = &p->stores.v[k];
    if (s->kind != GG_STORE_INPUT && s->kind != GG_STORE_OUTPUT)
      GA_TRY(gg__store_refresh(x->body, p, s));
  }
  x->body->bound = p;
  return GA_NO_ERROR;
}

static int bind_rows(gg__looping *x, size_t t, size_t top, gpudata *const *bufs,
                     const size_t *offs) {
  gg__plan *p = x->plan;

  for (size_t k = 0; k < p->outside.n; k++) {
    gg__store *s = &p->stores.v[p->outside.v[k]];
    const gg__moving *m =
        s->kind == GG_STORE_INPUT ? &x->in[s->index] : &x->out[s->index];
    GA_TRY(gg__store_bind(p, s, bufs[m->slot],
                          row_offset(m, t, top, offs[m->slot])));
  }
  return GA_NO_ERROR;
}

/* --- the loop --- */

int gg__looping_read(gg__unit *body, void *to, gpudata *from, size_t offset,
                     size_t bytes) {
  const uint64_t start = body->times_waits ? ga__now_ns() : 0;
  const int err = gpudata_read(to, from, offset, bytes);

  if (body->times_waits) {
    body->waited.calls++;
    body->waited.seconds += 1e-9 * (double)(ga__now_ns() - start);
  }
  return err;
}

static int read_limit(const gg__looping *x, gpudata *const *bufs,
                      const size_t *offs, size_t *n) {
  int64_t count = 0;

  if (x->limit == GG_NONE)
    return GA_NO_ERROR;
  GA_TRY(gg__looping_read(x->body, &count, bufs[x->limit], offs[x->limit],
                          sizeof count));
  if (count < (int64_t)*n)
    *n = count > 0 ? (size_t)count : 0;
  return GA_NO_ERROR;
}

/* In watched calls, put the iteration in front of the message of a step. */
static int fail_at(const gg__looping *x, size_t t, int err) {
  if (x->body->watch != 0)
    ga__fail(err, "iteration %zu: %s", t, ga__err_text(err));
  return err;
}

/* Run up to n iterations; *done is how many ran. */
static int run_steps(gg__looping *x, size_t n, size_t top, gpudata *const *bufs,
                     const size_t *offs, size_t *done) {
  const size_t runs = x->plan->at_once != 0 && n > 0 ? 1 : n;
  unsigned char end = 0;
  size_t t;

  for (t = 0; t < runs && !end; t++) {
    GA_TRY(bind_rows(x, t, top, bufs, offs));
    int err = x->body->ops->run(x->body, x->plan);
    if (err != GA_NO_ERROR)
      return fail_at(x, t, err);
    if (x->until != GG_NONE)
      GA_TRY(
          gg__looping_read(x->body, &end, bufs[x->until], offs[x->until], 1));
  }
  *done = t == runs ? n : t;
  return GA_NO_ERROR;
}

/* Copy last values to their slots. After no iterations (n = 0) only states have
 * one: their last initial value. */
static int copy_lasts(const gg__looping *x, size_t n, size_t top,
                      gpudata *const *bufs, const size_t *offs) {
  for (unsigned int i = 0; i < x->n_lasts; i++) {
    const gg__last *l = &x->lasts[i];
    if (l->bytes == 0 || (n == 0 && l->from->shift == 0))
      continue;
    size_t from = row_offset(l->from, n - 1, top, offs[l->from->slot]);
    GA_TRY(gpudata_move(bufs[l->slot], offs[l->slot], bufs[l->from->slot], from,
                        l->bytes));
  }
  return GA_NO_ERROR;
}

/* Run the loop; *done is how many iterations ran. */
static int run_loop(gg__looping *x, gpudata *const *bufs, const size_t *offs,
                    size_t *done) {
  size_t top = x->steps;

  GA_TRY(gg__looping_ready(x, bufs, offs));
  GA_TRY(read_limit(x, bufs, offs, &top));
  size_t n = x->most != 0 && x->most < top ? x->most : top;
  GA_TRY(bind_inside(x));
  GA_TRY(run_steps(x, n, top, bufs, offs, done));
  return copy_lasts(x, *done, top, bufs, offs);
}

/* Free the temporaries of the body, and let go of those around it. */
static void free_temps(gg__looping *x) {
  gg__temps_free(x->body, x->plan);
  if (x->plan == NULL)
    return;
  gg__unbind(x->plan, GG_STORE_INPUT);
  gg__unbind(x->plan, GG_STORE_OUTPUT);
}

int gg__looping_run(void *state, gpucontext *ctx, gpudata *const *bufs,
                    const size_t *offs) {
  gg__looping *x = state;
  size_t n = 0;

  (void)ctx;
  const int err = run_loop(x, bufs, offs, &n);
  if (x->body->frees_temps)
    free_temps(x);
  if (err != GA_NO_ERROR || x->count == GG_NONE)
    return err;
  const int64_t count = (int64_t)n;
  return gpudata_write(bufs[x->count], offs[x->count], &count, sizeof count);
}
