/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches that are renewed by their question, without being prepared. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/profile.h>

#include "base/alloc.h"
#include "ocl/ocl.h"

/* y[i] = a * x[i] + zeros[i] for offsets of x and y in bytes. */
static const char *const scale_parts[] = {
    "kernel void scale(global const float *x, ulong xo, global float *y,\n"
    "                  ulong yo, ulong n, float a,\n"
    "                  global const float *zeros) {\n",
    "  size_t i = get_global_id(0);\n"
    "  x = (global const float *)((global const char *)x + xo);\n"
    "  y = (global float *)((global char *)y + yo);\n"
    "  if (i < n) y[i] = a * x[i] + zeros[i];\n}\n"};
static const ga__source scale = {
    .n = 2, .parts = scale_parts, .entry = "scale"};

/* What a launch computes from x[skip] on. `kernel` is part of its key. The
 * factor has slot 2. */
typedef struct task {
  size_t kernel, n, skip;
  float a;
} task;

enum { MOST = 8, N_QUESTION = 3 };

static GpuArray x, y;

static void question_of(const task *t, size_t *q) {
  q[0] = t->n;
  q[1] = t->skip;
  q[2] = (size_t)(t->a * 8);
}

static void add_kernel(GpuLaunch *l, const task *t) {
  const size_t gs = t->n;
  ga__launch_key key;

  ga__launch_key_start(&key, test_context(), "scale");
  ga__launch_key_number(&key, t->kernel);
  if (!ga__launch_again(l, &key, 1, &gs, NULL)) {
    ga__launch_kernel(l, &scale, 1, &gs, NULL);
    ga__launch_remember(l, &key);
  }
}

static GpuLaunch *prepare(const task *t, size_t answer) {
  GpuLaunch *l = ga__launch_open(test_context(), "scale", 3);
  size_t q[N_QUESTION];

  add_kernel(l, t);
  ga__launch_slot(l, 0);
  ga__launch_offset(l, 0, 4 * t->skip);
  ga__launch_slot(l, 1);
  ga__launch_offset(l, 1, 0);
  ga__launch_size(l, t->n);
  ga__launch_value(l, 2, sizeof t->a, &t->a);
  ga__launch_zeros(l, t->n * sizeof(float));
  ga__launch_cost(l, 8.0 * (double)t->n, (double)t->n);
  ga__launch_bind_array(l, 0, &x);
  ga__launch_bind_array(l, 1, &y);
  assert_ok(ga__launch_seal(&l, l));
  question_of(t, q);
  assert_ok(GpuLaunch_set_question(l, q, N_QUESTION, &answer, 1));
  return l;
}

/* Offer `l` and ask for `t`. Where nobody answers, `l` is freed. */
static GpuLaunch *ask(GpuLaunch *l, const task *t, size_t want) {
  size_t q[N_QUESTION];
  const size_t *answer;

  question_of(t, q);
  assert_null(GpuLaunch_renew(l));
  GpuLaunch *again = GpuLaunch_renew_for(q, N_QUESTION, &answer);
  if (again == NULL)
    GpuLaunch_free(GpuLaunch_renew(NULL));
  else
    assert_int_equal(*answer, want);
  return again;
}

static void expect(GpuLaunch *l, const task *t) {
  float got[MOST];

  assert_ok(GpuArray_memset(&y, 0));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuArray_read(got, sizeof got, &y));
  for (size_t i = 0; i < MOST; i++)
    assert_true(got[i] == (i < t->n ? t->a * (float)(1 + i + t->skip) : 0));
}

