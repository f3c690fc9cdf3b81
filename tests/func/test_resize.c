/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls with sizes that a function has not seen: its plans are made from older
 * ones, so results, errors and memory are compared with those of a function
 * that is new. */
#include <gpuarray/profile.h>
#include <gpugraph/report.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "func/func.h"
#include "ocl/launch/launch.h"
#include "support/graph_case.h"

enum { MOST = 24, ELEMENTS = MOST * MOST, N_IN = 3, N_OUT = 7 };

static float values[4 * ELEMENTS], zeros[4096];

static unsigned int seed;

static size_t draw(size_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % n;
}

/* --- a program of all kinds of steps --- */

/* The sum of the rows of h, by a loop. */
static gg_var *sum_by_loop(gg_var *h) {
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, h, 0);
  gg_var *sum = gg_scan_state(
      s, gg_mul(gg_reduce(GG_SUM, h, 1, (int[]){0}, 0), gg_f32(g, 0)));

  gg_scan_next(s, sum, gg_add(gg_mul(sum, gg_f32(g, 0.5)), row));
  gg_scan_close(s);
  gg_var *last = gg_scan_last(s, sum);
  gg_scan_free(s);
  return last;
}

/* Equal layers, whose steps have the same sizes: products with and without an
 * epilogue, a row program, a reduction, a map. */
static gg_var *deep(gg_var *x, gg_var *w) {
  for (int i = 0; i < 3; i++) {
    gg_var *h = gg_dot(gg_dot(x, w), gg_transpose(w));
    gg_var *t = gg_tanh(gg_mul(h, gg_f32(g, 0.125)));
    gg_var *norm = gg_reduce(GG_SUM, gg_sqr(t), 1, (int[]){1}, 1);
    gg_var *rows = gg_div(t, gg_add(norm, gg_f32(g, 1)));
    x = gg_add(rows, gg_reduce(GG_SUM, rows, 1, (int[]){0}, 0));
  }
  return x;
}

/* Products that add to c: the second one may do so in the memory of c. */
static gg_var *adding(gg_var *x, gg_var *w) {
  gg_var *c = gg_tanh(gg_dot(x, w));
  gg_var *first = gg_add(gg_dot(x, w), c);
  gg_var *second = gg_add(gg_dot(gg_exp(x), w), c);

  return gg_dot(gg_transpose(first), second);
}

typedef struct program {
  gg_var *in[N_IN + 1], *out[N_OUT + 1];
} program;

/* A product with an epilogue, a row program, reductions, copies, views, a loop,
 * layers. */
static program build(void) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *w = gg_input(g, "w", GA_FLOAT, 2),
         *bias = gg_input(g, "b", GA_FLOAT, 1);
  gg_var *h = gg_tanh(gg_add(gg_dot(x, w), bias));
  gg_var *mean = gg_reduce(GG_SUM, gg_sqr(h), 1, (int[]){0}, 0);
  gg_var *rows = gg_softmax(gg_mul(h, mean));

  return (program){.in = {x, w, bias},
                   .out = {gg_add(rows, mean),
                           gg_join(1, 2, (gg_var *[]){h, rows}),
                           gg_transpose(h), sum_by_loop(h),
                           gg_dot(gg_transpose(x),
                                  gg_reduce(GG_MAX, rows, 1, (int[]){1}, 0)),
                           deep(x, w), adding(x, w)}};
}

static gg_func *make(program *p) {
  return func_make(g, &(gg_func_spec){.inputs = p->in, .outputs = p->out});
}

/* An array of these sizes: in C order, transposed, or a part of a larger one,
 * which may begin at any element. */
