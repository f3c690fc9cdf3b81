/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that several threads call: one by one where they share something,
 * at the same time where they do not. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};
static const float ten[6] = {10, 20, 30, 40, 50, 60};

/* --- one function --- */

typedef struct worker {
  gg_func *f;
  const GpuArray *in;
  float first;
  int err;
} worker;

static void *work(void *arg) {
  worker *w = arg;
  GpuArray r = {0};
  float got[6];

  for (int i = 0; i < 20 && w->err == GA_NO_ERROR; i++) {
    w->err = gg_func_call(w->f, (GpuArray *[]){(GpuArray *)w->in},
                          (GpuArray *[]){&r});
    if (w->err == GA_NO_ERROR)
      w->err = GpuArray_read(got, sizeof got, &r);
    if (w->err == GA_NO_ERROR && got[0] != w->first)
      w->err = GA_VALUE_ERROR;
  }
  GpuArray_clear(&r);
  return NULL;
}

/* Two threads share a function that counts its calls in a shared variable. */
static void test_threads(void **state) {
  const float zero = 0, forty = 40;
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *n = gg_shared_host(g, "n", GA_FLOAT, 0, NULL, &zero);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_add(x, gg_f32(g, 1))),
                         .updates = GG_UPDATES({n, gg_add(n, gg_f32(g, 1))})});
  worker w[2] = {{f, &a, 2, 0}, {f, &b, 11, 0}};
  pthread_t t[2];

  (void)state;
  float_vector(&a, 6, six);
  float_vector(&b, 6, ten);
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&t[i], NULL, work, &w[i]), 0);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert_ok(w[0].err);
  assert_ok(w[1].err);
  assert_shared(n, &forty, 1);
  gg_func_free(f);
}

/* --- functions with shared variables of their own --- */

/* Where two calls meet, each in the middle of its function. */
static struct meeting {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int present, failed;
} meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

/* Wait until two are there; without the other one, a while. */
static int perform_meet(const gg_prepare *p) {
  struct timespec end;

  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 20;
  pthread_mutex_lock(&meeting.lock);
  meeting.present++;
  pthread_cond_broadcast(&meeting.changed);
  while (meeting.present < 2 && !meeting.failed)
    meeting.failed =
        pthread_cond_timedwait(&meeting.changed, &meeting.lock, &end) != 0;
  pthread_mutex_unlock(&meeting.lock);
  memcpy(p->to[0], p->from[0], sizeof(float));
  return GA_NO_ERROR;
}

static gg_var *meet(gg_var *x) {
  static const gg_op op = {.name = "meet",
                           .kind = GG_OP_PERFORM,
                           .n_out = 1,
                           .infer = NULL,
                           .perform = perform_meet,
                           .on_host = 1};

  return gg_op_apply(NULL, &op, NULL, 1, &x);
}

static void *call(void *arg) {
  worker *w = arg;

  w->err = gg_func_call(w->f, NULL, NULL);
  return NULL;
}

static void run_pair(worker w[2], void *(*body)(void *)) {
  pthread_t t[2];

  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&t[i], NULL, body, &w[i]), 0);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert_ok(w[0].err);
  assert_ok(w[1].err);
}

/* One call does not wait for the end of the other. They are in contexts of
 * their own, since a function of the host holds on to that which it runs in. */
static void test_at_once(void **state) {
  gg_graph *graphs[2] = {g, gg_graph_new(test_second_context())};
  const float one = 1, two = 2;
  worker w[2] = {{NULL, NULL, 0, 0}, {NULL, NULL, 0, 0}};
  gg_var *v[2];

  (void)state;
  for (int i = 0; i < 2; i++) {
    v[i] = gg_shared_host(graphs[i], i ? "v" : "u", GA_FLOAT, 0, NULL, &one);
    w[i].f = func_make(graphs[i],
                       &(gg_func_spec){.updates = GG_UPDATES(
                                           {v[i], gg_add(meet(v[i]), v[i])})});
  }
  run_pair(w, call);
  assert_false(meeting.failed);
  for (int i = 0; i < 2; i++) {
    assert_shared(v[i], &two, 1);
    gg_func_free(w[i].f);
  }
  gg_graph_free(graphs[1]);
}

static void *call_often(void *arg) {
  worker *w = arg;

  for (int i = 0; i < 200 && w->err == GA_NO_ERROR; i++)
    w->err = gg_func_call(w->f, NULL, NULL);
  return NULL;
}

/* Two functions that change the same two variables, which they name in opposite
 * order: nobody waits for ever, and no change is lost. */
static void test_in_common(void **state) {
  const float zero = 0, total = 400;
  gg_var *u = gg_shared_host(g, "u", GA_FLOAT, 0, NULL, &zero);
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 0, NULL, &zero);
  gg_var *u1 = gg_add(u, gg_f32(g, 1)), *v1 = gg_add(v, gg_f32(g, 1));
  worker w[2] = {{NULL, NULL, 0, 0}, {NULL, NULL, 0, 0}};

  (void)state;
  w[0].f =
      func_make(g, &(gg_func_spec){.updates = GG_UPDATES({u, u1}, {v, v1})});
  w[1].f =
      func_make(g, &(gg_func_spec){.updates = GG_UPDATES({v, v1}, {u, u1})});
  run_pair(w, call_often);
  assert_shared(u, &total, 1);
  assert_shared(v, &total, 1);
  gg_func_free(w[0].f);
  gg_func_free(w[1].f);
}

/* A copy in which one variable stands for two takes its lock once. */
static void test_swapped_to_one(void **state) {
  const float one = 1, two = 2;
  gg_var *u = gg_shared_host(g, "u", GA_FLOAT, 0, NULL, &one);
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 0, NULL, &two);
  gg_func *copy,
      *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(gg_add(u, v))});

  (void)state;
  assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.swaps = GG_SWAPS({u, v})}));
  func_run(copy, NULL, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){4}, 1);
  gg_func_free(copy);
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_threads),
      TEST(test_at_once),
      TEST(test_in_common),
      TEST(test_swapped_to_one),
  };

  return cmocka_run_group_tests_name("func_threads", tests, NULL,
                                     test_context_drop);
}
