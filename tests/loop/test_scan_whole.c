/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops whose iterations run in one kernel give what they give one by one. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpugraph/report.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan_forms.h"

enum { HIDDEN = 24, MOST = 9 };

static gpudevice_caps *caps(void) {
  return (gpudevice_caps *)gpucontext_caps(test_context());
}

static gg_var *weights(unsigned int gates) {
  static float w[4 * HIDDEN * HIDDEN];

  test_fill(w, GA_FLOAT, gates * HIDDEN * HIDDEN, -0.3, 0.3, gates);
  return constant(2, (size_t[]){gates * HIDDEN, HIDDEN}, w);
}

static gg_var *part(gg_var *x, int k) {
  return gg_slice(x, 1, k * HIDDEN, (k + 1) * HIDDEN, 1);
}

/* The values before an iteration, and its inputs. */
typedef struct cell {
  gg_var *h, *c, *x;
} cell;

static void lstm(cell *s, gg_var *w) {
  gg_var *z = gg_add(s->x, gg_dot(s->h, gg_transpose(w)));

  s->c = gg_add(gg_mul(gg_sigmoid(part(z, 0)), s->c),
                gg_mul(gg_sigmoid(part(z, 1)), gg_tanh(part(z, 2))));
  s->h = gg_mul(gg_sigmoid(part(z, 3)), gg_tanh(s->c));
}

static void gru(cell *s, gg_var *w) {
  gg_var *z = gg_dot(s->h, gg_transpose(w));
  gg_var *u = gg_sigmoid(gg_add(part(s->x, 0), part(z, 0))),
         *r = gg_sigmoid(gg_add(part(s->x, 1), part(z, 1))),
         *n = gg_tanh(gg_add(part(s->x, 2), gg_mul(r, part(z, 2))));

  s->h = gg_add(n, gg_mul(u, gg_sub(s->h, n)));
}

/* A kind of loop. */
typedef struct kind {
  void (*step)(cell *s, gg_var *w);
  unsigned int gates;
  int is_backward, has_all;
} kind;

static const kind kinds[] = {
    {lstm, 4, 0, 1}, {lstm, 4, 0, 0}, {lstm, 4, 1, 1},
    {gru, 3, 0, 1},  {gru, 3, 1, 0},
};

static gg_func *make(const kind *k) {
  gg_var *xs =
      gg_input_sized(g, "xs", GA_FLOAT, 3,
                     (int64_t[]){GG_ANY, 1, (int64_t)(k->gates * HIDDEN)});
  static const float start[HIDDEN] = {0.5f, -0.25f, 1};
  gg_var *first = constant(2, (size_t[]){1, HIDDEN}, start);
  gg_scan *s = gg_scan_open(g);
  cell old = {gg_scan_state(s, first), NULL, gg_scan_sequence(s, xs, 0)}, now;

  if (k->step == lstm)
    old.c = gg_scan_state(s, gg_neg(first));
  now = old;
  k->step(&now, weights(k->gates));
  assert_ok(gg_scan_next(s, old.h, now.h));
  if (old.c != NULL)
    assert_ok(gg_scan_next(s, old.c, now.c));
  if (k->is_backward)
    assert_ok(gg_scan_backwards(s));
  assert_ok(gg_scan_close(s));
  gg_func *f = func_make(
      g, &(gg_func_spec){
             .inputs = GG_VARS(xs),
             .outputs = GG_VARS(gg_scan_last(s, old.h),
                                k->has_all ? gg_scan_all(s, old.h)
                                           : gg_fill(first, gg_f32(g, 0)))});
  gg_scan_free(s);
  return f;
}

/* How often the kernels of the body have run. */
static uint64_t body_calls(gg_func *f) {
  gg_profile_row rows[16];
  const size_t n = gg_func_profile_rows(f, rows, 16);
  uint64_t calls = 0;

  assert_true(n > 0 && n <= 16);
  for (size_t i = 0; i < n; i++)
    calls += rows[i].depth > 0 ? rows[i].calls : 0;
  return calls;
}

