/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams: the state of each draw, and its update. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "ops/random/draw.h"
#include "ops/value_size.h"

enum {
  MRG_STATE = 6,     /* integers in the state of a substream */
  MRG_APART = 134,   /* log2 of the distance between streams */
  MRG_MANY = 1 << 30 /* elements assumed for a draw of unknown size */
};

/* The stream of one draw. */
typedef struct stream {
  gg_var *state, *next;
  size_t substreams; /* MRG31k3p */
} stream;

struct gg_random {
  gg_graph *g;
  gg_generator kind;
  uint64_t seed;
  int32_t mrg[MRG_STATE]; /* state of the next stream */
  GA_VEC(stream) streams;
  GA_VEC(gg_update) updates; /* the list that gg_random_updates returned last */
};

/* --- errors --- */

/* Record an error in the graph. */
static int fail(const gg_random *r, int code, const char *text) {
  gg_var *seed = gg_i64(r->g, (int64_t)r->seed);

  if (seed != NULL)
    gg__refuse(r->kind == GG_PHILOX ? &gg__op_philox : &gg__op_mrg31k3p, 1,
               &seed, code, "%s", text);
  return code;
}

int gg__draw_given(const gg_random *r, const char *what, const void *p) {
  char text[80];

  if (p != NULL || r == NULL)
    return r != NULL;
  snprintf(text, sizeof text, "%s is NULL", what);
  fail(r, GA_VALUE_ERROR, text);
  return 0;
}

static int check_array(const gg_random *r, int err) {
  if (err == GA_NO_ERROR)
    return err;
  return fail(r, err, ga__err_text(err));
}

/* --- states --- */

static void start_mrg(gg_random *r) {
  for (int i = 0; i < MRG_STATE; i++)
    r->mrg[i] = (int32_t)r->seed;
}

static int check_seed(const gg_random *r) {
  const uint64_t below = 2147462579; /* the smaller modulus of MRG31k3p */

  if (r->seed == 0)
    return fail(r, GA_VALUE_ERROR, "seed: expected at least 1, got 0");
  if (r->kind == GG_MRG31K3P && r->seed >= below)
    return fail(r, GA_VALUE_ERROR,
                "seed: MRG31k3p takes numbers below 2147462579");
  return GA_NO_ERROR;
}

/* The state of stream i. States of MRG31k3p must be made in order, because each
 * call advances r->mrg. */
static int make_state(gg_random *r, size_t i, size_t substreams,
                      GpuArray *out) {
  gpucontext *ctx = gg_graph_context(r->g);

  if (r->kind == GG_PHILOX)
    return check_array(r, GpuRandom_philox(out, ctx, r->seed, i));
  GA_TRY(check_array(r, GpuRandom_mrg31k3p(out, ctx, r->mrg, substreams)));
  return check_array(r, GpuRandom_mrg31k3p_jump(r->mrg, MRG_APART));
}

/* --- making and freeing --- */

gg_random *gg_random_new(gg_graph *g, gg_generator kind, uint64_t seed) {
  const gg_random made = {.g = g, .kind = kind, .seed = seed};

  if (g == NULL || check_seed(&made) != GA_NO_ERROR)
    return NULL;
  gg_random *r = ga__malloc(sizeof *r);
  if (r == NULL) {
    fail(&made, GA_MEMORY_ERROR, "out of host memory");
    return NULL;
  }
  *r = made;
  start_mrg(r);
  return r;
}

void gg_random_free(gg_random *r) {
  if (r == NULL)
    return;
  ga__vec_clear(&r->streams);
  ga__vec_clear(&r->updates);
  ga__free(r);
}

/* Nonzero if r is not NULL. Otherwise there is no graph in which to record the
 * error. */
static int is_given(const gg_random *r, const char *call) {
  if (r == NULL)
    ga__fail(GA_VALUE_ERROR, "%s: the source is NULL", call);
  return r != NULL;
}

static int reset_streams(gg_random *r) {
  GpuArray value;
  int err = GA_NO_ERROR;

  for (size_t i = 0; i < r->streams.n && err == GA_NO_ERROR; i++) {
    memset(&value, 0, sizeof value);
    err = make_state(r, i, r->streams.v[i].substreams, &value);
    if (err == GA_NO_ERROR)
      err = gg_shared_set(r->streams.v[i].state, &value);
    GpuArray_clear(&value);
  }
  return err;
}

int gg_random_seed(gg_random *r, uint64_t seed) {
  if (!is_given(r, "gg_random_seed"))
    return GA_VALUE_ERROR;
  const uint64_t before = r->seed;
  r->seed = seed;
  int err = check_seed(r);
  if (err != GA_NO_ERROR) {
    r->seed = before;
    return err;
  }
  start_mrg(r);
  return reset_streams(r);
}

size_t gg_random_count(const gg_random *r) {
  return is_given(r, "gg_random_count") ? r->streams.n : 0;
}

gg_var *gg_random_state(const gg_random *r, size_t i) {
  return is_given(r, "gg_random_state") && i < r->streams.n
             ? r->streams.v[i].state
             : NULL;
}

