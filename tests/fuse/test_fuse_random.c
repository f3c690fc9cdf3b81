/* SPDX-License-Identifier: BSD-2-Clause */
/* That fusion never changes a value: random graphs, which have several results
 * and update shared variables, against the interpreter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"
#include "support/interp.h"
#include "support/lcg.h"

static gg_graph *g;

enum { ROWS = 5, COLS = 7, KINDS = 5, MAX_VARS = 200, MAX_RESULTS = 8 };

/* A matrix, a row and a column as vectors, a number, the matrix transposed. */
static const unsigned int kind_nd[KINDS] = {2, 1, 1, 0, 2};
static const size_t kind_dims[KINDS][2] = {
    {ROWS, COLS}, {COLS, 0}, {ROWS, 0}, {0, 0}, {COLS, ROWS}};
static const size_t kind_size[KINDS] = {ROWS * COLS, COLS, ROWS, 1, ROWS *COLS};

static struct {
  uint64_t seed;
  gg_var *v[KINDS][MAX_VARS];
  unsigned int n[KINDS];
  gg_var *in[KINDS + 1], *shared[KINDS];
  double value[KINDS][ROWS * COLS];
  GpuArray arrays[KINDS];
} rg;

static unsigned int draw(unsigned int n) {
  return (unsigned int)lcg_below(&rg.seed, n);
}

static void grow(unsigned int kind, gg_var *v) {
  assert_non_null(v);
  if (rg.n[kind] < MAX_VARS)
    rg.v[kind][rg.n[kind]++] = v;
}

/* Any variable of a kind, most often a late one. */
static gg_var *pick(unsigned int kind) {
  const unsigned int n = rg.n[kind], last = n < 8 ? n : 8;

  return rg.v[kind][draw(3) ? n - 1 - draw(last) : draw(n)];
}

/* All values stay about between -1 and 1, and no function is steep, so that
 * rounding does not grow. */
static gg_var *random_unary(gg_var *x) {
  switch (draw(8)) {
  case 0:
    return gg_tanh(x);
  case 1:
    return gg_sigmoid(x);
  case 2:
    return gg_neg(x);
  case 3:
    return gg_abs(x);
  case 4:
    return gg_sqr(gg_tanh(x));
  case 5:
    return gg_mul(x, gg_f32(g, 0.75f));
  case 6:
    return gg_exp(gg_neg(gg_abs(x)));
  default:
    return gg_sin(x);
  }
}

static gg_var *random_binary(gg_var *x, gg_var *y) {
  gg_var *half = gg_f32(g, 0.5f);

  switch (draw(5)) {
  case 0:
    return gg_mul(gg_add(x, y), half);
  case 1:
    return gg_mul(x, y);
  case 2:
    return gg_mul(gg_sub(x, y), half);
  case 3:
    return gg_maximum(x, y);
  default:
    return gg_minimum(x, y);
  }
}

/* --- steps by which a graph grows --- */

static gg_var *as_column(gg_var *v) {
  return gg_dimshuffle(v, 2, (int[]){0, -1});
}

static void grow_reduction(void) {
  gg_var *m = pick(0);
  const unsigned int axis = draw(2);
  const int axes[1] = {(int)axis};

  if (draw(4) == 0)
    grow(3, draw(2) ? gg_mean(m) : gg_max(pick(1 + draw(2))));
  else if (draw(2))
    grow(axis == 0 ? 1 : 2, gg_mean_axis(m, (int)axis));
  else
    grow(axis == 0 ? 1 : 2, gg_reduce(GG_MAX, m, 1, axes, 0));
}

static void grow_other(void) {
  switch (draw(6)) {
  case 0:
    grow(4, gg_transpose(pick(0)));
    break;
  case 1:
    grow(0, gg_transpose(pick(4)));
    break;
  case 2:
    grow(2, gg_mul(gg_dot(pick(0), pick(1)), gg_f32(g, 1.0f / COLS)));
    break;
  case 3:
    grow(1, gg_mul(gg_dot(pick(2), pick(0)), gg_f32(g, 1.0f / ROWS)));
    break;
  case 4:
    grow(0, gg_slice(pick(0), (int)draw(2), GG_END, GG_END, -1));
    break;
  default:
    grow(0, gg_reshape(gg_flatten(pick(0)), 2, (int64_t[]){-1, COLS}));
  }
}

static void grow_graph(void) {
  const unsigned int kind = draw(KINDS);

  switch (draw(8)) {
  case 0:
  case 1:
    grow(kind, random_unary(pick(kind)));
    break;
  case 2:
  case 3:
    grow(kind, random_binary(pick(kind), pick(kind)));
    break;
  case 4:
    grow(0, random_binary(pick(0), draw(2) ? pick(1) : as_column(pick(2))));
    break;
  case 5:
    grow(kind, random_binary(pick(kind), pick(3)));
    break;
  case 6:
    grow_reduction();
    break;
  default:
    grow_other();
  }
}