static void make_array(GpuArray *x, unsigned int nd, const size_t *dims) {
  const size_t how = draw(4), all[2] = {2 * ELEMENTS, 1};
  ssize_t strides[2] = {4, 4};
  GpuArray whole;

  test_array(&whole, GA_FLOAT, 1, all, values);
  if (nd == 2 && how == 1)
    strides[1] = 4 * (ssize_t)dims[0];
  else if (nd == 2)
    strides[0] = 4 * (ssize_t)(dims[1] + (how == 2 ? draw(8) : 0));
  assert_ok(GpuArray_fromdata(x, whole.data, how == 3 ? 4 * draw(4) : 0,
                              GA_FLOAT, nd, dims, strides, 1));
  GpuArray_clear(&whole);
}

static void make_arrays(GpuArray *in) {
  static const size_t sizes[] = {0, 1, 2, 3, 8, 16, MOST};
  const size_t n_sizes = sizeof sizes / sizeof *sizes;
  const size_t m = sizes[draw(n_sizes)], k = sizes[draw(n_sizes)],
               n = draw(3) == 0 ? m : sizes[draw(n_sizes)];

  make_array(&in[0], 2, (size_t[]){m, k});
  make_array(&in[1], 2, (size_t[]){k, n});
  make_array(&in[2], 1, &n);
}

static int call(gg_func *f, GpuArray *in, GpuArray *results) {
  GpuArray *args[N_IN], *to[N_OUT];

  memset(results, 0, N_OUT * sizeof *results);
  for (int i = 0; i < N_IN; i++)
    args[i] = &in[i];
  for (int i = 0; i < N_OUT; i++)
    to[i] = &results[i];
  return gg_func_call(f, args, to);
}

static void clear(GpuArray *v, int n) {
  for (int i = 0; i < n; i++)
    GpuArray_clear(&v[i]);
}

static void assert_same(const GpuArray *x, const GpuArray *y) {
  static float got[2][4 * ELEMENTS];
  size_t n = 1;

  assert_int_equal(x->nd, y->nd);
  for (unsigned int d = 0; d < x->nd; d++) {
    assert_int_equal(x->dimensions[d], y->dimensions[d]);
    n *= x->dimensions[d];
  }
  if (n == 0)
    return;
  assert_ok(GpuArray_read(got[0], n * sizeof(float), x));
  assert_ok(GpuArray_read(got[1], n * sizeof(float), y));
  assert_memory_equal(got[0], got[1], n * sizeof(float));
}

/* --- launches --- */

/* Is this argument a buffer or a workspace? Each launch has its own ones. */
static int is_memory(const GpuLaunch *l, unsigned int step,
                     unsigned int index) {
  for (size_t i = 0; i < l->args.n; i++)
    if (l->args.v[i].step == step && l->args.v[i].index == index)
      return l->args.v[i].kind == GA_ARG_BUFFER;
  for (size_t i = 0; i < l->work_args.n; i++)
    if (l->work_args.v[i].step == step && l->work_args.v[i].index == index)
      return 1;
  return 0;
}

/* The same kernel for as many work-items, with the same arguments. */
static void assert_same_step(const GpuLaunch *l, const GpuLaunch *fresh,
                             unsigned int k) {
  const ga__step *s = &l->steps.v[k], *t = &fresh->steps.v[k];

  assert_int_equal(s->kernel != NULL, t->kernel != NULL);
  assert_int_equal(s->n_key, t->n_key);
  if (s->n_key > 0)
    assert_memory_equal(s->key, t->key, s->n_key * sizeof *s->key);
  assert_int_equal(s->nd, t->nd);
  assert_int_equal(s->has_ls, t->has_ls);
  assert_int_equal(s->is_empty, t->is_empty);
  for (unsigned int d = 0; d < s->nd; d++) {
    assert_int_equal(s->gs[d], t->gs[d]);
    assert_int_equal(s->ls[d], t->ls[d]);
  }
  assert_int_equal(s->values.n, t->values.n);
  for (unsigned int i = 0; i < s->values.n; i++)
    if (!is_memory(l, k, i))
      assert_memory_equal(&s->values.v[i], &t->values.v[i],
                          sizeof s->values.v[i]);
}

