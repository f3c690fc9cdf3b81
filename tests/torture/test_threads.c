/* SPDX-License-Identifier: BSD-2-Clause */
/* Sixteen threads: on one context, on contexts of their own, on one function
 * and on functions of their own, with objects that one thread makes and another
 * drops. Results are those of one thread; the layer sees no kernel that two
 * threads touch between an argument and its launch; nothing is left.
 */
#include <gpuarray/create.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "layer/layer.h"
#include "ocl/ocl.h"
#include "support/device.h"
#include "torture/scenario.h"

enum { THREADS = 16, ROUNDS = 4 };

/* Start THREADS threads, each with its element of `jobs`, and wait for them. */
static void run_threads(void *(*body)(void *), void *jobs, size_t bytes) {
  pthread_t threads[THREADS];

  for (size_t i = 0; i < THREADS; i++)
    assert_int_equal(
        pthread_create(&threads[i], NULL, body, (char *)jobs + i * bytes), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

/* The message of a thread that ends is not to be long: it would be a block. */
static void forget_message(void) {
  ga__fail(GA_MISC_ERROR, "none");
}

static void check_left(long live, long allocs) {
  char text[1024];

  layer_live_text(text, sizeof text);
  if (layer_live() != live)
    fail_msg("%ld objects are left: %s", layer_live() - live, text);
  assert_int_equal(ga__alloc_live(), allocs);
  if (layer_violations() != 0)
    fail_msg("%s", layer_violation());
}

/* --- scenarios at the same time --- */

/* What one thread does: ROUNDS scenarios, from number `first` on. */
typedef struct job {
  gpucontext *ctx; /* shared; NULL: its own each time */
  int first;
  const char *bad; /* the first scenario that went wrong */
} job;

static work *want; /* results of one thread, by scenario */

/* Scenarios that have the device as it is and change nothing of the process. */
static int is_fit(const scenario *s) {
  return s->env == NULL && s->device == NULL && s->run != run_fill &&
         s->run != run_profile;
}

/* The number of the k-th fit scenario, counted round and round. */
static int fit(int k) {
  int i = 0;

  for (;; i = (i + 1) % n_scenarios)
    if (is_fit(&scenarios[i]) && k-- == 0)
      return i;
}

static void *do_job(void *arg) {
  job *j = arg;
  work w;

  for (int i = 0; i < ROUNDS; i++) {
    const int n = fit(j->first + i);

    memset(&w, 0, sizeof w);
    w.ctx = j->ctx;
    if (j->ctx != NULL)
      ga__ctx_retain(j->ctx);
    if (scenarios[n].run(&w) != GA_NO_ERROR ||
        memcmp(w.got, want[n].got, sizeof w.got) != 0)
      j->bad = scenarios[n].name;
    work_clear(&w);
  }
  forget_message();
  return NULL;
}

static void run_scenarios(gpucontext *ctx) {
  job jobs[THREADS];

  for (int i = 0; i < THREADS; i++)
    jobs[i] = (job){.ctx = ctx, .first = 2 * i};
  run_threads(do_job, jobs, sizeof *jobs);
  for (int i = 0; i < THREADS; i++)
    if (jobs[i].bad != NULL)
      fail_msg("%s", jobs[i].bad);
}

/* The results of one thread. */
static void run_alone(void) {
  for (int i = 0; i < n_scenarios; i++) {
    if (is_fit(&scenarios[i])) {
      work w = {0};

      assert_ok(scenarios[i].run(&w));
      memcpy(want[i].got, w.got, sizeof w.got);
      work_clear(&w);
    }
  }
}

static void test_one_context(void **state) {
  const long live = layer_live(), allocs = ga__alloc_live();
  gpucontext *ctx;

  (void)state;
  assert_ok(gpucontext_open(&ctx, NULL));
  run_scenarios(ctx);
  gpucontext_deref(ctx);
  check_left(live, allocs);
}

static void test_own_contexts(void **state) {
  const long live = layer_live(), allocs = ga__alloc_live();

  (void)state;
  run_scenarios(NULL);
  check_left(live, allocs);
}

/* --- functions --- */

enum { CALLS = 30, LENGTH = 64 };

/* y = k * x + k, compiled by the thread itself or given to all of them. */
typedef struct caller {
  gpucontext *ctx;
  gg_func *f; /* shared; NULL: its own */
  int k, bad;
} caller;

static gg_func *make_function(gpucontext *ctx, int k) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *c = gg_f32(g, (float)k);
  gg_func *f = NULL;

  gg_func_new(&f, g,
              &(gg_func_spec){.name = "line",
                              .inputs = GG_VARS(x),
                              .outputs = GG_VARS(gg_add(gg_mul(x, c), c))});
  gg_graph_free(g);
  return f;
}

/* A call on other numbers each time; whether the result is right. */
static int call_once(gg_func *f, gpucontext *ctx, int k, int round) {
  const size_t n = LENGTH;
  float x[LENGTH], y[LENGTH];
  GpuArray in = {0}, out = {0};

  for (int i = 0; i < LENGTH; i++)
    x[i] = (float)(i + round);
  int ok =
      GpuArray_empty(&in, ctx, GA_FLOAT, 1, &n, GA_C_ORDER) == GA_NO_ERROR &&
      GpuArray_write(&in, x, sizeof x) == GA_NO_ERROR &&
      gg_func_call(f, (GpuArray *[]){&in}, (GpuArray *[]){&out}) ==
          GA_NO_ERROR &&
      GpuArray_read(y, sizeof y, &out) == GA_NO_ERROR;
  for (int i = 0; ok && i < LENGTH; i++)
    ok = (int)y[i] == k * (i + round) + k;
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  return ok;
}

static void *call_function(void *arg) {
  caller *c = arg;
  gg_func *f = c->f != NULL ? c->f : make_function(c->ctx, c->k);

  c->bad = f == NULL;
  for (int i = 0; i < CALLS && !c->bad; i++)
    c->bad = !call_once(f, c->ctx, c->k, i);
  if (c->f == NULL)
    gg_func_free(f);
  forget_message();
  return NULL;
}

static void run_callers(int is_shared) {
  const long live = layer_live(), allocs = ga__alloc_live();
  caller callers[THREADS];
  gg_func *f = NULL;
  gpucontext *ctx;

  assert_ok(gpucontext_open(&ctx, NULL));
  if (is_shared)
    assert_non_null(f = make_function(ctx, 7));
  for (int i = 0; i < THREADS; i++)
    callers[i] = (caller){.ctx = ctx, .f = f, .k = is_shared ? 7 : i + 1};
  run_threads(call_function, callers, sizeof *callers);
  for (int i = 0; i < THREADS; i++)
    assert_false(callers[i].bad);
  gg_func_free(f);
  gpucontext_deref(ctx);
  check_left(live, allocs);
}

static void test_own_functions(void **state) {
  (void)state;
  run_callers(0);
}

static void test_one_function(void **state) {
  (void)state;
  run_callers(1);
}

/* --- made by one thread, dropped by another --- */

/* Threads stand in a ring. What one makes, the next uses and drops, the
 * context's last reference with it. */
typedef struct place {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  GpuArray a; /* without memory: none is there */
  struct place *next;
  int bad;
} place;

static void hand_over(place *to, GpuArray *a) {
  pthread_mutex_lock(&to->lock);
  while (to->a.data != NULL)
    pthread_cond_wait(&to->changed, &to->lock);
  to->a = *a;
  pthread_cond_broadcast(&to->changed);
  pthread_mutex_unlock(&to->lock);
}

static void take_over(place *at, GpuArray *a) {
  pthread_mutex_lock(&at->lock);
  while (at->a.data == NULL)
    pthread_cond_wait(&at->changed, &at->lock);
  *a = at->a;
  memset(&at->a, 0, sizeof at->a);
  pthread_cond_broadcast(&at->changed);
  pthread_mutex_unlock(&at->lock);
}

/* An array of sevens, the only one to hold its context. One that cannot be made
 * ends the test: the next thread would wait for it. */
static void make_sevens(GpuArray *a) {
  const size_t n = LENGTH;
  gpucontext *ctx;

  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR ||
      GpuArray_empty(a, ctx, GA_INT, 1, &n, GA_C_ORDER) != GA_NO_ERROR ||
      GpuArray_fill(a, GA_INT, &(int){7}) != GA_NO_ERROR)
    abort();
  gpucontext_deref(ctx);
}