static void begin_random(unsigned int seed) {
  float v[ROWS * COLS];

  memset(&rg, 0, sizeof rg);
  rg.seed = seed * UINT64_C(2654435761) + 1;
  for (unsigned int k = 0; k < KINDS; k++) {
    test_fill(v, GA_FLOAT, kind_size[k], -1, 1, seed * 10 + k);
    for (size_t i = 0; i < kind_size[k]; i++)
      rg.value[k][i] = v[i];
    float_array(&rg.arrays[k], kind_nd[k], kind_dims[k], v);
    rg.in[k] = gg_input(g, "in", GA_FLOAT, kind_nd[k]);
    test_fill(v, GA_FLOAT, kind_size[k], -1, 1, seed * 10 + 5 + k);
    rg.shared[k] =
        gg_shared_host(g, "shared", GA_FLOAT, kind_nd[k], kind_dims[k], v);
    grow(k, rg.in[k]);
    grow(k, rg.shared[k]);
  }
}

/* --- results --- */

/* What is asked for: outputs, then the new values of shared variables. */
typedef struct results {
  gg_var *v[MAX_RESULTS + 1];
  unsigned int n_outputs, n;
  gg_update updates[KINDS + 1];
  double want[MAX_RESULTS][ROWS * COLS];
  size_t size[MAX_RESULTS];
} results;

static void choose_results(results *r) {
  unsigned int kind = draw(KINDS), n_updates = draw(4);

  memset(r, 0, sizeof *r);
  r->n_outputs = 1 + draw(4);
  for (unsigned int i = 0; i < r->n_outputs; i++)
    r->v[i] = pick(draw(KINDS));
  for (unsigned int i = 0; i < n_updates; i++, kind = (kind + 1) % KINDS)
    r->updates[i] = (gg_update){rg.shared[kind], pick(kind)};
  r->n = r->n_outputs + n_updates;
}

static void interpret(results *r) {
  interp *it = interp_new();

  for (unsigned int k = 0; k < KINDS; k++)
    interp_bind(it, rg.in[k], kind_nd[k], kind_dims[k], rg.value[k]);
  for (unsigned int i = 0; i < r->n; i++) {
    const tensor *t = interp_eval(
        it, i < r->n_outputs ? r->v[i] : r->updates[i - r->n_outputs].value);
    r->size[i] = t->n;
    memcpy(r->want[i], t->v, t->n * sizeof *t->v);
  }
  interp_free(it);
}

static void compare(const results *r, const GpuArray *arrays,
                    unsigned int seed) {
  float got[ROWS * COLS];

  for (unsigned int i = 0; i < r->n; i++) {
    if (i < r->n_outputs)
      test_gather(&arrays[i], got);
    else
      assert_ok(gg_shared_read(r->updates[i - r->n_outputs].shared, got,
                               r->size[i] * sizeof *got));
    for (size_t k = 0; k < r->size[i]; k++)
      if (!(fabs(got[k] - r->want[i][k]) < 2e-4))
        fail_msg("graph %u: result %u: element %zu: got %g, expected %g", seed,
                 i, k, got[k], r->want[i][k]);
  }
}

/* --- all of it --- */

/* Three calls, so that updates build on one another. */
static void check_random(unsigned int seed, unsigned int size, gg_mode mode) {
  GpuArray arrays[MAX_RESULTS], *out_list[MAX_RESULTS], *in_list[KINDS];
  results r;
  gg_func *f;

  g = gg_graph_new(test_context());
  begin_random(seed);
  for (unsigned int i = 0; i < size; i++)
    grow_graph();
  choose_results(&r);
  memset(arrays, 0, sizeof arrays);
  for (unsigned int i = 0; i < MAX_RESULTS; i++)
    out_list[i] = &arrays[i];
  for (unsigned int i = 0; i < KINDS; i++)
    in_list[i] = &rg.arrays[i];
  r.v[r.n_outputs] = NULL;
  f = func_make(g, &(gg_func_spec){.inputs = rg.in,
                                   .outputs = r.v,
                                   .updates = r.updates,
                                   .mode = mode,
                                   .flags = GG_ALLOW_UNUSED_INPUT});
  for (unsigned int i = 0; i < 3; i++) {
    interpret(&r);
    func_run(f, in_list, out_list);
    compare(&r, arrays, seed);
  }
  gg_func_free(f);
  for (unsigned int i = 0; i < MAX_RESULTS; i++)
    GpuArray_clear(&arrays[i]);
  for (unsigned int i = 0; i < KINDS; i++)
    GpuArray_clear(&rg.arrays[i]);
  gg_graph_free(g);
  g = NULL;
}

/* GG_RANDOM_GRAPHS asks for more than a few. */
static void test_random(void **state) {
  const char *text = getenv("GG_RANDOM_GRAPHS");
  const unsigned int n = text != NULL ? (unsigned int)atoi(text) : 4;

  (void)state;
  for (unsigned int i = 1; i <= n; i++)
    check_random(i, 10 + i % 40, i % 4 == 0 ? GG_NO_REWRITE : GG_FAST_RUN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