static void assert_same_launch(const GpuLaunch *l, const GpuLaunch *fresh) {
  assert_int_equal(l->steps.n, fresh->steps.n);
  assert_int_equal(l->n_slots, fresh->n_slots);
  assert_int_equal(l->args.n, fresh->args.n);
  if (l->args.n > 0)
    assert_memory_equal(l->args.v, fresh->args.v,
                        l->args.n * sizeof *l->args.v);
  assert_memory_equal(l->first, fresh->first,
                      (l->n_slots + 1) * sizeof *l->first);
  assert_memory_equal(l->aligns, fresh->aligns, l->n_slots * sizeof *l->aligns);
  assert_int_equal(l->work_args.n, fresh->work_args.n);
  assert_true(l->bytes == fresh->bytes && l->flops == fresh->flops);
  for (unsigned int k = 0; k < l->steps.n; k++)
    assert_same_step(l, fresh, k);
}

/* The launches of the plan that f has made last are those of a new function. */
static void assert_same_launches(const gg_func *f, const gg_func *fresh) {
  const gg__plan *p = f->unit.bound, *q = fresh->unit.bound;

  assert_int_equal(p->launches.n, q->launches.n);
  for (size_t k = 0; k < p->launches.n; k++)
    assert_same_launch(p->launches.v[k].launch, q->launches.v[k].launch);
}

/* The same results, or the same error, as from a new function. If the call
 * makes a plan, the same launches: one that is found may have been made for
 * other strides of axes of size 1. */
static void compare(program *p, gg_func *f, GpuArray *in) {
  GpuArray got[N_OUT], want[N_OUT];
  gg_func *fresh = make(p);
  const int err = call(fresh, in, want);
  const size_t plans = func_stats(f).plans;

  assert_int_equal(call(f, in, got), err);
  for (int i = 0; i < N_OUT && err == GA_NO_ERROR; i++)
    assert_same(&got[i], &want[i]);
  if (err == GA_NO_ERROR && func_stats(f).plans > plans)
    assert_same_launches(f, fresh);
  clear(got, N_OUT);
  clear(want, N_OUT);
  gg_func_free(fresh);
}

static void test_random_sizes(void **state) {
  const int calls = test_is_quick() ? 40 : 200;
  program p = build();
  gg_func *f = make(&p);
  GpuArray in[N_IN];

  (void)state;
  seed = 7;
  for (int i = 0; i < calls; i++) {
    make_arrays(in);
    compare(&p, f, in);
    clear(in, N_IN);
  }
  assert_int_equal(func_stats(f).plans_kept, GG_MAX_PLANS);
  gg_func_free(f);
}

/* --- vectors of any size --- */

/* x * sum(x) + x, in two steps. */
static gg_func *make_vectors(void) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  return func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_mul(x, gg_sum(gg_exp(x))))});
}

static int call_vector(gg_func *f, size_t n) {
  GpuArray x;

  float_vector(&x, n, zeros);
  const int err = gg_func_call(f, (GpuArray *[]){&x}, (GpuArray *[]){&out});
  GpuArray_clear(&x);
  return err;
}

static void call_vectors(gg_func *f, size_t from, size_t to) {
  for (size_t n = from; n < to; n++)
    assert_ok(call_vector(f, n));
}

/* Buffers that the pool holds for reuse do not count. */
static long live_allocations(void) {
  gpucontext_trim(test_context());
  return ga__alloc_live();
}

/* Growing sizes take over all kernels, and add no memory. Kernels that a device
 * uses for some sizes only are made the first time. */
static void test_growing(void **state) {
  gg_func *f = make_vectors();

  (void)state;
  call_vectors(f, 200, 2200);
  const size_t made = func_stats(f).kernels_made;
  const long live = live_allocations();
  call_vectors(f, 200, 2200);
  assert_int_equal(live_allocations(), live);
  assert_int_equal(func_stats(f).kernels_made, made);
  assert_int_equal(func_stats(f).plans, 4000);
  assert_int_equal(func_stats(f).plans_kept, GG_MAX_PLANS);
  gg_func_free(f);
}