static int list_updates(gg_random *r, const gg_update *more) {
  const gg_update end = {NULL, NULL};

  r->updates.n = 0;
  for (; more != NULL && more->shared != NULL; more++)
    GA_TRY(ga__vec_push(&r->updates, *more));
  for (size_t i = 0; i < r->streams.n; i++) {
    const gg_update u = {r->streams.v[i].state, r->streams.v[i].next};
    GA_TRY(ga__vec_push(&r->updates, u));
  }
  return ga__vec_push(&r->updates, end);
}

const gg_update *gg_random_updates(gg_random *r, const gg_update *more) {
  if (!is_given(r, "gg_random_updates"))
    return NULL;
  if (list_updates(r, more) == GA_NO_ERROR)
    return r->updates.v;
  fail(r, GA_MEMORY_ERROR, "out of host memory");
  return NULL;
}

/* --- draws --- */

/* The number of elements of a draw, GG_ANY if unknown. */
static int64_t draw_size(const gg_draw *d) {
  const int is_like = d->nd == GG_LIKE;
  const unsigned int nd = is_like ? gg_var_type(d->like)->nd : d->nd;
  const int64_t *dims = is_like ? gg_var_type(d->like)->dims : d->dims;
  int64_t n = 1;

  for (unsigned int i = 0; i < nd; i++) {
    if (dims[i] == GG_ANY)
      return GG_ANY;
    n *= dims[i];
  }
  return n;
}

static int check_draw(const gg_random *r, const gg_draw *d) {
  if (d->nd == GG_LIKE)
    return GA_NO_ERROR;
  if (d->nd > GG_MAX_ND)
    return fail(r, GA_VALUE_ERROR, "a draw of too many dimensions");
  for (unsigned int i = 0; i < d->nd; i++)
    if (d->dims[i] < 0)
      return fail(r, GA_VALUE_ERROR, "a draw of negative size");
  if (!gg__sizes_fit(d->nd, d->dims))
    return fail(r, GA_XLARGE_ERROR, "the sizes of a draw are too large");
  return GA_NO_ERROR;
}

static gg_var *share_state(gg_random *r, size_t substreams) {
  GpuArray value = {0};
  gg_var *v = NULL;

  if (make_state(r, r->streams.n, substreams, &value) == GA_NO_ERROR)
    v = gg_shared(r->g, "random", &value);
  GpuArray_clear(&value);
  return v;
}

/* The state is {seed, index of the next draw}, uint64. */
static gg_var *next_philox(gg_var *state) {
  static const uint64_t one[2] = {0, 1};
  const size_t dim = 2;

  return gg_add(state,
                gg_constant(gg_var_graph(state), GA_ULONG, 1, &dim, one));
}

static void fill_props(gg__draw_props *p, const gg_draw *d, ga_random what,
                       int dtype) {
  memset(p, 0, sizeof *p);
  p->what = (int32_t)what;
  p->dtype = dtype;
  if (d->nd == GG_LIKE)
    return;
  p->nd = d->nd;
  memcpy(p->dims, d->dims, d->nd * sizeof d->dims[0]);
}

/* Draw from `state`, and set *next to the state after it. */
static gg_var *apply_draw(const gg_random *r, const gg__draw_props *p,
                          gg_var *state, gg_var *like, gg_var **next) {
  gg_var *const in[2] = {state, like};
  const unsigned int n = like != NULL ? 2 : 1;

  if (r->kind == GG_PHILOX) {
    *next = next_philox(state);
    return gg_op_apply(r->g, &gg__op_philox, p, n, in);
  }
  gg_var *v = gg_op_apply(r->g, &gg__op_mrg31k3p, p, n, in);
  *next = v != NULL ? gg_var_owner(v)->out[1] : NULL;
  return v;
}

gg_var *gg__draw(gg_random *r, const gg_draw *d, ga_random what, int dtype) {
  const int is_like = d != NULL && d->nd == GG_LIKE;
  stream s = {NULL, NULL, 0};
  gg__draw_props p;

  if (!gg__draw_given(r, "the draw", d) ||
      (is_like && !gg__draw_given(r, "the draw's `like`", d->like)) ||
      check_draw(r, d) != GA_NO_ERROR)
    return NULL;
  int64_t n = draw_size(d);
  s.substreams =
      GpuRandom_mrg31k3p_substreams(n == GG_ANY ? MRG_MANY : (size_t)n);
  s.state = share_state(r, s.substreams);
  if (s.state == NULL)
    return NULL;
  fill_props(&p, d, what, dtype);
  gg_var *v = apply_draw(r, &p, s.state, is_like ? d->like : NULL, &s.next);
  if (v == NULL || s.next == NULL ||
      gg_shared_set_update(s.state, s.next) != GA_NO_ERROR)
    return NULL;
  if (ga__vec_push(&r->streams, s) != GA_NO_ERROR) {
    fail(r, GA_MEMORY_ERROR, "out of host memory");
    return NULL;
  }
  return v;
}