static void check_kind(const kind *k, size_t times) {
  const size_t n = k->gates * HIDDEN, dims[3] = {times, 1, n};
  float *x = malloc(times * n * sizeof *x);
  float *want[2] = {NULL, NULL};

  test_fill(x, GA_FLOAT, times * n, -1, 1, (uint32_t)times);
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    caps()->chains = is_whole;
    gg_func *f = make(k);
    float_array(&in, 3, dims, x);
    assert_ok(gg_func_profile(f, 1));
    for (int call = 0; call < 2; call++) {
      func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&out, &out2});
      GpuArray *got[2] = {&out, &out2};
      for (int i = 0; i < 2; i++) {
        const size_t bytes = test_size(got[i]) * sizeof(float);
        if (!is_whole && call == 0) {
          want[i] = malloc(bytes);
          test_gather(got[i], want[i]);
        } else {
          test_array_close(got[i], want[i], 1e-5, 1e-6);
        }
      }
    }
    if (is_whole && times > 1)
      assert_int_equal(body_calls(f), 2);
    else
      assert_true(body_calls(f) >= 2 * times);
    gg_func_free(f);
    GpuArray_clear(&in);
  }
  free(want[0]);
  free(want[1]);
  free(x);
}

static void check_kinds(void) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    check_kind(&kinds[i], 1);
    check_kind(&kinds[i], 2);
    check_kind(&kinds[i], MOST);
  }
}

static void one_kernel_runs_all_iterations(void **state) {
  (void)state;
  test_need_int64_atomics();
  test_chained(check_kinds);
}

static void one_kernel_of_a_cpu_runs_all(void **state) {
  (void)state;
  test_need_int64_atomics();
  test_chained_cpu(check_kinds);
}

/* One function with other numbers of iterations, and other memory. */
static void check_renewed(void) {
  const kind *k = &kinds[0];
  gg_func *f = make(k);
  float x[4 * HIDDEN * 40], want[HIDDEN];

  test_fill(x, GA_FLOAT, 4 * HIDDEN * 40, -1, 1, 5);
  for (size_t times = 40; times > 0; times--) {
    GpuArray last = {0};
    caps()->chains = 0;
    gg_func *other = times % 10 == 0 ? make(k) : NULL;
    float_array(&in, 3, (size_t[]){times, 1, 4 * HIDDEN}, x);
    if (other != NULL) {
      func_run(other, (GpuArray *[]){&in}, (GpuArray *[]){&out, &out2});
      test_gather(&out, want);
      gg_func_free(other);
    }
    caps()->chains = 1;
    func_run(f, (GpuArray *[]){&in}, (GpuArray *[]){&last, &out2});
    if (other != NULL)
      test_array_close(&last, want, 1e-5, 1e-6);
    GpuArray_clear(&last);
    GpuArray_clear(&in);
  }
  gg_func_free(f);
}

static void plans_are_renewed(void **state) {
  (void)state;
  test_chained(check_renewed);
  test_chained_cpu(check_renewed);
}

/* A state of which an iteration reads the value before the last one. */
static gg_var *older(gg_scan *s, gg_var *init) {
  gg_var *taps[1];

  return gg_scan_state_taps(s, init, 1, (int[]){-2}, taps);
}

/* Conditions, older states and watched calls need iterations one by one. */
static void check_others(void) {
  static float start[2 * HIDDEN], inputs[MOST * 3 * HIDDEN];
  gg_var *two = constant(3, (size_t[]){2, 1, HIDDEN}, start), *w = weights(3);
  gg_var *xs = constant(3, (size_t[]){MOST, 1, 3 * HIDDEN}, inputs);

  for (int what = 0; what < 3; what++) {
    gg_scan *s = gg_scan_open(g);
    gg_var *x = gg_scan_sequence(s, xs, 0);
    gg_var *h =
        what == 0 ? older(s, two) : gg_scan_state(s, gg_index(two, 0, 0));
    cell c = {h, NULL, x};

    gru(&c, w);
    assert_ok(gg_scan_next(s, h, c.h));
    if (what == 1)
      assert_ok(gg_scan_until(s, gg_gt(gg_max(c.h), gg_f32(g, 2))));
    assert_ok(gg_scan_close(s));
    gg_func *f =
        func_make(g, &(gg_func_spec){.outputs = GG_VARS(gg_scan_last(s, h)),
                                     .flags = what == 2 ? GG_NAN_GUARD : 0});
    gg_scan_free(s);
    assert_ok(gg_func_profile(f, 1));
    func_run(f, NULL, (GpuArray *[]){&out});
    assert_true(body_calls(f) >= MOST);
    gg_func_free(f);
  }
}

static void others_run_one_by_one(void **state) {
  (void)state;
  test_chained(check_others);
  test_chained_cpu(check_others);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(one_kernel_runs_all_iterations),
      TEST(one_kernel_of_a_cpu_runs_all),
      TEST(plans_are_renewed),
      TEST(others_run_one_by_one),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