static int are_sevens(const GpuArray *a) {
  int v[LENGTH];

  if (GpuArray_read(v, sizeof v, a) != GA_NO_ERROR)
    return 0;
  for (int i = 0; i < LENGTH; i++)
    if (v[i] != 7)
      return 0;
  return 1;
}

static void *make_and_drop(void *arg) {
  place *p = arg;
  GpuArray a;

  for (int i = 0; i < ROUNDS; i++) {
    make_sevens(&a);
    hand_over(p->next, &a);
    take_over(p, &a);
    p->bad += !are_sevens(&a);
    GpuArray_clear(&a);
  }
  forget_message();
  return NULL;
}

static void test_handed_on(void **state) {
  const long live = layer_live(), allocs = ga__alloc_live();
  place ring[THREADS];

  (void)state;
  for (int i = 0; i < THREADS; i++) {
    memset(&ring[i], 0, sizeof ring[i]);
    pthread_mutex_init(&ring[i].lock, NULL);
    pthread_cond_init(&ring[i].changed, NULL);
    ring[i].next = &ring[(i + 1) % THREADS];
  }
  run_threads(make_and_drop, ring, sizeof *ring);
  for (int i = 0; i < THREADS; i++) {
    assert_false(ring[i].bad);
    pthread_cond_destroy(&ring[i].changed);
    pthread_mutex_destroy(&ring[i].lock);
  }
  check_left(live, allocs);
}

static int setup(void **state) {
  (void)state;
  test_context();
  test_context_drop(state);
  want = calloc((size_t)n_scenarios, sizeof *want);
  if (want == NULL || !layer_is_loaded())
    return 1;
  run_alone();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  free(want);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_context), cmocka_unit_test(test_own_contexts),
      cmocka_unit_test(test_own_functions), cmocka_unit_test(test_one_function),
      cmocka_unit_test(test_handed_on)};

  return cmocka_run_group_tests(tests, setup, teardown);
}