static void call_sizes(gg_func *f, size_t from) {
  GpuArray x;

  for (size_t n = from; n < from + 2 * GG_MAX_PLANS; n++) {
    assert_ok(GpuArray_zeros(&x, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
    assert_ok(gg_func_call(f, (GpuArray *[]){&x}, (GpuArray *[]){&out}));
    GpuArray_clear(&x);
  }
}

/* Sums of long vectors have other kernels than sums of short ones. Sizes that
 * go back and forth between them find the kernels again. Each plan
 * retains the arrays of its last call, 8 MB. */
static void test_back_and_forth(void **state) {
  size_t made[3];

  (void)state;
  test_need_memory((GG_MAX_PLANS + 4) * 8 << 20);
  gg_func *f = make_vectors();
  for (size_t turn = 0; turn < 3; turn++) {
    call_sizes(f, 1000 + 100 * turn);
    call_sizes(f, 1000000 + 100 * turn);
    made[turn] = func_stats(f).kernels_made;
  }
  assert_int_equal(made[1], made[2]);
  assert_true(made[0] > 2 * GG_MAX_PLANS); /* or the kernels do not differ */
  gg_func_free(f);
}

/* Profiles say how many kernels the plans of each step have set up anew. */
static void test_profile(void **state) {
  gg_func *f = make_vectors();
  gg_profile_row rows[16];
  size_t made = 0;

  (void)state;
  assert_ok(gg_func_profile(f, 1));
  call_vectors(f, 100, 130);
  const size_t n = gg_func_profile_rows(f, rows, 16);
  for (size_t i = 0; i < n; i++)
    made += rows[i].depth == 0 ? rows[i].made : 0;
  assert_true(made >= GG_MAX_PLANS);
  assert_int_equal(made, func_stats(f).kernels_made);
  assert_ok(gg_func_profile(f, 0));
  gg_func_free(f);
}

/* The kernels in bodies of loops and choices count. */
static void test_made_in_bodies(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_scan *s = gg_scan_open(g);
  gg_scan_steps(s, gg_i64(g, 3));
  gg_var *h = gg_scan_state(s, x);
  gg_scan_next(s, h,
               gg_ifelse(gg_gt(gg_sum(h), gg_f32(g, 0)), gg_exp(h), gg_sin(h)));
  gg_scan_close(s);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, h))});
  gg_profile_row rows[16];
  size_t made = 0;

  (void)state;
  gg_scan_free(s);
  assert_ok(gg_func_profile(f, 1));
  call_vectors(f, 2100, 2101);
  const size_t n = gg_func_profile_rows(f, rows, 16);
  for (size_t i = 0; i < n; i++)
    made += rows[i].depth == 0 ? rows[i].made : 0;
  /* The start is copied; a sum, a comparison, two branches. */
  assert_true(func_stats(f).kernels_made >= 4);
  assert_int_equal(made, func_stats(f).kernels_made);
  const size_t before = func_stats(f).kernels_made;
  call_vectors(f, 2101, 2101 + GG_MAX_PLANS - 1);
  const size_t full = func_stats(f).kernels_made;
  assert_true(full > before);
  /* GPUs have kernels for multiples of 4, and others: the oldest plans, which
   * are renewed, are for sizes that are less by a multiple of 4. */
  call_vectors(f, 2100 + 4 * GG_MAX_PLANS, 2110 + 4 * GG_MAX_PLANS);
  assert_int_equal(func_stats(f).kernels_made, full);
  assert_ok(gg_func_profile(f, 0));
  gg_func_free(f);
}