/* Leave buffers in the pool that are not full of zeros. */
static void soil_pool(void) {
  const size_t n = MOST;
  GpuArray a[4];

  for (int i = 0; i < 4; i++) {
    assert_ok(
        GpuArray_empty(&a[i], test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
    assert_ok(GpuArray_memset(&a[i], 0x3f));
  }
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&a[i]);
}

static int setup(void **state) {
  const size_t n = 2 * MOST;
  float v[2 * MOST];

  (void)state;
  soil_pool();
  for (size_t i = 0; i < n; i++)
    v[i] = (float)(i + 1);
  test_array(&x, GA_FLOAT, 1, &n, v);
  test_array(&y, GA_FLOAT, 1, &n, v);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  return 0;
}

static void the_same_question_keeps_the_launch(void **state) {
  const task t = {.kernel = 1, .n = 3, .skip = 2, .a = 2};
  GpuLaunch *l = prepare(&t, 7);
  GpuLaunchStats stats;

  (void)state;
  assert_ptr_equal(ask(l, &t, 7), l);
  expect(l, &t);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_int_equal(stats.made, 0);
  GpuLaunch_free(l);
}

static void another_launch_answers(void **state) {
  const task t = {.kernel = 1, .n = 3, .skip = 2, .a = 2},
             u = {.kernel = 1, .n = 5, .skip = 1, .a = 0.5f};
  GpuLaunch *l = prepare(&t, 7), *like = prepare(&u, 8);
  GpuLaunchStats stats;

  (void)state;
  assert_ptr_equal(ask(l, &u, 8), l);
  expect(l, &u);
  assert_ok(GpuLaunch_stats(l, &stats));
  assert_true(stats.bytes == 40 && stats.flops == 5);
  assert_ptr_equal(ask(l, &u, 8), l); /* by itself now */
  expect(like, &u);
  GpuLaunch_free(like);
  assert_null(ask(l, &t, 0));
}

/* A slot that is empty gets its arguments when it is bound. */
static void empty_slots_are_bound_later(void **state) {
  const task t = {.kernel = 1, .n = 3, .skip = 2, .a = 2},
             u = {.kernel = 1, .n = 5, .skip = 1, .a = 0.5f};
  GpuLaunch *l = prepare(&t, 7), *like = prepare(&u, 8);

  (void)state;
  assert_ok(GpuLaunch_unbind(l, 0));
  assert_ptr_equal(ask(l, &u, 8), l);
  assert_code(GA_VALUE_ERROR, GpuLaunch_run(l));
  assert_ok(GpuLaunch_bind(l, 0, x.data, 0));
  expect(l, &u);
  GpuLaunch_free(l);
  GpuLaunch_free(like);
}

static void other_kernels_do_not_answer(void **state) {
  const task t = {.kernel = 1, .n = 3, .skip = 2, .a = 2},
             u = {.kernel = 2, .n = 5, .skip = 1, .a = 0.5f};
  GpuLaunch *like = prepare(&u, 8);

  (void)state;
  assert_null(ask(prepare(&t, 7), &u, 0));
  GpuLaunch_free(like);
  assert_null(ask(prepare(&t, 7), &u, 0)); /* nor launches that are gone */
}

/* Questions hold scalars: a launch with another one does not answer. */
static void a_bound_scalar_ends_the_question(void **state) {
  const task t = {.kernel = 1, .n = 3, .skip = 2, .a = 2},
             u = {.kernel = 1, .n = 3, .skip = 2, .a = 5};
  GpuLaunch *l = prepare(&t, 7);

  (void)state;
  assert_ok(GpuLaunch_bind_scalar(l, 2, &u.a));
  expect(l, &u);
  assert_null(ask(l, &t, 0));
}

static void questions_need_launches(void **state) {
  const size_t q = 1, *answer;

  (void)state;
  assert_null(GpuLaunch_renew_for(&q, 1, &answer)); /* nothing is offered */
  assert_code(GA_VALUE_ERROR, GpuLaunch_set_question(NULL, &q, 1, NULL, 0));
}

static void failed_allocations_keep_launches(void **state) {
  const task t = {.kernel = 1, .n = 3, .skip = 2, .a = 2};
  const size_t q = 1;
  GpuLaunch *l = prepare(&t, 7);
  size_t long_question[100] = {0};

  (void)state;
  ga__alloc_fail(1, 0);
  assert_code(GA_MEMORY_ERROR,
              GpuLaunch_set_question(l, long_question, 100, NULL, 0));
  ga__alloc_fail(0, 0);
  expect(l, &t);
  assert_ok(GpuLaunch_set_question(l, &q, 1, NULL, 0));
  GpuLaunch_free(l);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_same_question_keeps_the_launch),
      TEST(another_launch_answers),
      TEST(empty_slots_are_bound_later),
      TEST(other_kernels_do_not_answer),
      TEST(a_bound_scalar_ends_the_question),
      TEST(questions_need_launches),
      TEST(failed_allocations_keep_launches),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