/* A plan whose first call failed is as recent as that call. */
static void test_failed(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *n = gg_shape(x, 0);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_assert(
                             gg_exp(x), gg_ne(n, gg_i64(g, 2)), "not two"))});

  (void)state;
  for (int i = 0; i < 300; i++)
    call_vectors(f, 1, 2);
  assert_int_not_equal(call_vector(f, 2), GA_NO_ERROR);
  call_vectors(f, 3, 3 + GG_MAX_PLANS);
  const size_t plans = func_stats(f).plans;
  assert_int_not_equal(call_vector(f, 2), GA_NO_ERROR);
  assert_int_equal(func_stats(f).plans, plans);
  gg_func_free(f);
}

/* Shapes that calls come back to keep their plans while others come once. */
static void test_frequent(void **state) {
  gg_func *f = make_vectors();

  (void)state;
  for (int i = 0; i < 3; i++)
    call_vectors(f, 1, 5);
  for (size_t turn = 0; turn < 4; turn++) {
    call_vectors(f, 100 + 50 * turn, 150 + 50 * turn);
    call_vectors(f, 1, 5);
  }
  assert_int_equal(func_stats(f).plans, 4 + 200);
  gg_func_free(f);
}

/* But not for ever: when others become frequent, they get plans. */
static void test_changing(void **state) {
  gg_func *f = make_vectors();

  (void)state;
  for (int i = 0; i < 2; i++)
    call_vectors(f, 1, 1 + GG_MAX_PLANS);
  for (int i = 0; i < 40; i++)
    call_vectors(f, 100, 100 + GG_MAX_PLANS / 2);
  const size_t plans = func_stats(f).plans;
  for (int i = 0; i < 10; i++)
    call_vectors(f, 100, 100 + GG_MAX_PLANS / 2);
  assert_int_equal(func_stats(f).plans, plans);
  gg_func_free(f);
}

/* --- failures --- */

/* Whichever allocation fails, the next call with these sizes succeeds. */
static void test_out_of_memory(void **state) {
  gg_func *f = make_vectors();
  int failed = 1;
  size_t n = 300;

  (void)state;
  call_vectors(f, 100, 120);
  for (long k = 1; failed; k++, n++) {
    GpuArray x;

    float_vector(&x, n, zeros);
    GpuArray_clear(&out);
    ga__alloc_fail(k, 0);
    const int err = gg_func_call(f, (GpuArray *[]){&x}, (GpuArray *[]){&out});
    failed = ga__alloc_fail(0, 0) <= 0;
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    assert_true(failed || err == GA_NO_ERROR);
    assert_ok(gg_func_call(f, (GpuArray *[]){&x}, (GpuArray *[]){&out}));
    GpuArray_clear(&x);
  }
  assert_true(n > 305);
  gg_func_free(f);
}

/* Sizes that clash leave all plans as they are. */
static void test_clash(void **state) {
  program p = build();
  gg_func *f = make(&p);
  GpuArray in[N_IN], got[N_OUT];

  (void)state;
  for (size_t n = 2; n < 2 + GG_MAX_PLANS; n++) {
    test_array(&in[0], GA_FLOAT, 2, (size_t[]){n, 2}, values);
    test_array(&in[1], GA_FLOAT, 2, (size_t[]){2, 3}, values);
    test_array(&in[2], GA_FLOAT, 1, (size_t[]){n % 2 == 0 ? 3 : 4}, values);
    const int err = call(f, in, got);
    assert_int_equal(err, n % 2 == 0 ? GA_NO_ERROR : GA_VALUE_ERROR);
    clear(got, N_OUT);
    clear(in, N_IN);
  }
  assert_int_equal(func_stats(f).plans_kept, GG_MAX_PLANS / 2);
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_random_sizes),  TEST(test_growing), TEST(test_back_and_forth),
      TEST(test_frequent),      TEST(test_profile), TEST(test_changing),
      TEST(test_out_of_memory), TEST(test_clash),   TEST(test_made_in_bodies),
      TEST(test_failed),
  };

  for (size_t i = 0; i < ELEMENTS; i++)
    values[i] = (float)(i % 13) / 8 - 0.5f;
  return cmocka_run_group_tests_name("resize", tests, NULL, test_context_drop);
}
