/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose memory functions use: inputs that they may overwrite, outputs that are
 * views, shared values without copies, and what is given back. */
#include <gpuarray/create.h>
#include <gpuarray/profile.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_var *x, *y;
static gg_func *f;
static GpuArray a, b, out, other;
static const float six[6] = {1, 2, 3, 4, 5, 6};
static const size_t two_three[2] = {2, 3};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 2);
  y = gg_input(g, "y", GA_FLOAT, 2);
  f = NULL;
  memset(&out, 0, sizeof out);
  memset(&other, 0, sizeof other);
  float_array(&a, 2, two_three, six);
  float_array(&b, 2, two_three, six);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  GpuArray_clear(&other);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

/* 2 x + 1: one kernel. */
static gg_var *line(gg_var *v) {
  return gg_add(gg_mul(v, gg_f32(g, 2)), gg_f32(g, 1));
}

static gg_var *reversed(gg_var *v) {
  return gg_slice(v, 0, GG_END, GG_END, -1);
}

static const float line_of_six[6] = {3, 5, 7, 9, 11, 13};

/* --- inputs that may be overwritten --- */

static void test_overwritten(void **state) {
  gg_var *z = line(x);
  gpudata *data = a.data;

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(z),
                                   .mutable_inputs = GG_VARS(x),
                                   .borrowed_outputs = GG_VARS(z)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, line_of_six, 6);
  assert_ptr_equal(out.data, data);
  /* The argument may be the output. */
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&a});
  assert_floats(&out, (float[]){7, 11, 15, 19, 23, 27}, 6);
  assert_ptr_equal(a.data, data);
}

/* Without `borrowed_outputs` results have memory of their own. */
static void test_output_apart(void **state) {
  gg_var *z = line(x);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(z),
                                   .mutable_inputs = GG_VARS(x)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, line_of_six, 6);
  assert_ptr_not_equal(out.data, a.data);
}

/* Intermediate values take the memory of an input that was read. */
static void test_intermediate(void **state) {
  static const float zeros[9] = {0}, eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const size_t want[2] = {36, 0}; /* bytes of intermediate buffers */
  static const size_t three[2] = {3, 3};
  gg_var *z = gg_dot(gg_exp(x), y);

  (void)state;
  GpuArray_clear(&b);
  float_array(&b, 2, three, eye);
  for (int i = 0; i < 2; i++) {
    GpuArray_clear(&a);
    float_array(&a, 2, three, zeros);
    f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                           .outputs = GG_VARS(z),
                           .mutable_inputs = i == 1 ? GG_VARS(x) : NULL});
    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
    assert_floats(&out, (float[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, 9);
    assert_int_equal(func_stats(f).temp_bytes, want[i]);
    gg_func_free(f);
    f = NULL;
  }
}

/* Ops that change an input do so in the caller's array. */
static void test_destroyed(void **state) {
  gg_var *z = gg_slice_set(x, 1, 0, 1, 1, gg_f32(g, 9));

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(z),
                                   .mutable_inputs = GG_VARS(x),
                                   .borrowed_outputs = GG_VARS(z)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){9, 2, 3, 9, 5, 6}, 6);
  assert_floats(&a, (float[]){9, 2, 3, 9, 5, 6}, 6);
}

/* An op that changes an input gets a copy of what is not its own: constants,
 * shared variables and arguments stay what they are, call after call. */
static void test_left_alone(void **state) {
  gg_var *c = gg_constant(g, GA_FLOAT, 2, two_three, six);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);
  gg_var *from[3] = {c, w, x}, *n = gg_sum(y), *z[4] = {NULL};
  GpuArray v[3] = {{0}};

  (void)state;
  for (int i = 0; i < 3; i++)
    z[i] = gg_slice_set(from[i], 1, 0, 1, 1, n);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y), .outputs = z});
  for (int k = 0; k < 2; k++) {
    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&v[0], &v[1], &v[2]});
    for (int i = 0; i < 3; i++)
      assert_floats(&v[i], (float[]){21, 2, 3, 21, 5, 6}, 6);
  }
  gg_func_free(f);
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(c)});
  func_run(f, NULL, (GpuArray *[]){&v[0]});
  assert_floats(&v[0], six, 6);
  assert_floats(&a, six, 6);
  assert_shared(w, six, 6);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&v[i]);
}

/* What is read again later, or seen through a view, is not overwritten. */
static void test_read_again(void **state) {
  gg_var *z = line(x), *t = gg_transpose(x), *s = gg_sum(gg_mul(z, z));

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(t, z, s),
                                   .mutable_inputs = GG_VARS(x),
                                   .borrowed_outputs = GG_VARS(z, t)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&other, &out, &b});
  assert_floats(&out, line_of_six, 6);
  assert_floats(&other, (float[]){1, 4, 2, 5, 3, 6}, 6);
  assert_floats(&b, (float[]){454}, 1);
  assert_ptr_equal(other.data, a.data);
  assert_ptr_not_equal(out.data, a.data);
}

/* z = (2 x + 1) sum(y) - y: y is read once more when x is not. */
static void make_both(gg_var *const *mutable_inputs, gg_mode mode) {
  gg_var *z = gg_sub(gg_mul(line(x), gg_sum(y)), y);

  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, y),
                                   .outputs = GG_VARS(z),
                                   .mutable_inputs = mutable_inputs,
                                   .borrowed_outputs = GG_VARS(z),
                                   .mode = mode});
}

static void assert_both(const GpuArray *v) {
  static const float want[6] = {62, 103, 144, 185, 226, 267};

  assert_floats(v, want, 6);
}

/* An array that is two arguments is no array to overwrite. */
static void test_arguments_overlap(void **state) {
  (void)state;
  make_both(GG_VARS(x), GG_FAST_RUN);
  func_run(f, (GpuArray *[]){&a, &a}, (GpuArray *[]){&out});
  assert_both(&out);
  assert_floats(&a, six, 6);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_both(&out);
  assert_ptr_equal(out.data, a.data);
}

static void test_defaults_stay(void **state) {
  (void)state;
  make_both(GG_VARS(x), GG_FAST_RUN);
  for (int i = 0; i < 4; i++) {
    if (i == 0)
      assert_ok(gg_func_set_default(f, 0, &a));
    else if (i == 2)
      assert_ok(gg_func_borrow_default(f, 0, &a));
    func_run(f, (GpuArray *[]){NULL, &b}, (GpuArray *[]){&out});
    assert_both(&out);
  }
  assert_floats(&a, six, 6);
}

/* A default that was borrowed is what its array holds. */
static void test_default_borrowed(void **state) {
  (void)state;
  make_both(NULL, GG_FAST_RUN);
  assert_ok(gg_func_borrow_default(f, 1, &b));
  assert_ok(GpuArray_memset(&b, 0));
  func_run(f, (GpuArray *[]){&a, NULL}, (GpuArray *[]){&out});
  assert_floats(&out, (float[]){0, 0, 0, 0, 0, 0}, 6);
}

static void test_not_writeable(void **state) {
  (void)state;
  make_both(GG_VARS(x), GG_FAST_RUN);
  a.flags &= ~GA_WRITEABLE;
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_both(&out);
  assert_floats(&a, six, 6);
}

static void test_strided(void **state) {
  static const float turned[6] = {1, 4, 2, 5, 3, 6};

  (void)state;
  GpuArray_clear(&a);
  float_array(&a, 2, (size_t[]){3, 2}, turned);
  assert_ok(GpuArray_transpose(&other, &a, NULL));
  make_both(GG_VARS(x), GG_FAST_RUN);
  func_run(f, (GpuArray *[]){&other, &b}, (GpuArray *[]){&out});
  assert_both(&out);
  assert_floats(&a, turned, 6);
}

/* The checks of debug mode see arguments before they are overwritten. */
static void test_modes(void **state) {
  static const gg_mode modes[] = {GG_FAST_COMPILE, GG_NO_REWRITE, GG_DEBUG};

  (void)state;
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    make_both(GG_VARS(x, y), modes[i]);
    assert_ok(GpuArray_write(&a, six, sizeof six));
    assert_ok(GpuArray_write(&b, six, sizeof six));
    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
    assert_both(&out);
    gg_func_free(f);
    f = NULL;
  }
}

static void test_copy_keeps_it(void **state) {
  gg_func *copy;

  (void)state;
  make_both(GG_VARS(x), GG_FAST_RUN);
  assert_ok(gg_func_copy(&copy, f, &(gg_copy_spec){.name = "copy"}));
  func_run(copy, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  gg_func_free(copy);
  assert_both(&out);
  assert_ptr_equal(out.data, a.data);
}

/* --- outputs that are views --- */

/* An input, its transpose, a shared variable, and an output again. */
static void make_views(int borrow) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);
  gg_var *t = gg_transpose(x), *z = line(x);

  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(x, t, w, z, z),
                                   .borrowed_outputs =
                                       borrow ? GG_VARS(x, t, w, z) : NULL});
}

static void test_views(void **state) {
  GpuArray v[5] = {{0}}, *list[5];

  (void)state;
  for (int borrow = 0; borrow < 2; borrow++) {
    make_views(borrow);
    for (int i = 0; i < 5; i++)
      list[i] = &v[i];
    for (int i = 0; i < 2; i++) {
      func_run(f, (GpuArray *[]){&a}, list);
      assert_floats(&v[0], six, 6);
      assert_floats(&v[1], (float[]){1, 4, 2, 5, 3, 6}, 6);
      assert_floats(&v[2], six, 6);
      assert_floats(&v[3], line_of_six, 6);
      assert_floats(&v[4], line_of_six, 6);
      assert_int_equal(v[0].data == a.data, borrow);
      assert_int_equal(v[1].data == a.data, borrow);
      assert_int_equal(v[4].data == v[3].data, borrow);
    }
    assert_int_equal(func_stats(f).steps, borrow ? 1 : 5);
    for (int i = 0; i < 5; i++)
      GpuArray_clear(&v[i]);
    gg_func_free(f);
    f = NULL;
  }
}

/* Constants cannot be overwritten through what was borrowed. */
static void test_constant(void **state) {
  gg_var *c = gg_constant(g, GA_FLOAT, 2, two_three, six);

  (void)state;
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(c),
                                   .borrowed_outputs = GG_VARS(c)});
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_floats(&out, six, 6);
  assert_false(GpuArray_CHKFLAGS(&out, GA_WRITEABLE));
}

/* A shared variable that the call updates is given as it was. */
static void test_updated(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);

  (void)state;
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(w),
                                   .updates = GG_UPDATES({w, line(w)}),
                                   .borrowed_outputs = GG_VARS(w)});
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_floats(&out, six, 6);
  assert_shared(w, line_of_six, 6);
}

static void refuse(gg_var *const *mutable_inputs,
                   gg_var *const *borrowed_outputs, const char *message) {
  assert_code(
      GA_VALUE_ERROR,
      gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x),
                                  .outputs = GG_VARS(x),
                                  .mutable_inputs = mutable_inputs,
                                  .borrowed_outputs = borrowed_outputs}));
  assert_null(f);
  assert_non_null(strstr(gg_graph_error(g), message));
  gg_graph_reset_error(g);
}

static void test_refused(void **state) {
  (void)state;
  refuse(GG_VARS(x, y), NULL, "mutable input 1 (y) is not among the inputs");
  refuse(NULL, GG_VARS(y), "borrowed output 0 (y) is not among the outputs");
}

/* --- shared values without copies --- */

static void test_shared_view(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);

  (void)state;
  assert_ok(gg_shared_view(w, &out));
  assert_ok(GpuArray_memset(&out, 0));
  assert_shared(w, (float[]){0, 0, 0, 0, 0, 0}, 6);
  assert_code(GA_VALUE_ERROR, gg_shared_view(x, &other));
  assert_null(other.data);
}

static void test_shared_use(void **state) {
  gg_var *w = gg_shared_host_sized(g, "w", GA_FLOAT, 2, two_three, six, NULL);
  GpuArray turned = {0};

  (void)state;
  assert_ok(gg_shared_use(w, &a));
  f = func_make(g, &(gg_func_spec){.updates = GG_UPDATES({w, line(w)})});
  func_run(f, NULL, NULL);
  assert_floats(&a, line_of_six, 6); /* in place */
  assert_ok(GpuArray_write(&a, six, sizeof six));
  assert_shared(w, six, 6);
  assert_ok(GpuArray_transpose(&turned, &b, NULL));
  assert_code(GA_VALUE_ERROR, gg_shared_use(w, &turned));
  assert_string_equal(gg_graph_error(g),
                      "shared w: the array is not C contiguous and writeable");
  GpuArray_clear(&turned);
}

/* An argument that is a part of the variable that a call updates in place. */
static void test_argument_is_shared(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);
  gg_var *new_w = gg_sub(gg_mul(gg_sum(x), gg_f32(g, 1)), w);

  (void)state;
  new_w = gg_add(new_w, reversed(x));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .updates = GG_UPDATES({w, new_w})});
  assert_ok(gg_shared_view(w, &out));
  func_run(f, (GpuArray *[]){&out}, NULL);
  assert_shared(w, (float[]){24, 24, 24, 18, 18, 18}, 6);
}

static void test_shared_twice(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 2, two_three, six);

  (void)state;
  assert_ok(gg_shared_use(w, &a));
  assert_ok(gg_shared_use(v, &a));
  f = func_make(g, &(gg_func_spec){.name = "f",
                                   .updates = GG_UPDATES({w, gg_add(w, v)})});
  assert_code(GA_VALUE_ERROR, gg_func_prepare(f, NULL));
  assert_string_equal(gg_func_error(f),
                      "f: w and v share memory and one is updated");
  assert_code(GA_VALUE_ERROR, gg_func_call(f, NULL, NULL));
  assert_string_equal(gg_func_error(f),
                      "f: w and v share memory and one is updated");
  assert_ok(gg_shared_use(v, &b));
  func_run(f, NULL, NULL);
  assert_shared(w, (float[]){2, 4, 6, 8, 10, 12}, 6);
  assert_ok(gg_shared_use(v, &a)); /* not only at the first call */
  assert_code(GA_VALUE_ERROR, gg_func_call(f, NULL, NULL));
  assert_code(GA_VALUE_ERROR, gg_func_call(f, NULL, NULL));
}

/* What somebody looks at is not used for new values, though two buffers change
 * places in each call. */
static void test_view_stays(void **state) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);

  (void)state;
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .updates = GG_UPDATES({w, gg_add(reversed(w), x)})});
  assert_ok(gg_shared_view(w, &out));
  for (int i = 0; i < 3; i++)
    func_run(f, (GpuArray *[]){&a}, NULL);
  assert_floats(&out, six, 6);
}

/* --- memory that is given back --- */

/* Bytes that the context has handed out. */
static uint64_t in_use(void) {
  gpucontext_counters c;

  assert_ok(gpucontext_count(test_context(), &c));
  return c.used_bytes;
}

/* Intermediate buffers, a constant, a table, a spare and those of a loop. */
static gg_var *make_hungry(int flags) {
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, two_three, six);
  gg_var *c = gg_constant(g, GA_FLOAT, 2, (size_t[]){3, 2}, six), *h, *z;
  gg_scan *s = gg_scan_open(g);

  gg_scan_steps(s, gg_i64(g, 3));
  h = gg_scan_state(s, gg_exp(x));
  gg_scan_next(s, h, gg_dot(gg_dot(gg_tanh(h), c), h));
  gg_scan_close(s);
  z = gg_add(gg_scan_last(s, h), gg_dot(gg_exp(gg_dot(x, c)), x));
  gg_scan_free(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(z, gg_sum(z)),
                                   .updates = GG_UPDATES({w, reversed(w)}),
                                   .flags = flags});
  return w;
}

static void run_hungry(float *z) {
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &other});
  assert_ok(GpuArray_read(z, 6 * sizeof *z, &out));
}

static void test_trim(void **state) {
  float first[6], again[6];

  (void)state;
  assert_ok(GpuArray_memset(&a, 0));
  gg_var *w = make_hungry(0);
  uint64_t before = in_use();
  run_hungry(first);
  GpuArray_clear(&other);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){NULL, &other});
  GpuArray_clear(&out);
  GpuArray_clear(&other);
  uint64_t after = in_use();
  assert_true(after > before);
  for (int i = 0; i < 2; i++) {
    gg_func_trim(f);
    assert_true(in_use() == before);
    run_hungry(again);
    test_close(GA_FLOAT, again, first, 6, 0, 0);
    GpuArray_clear(&out);
    GpuArray_clear(&other);
  }
  assert_shared(w, six, 6); /* turned around four times */
  gg_func_trim(NULL);
}

static void test_free_temps(void **state) {
  float z[2][6];
  uint64_t used[2], before;

  (void)state;
  assert_ok(GpuArray_memset(&a, 0));
  for (int i = 0; i < 2; i++) {
    before = in_use();
    make_hungry(i == 1 ? GG_FREE_TEMPS : 0);
    for (int k = 0; k < 2; k++)
      run_hungry(z[i]);
    used[i] = in_use() - before;
    assert_true(func_stats(f).temp_bytes > 0);
    GpuArray_clear(&out);
    GpuArray_clear(&other);
    gg_func_free(f);
    f = NULL;
  }
  test_close(GA_FLOAT, z[1], z[0], 6, 0, 0);
  assert_true(used[1] < used[0]);
}

/* They are also freed if the call fails, be it in a loop: then no more stays
 * than after a call that ends (the output, workspaces of products). */
static void test_failure_frees_temps(void **state) {
  gg_scan *s = gg_scan_open(g);
  const size_t side = 512;

  (void)state;
  gg_scan_steps(s, gg_i64(g, 3));
  gg_var *h = gg_scan_state(s, gg_dot(gg_exp(x), x));
  gg_var *next = gg_dot(gg_tanh(gg_dot(h, h)), h);
  next = gg_assert(next, gg_lt(gg_sum(next), gg_f32(g, 0)), "too large");
  gg_scan_next(s, h, next);
  gg_scan_close(s);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_scan_last(s, h)),
                                   .flags = GG_FREE_TEMPS});
  gg_scan_free(s);
  GpuArray_clear(&a);
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 2,
                           (size_t[]){side, side}, GA_C_ORDER));
  assert_ok(GpuArray_fill(&a, GA_FLOAT, &(float){-1e-3f}));
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  const uint64_t after = in_use();
  assert_ok(GpuArray_memset(&a, 0));
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_message(GA_VALUE_ERROR, "too large");
  assert_true(in_use() <= after);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_overwritten),
      TEST(test_output_apart),
      TEST(test_intermediate),
      TEST(test_destroyed),
      TEST(test_left_alone),
      TEST(test_read_again),
      TEST(test_arguments_overlap),
      TEST(test_defaults_stay),
      TEST(test_default_borrowed),
      TEST(test_not_writeable),
      TEST(test_strided),
      TEST(test_modes),
      TEST(test_copy_keeps_it),
      TEST(test_views),
      TEST(test_constant),
      TEST(test_updated),
      TEST(test_refused),
      TEST(test_shared_view),
      TEST(test_shared_use),
      TEST(test_argument_is_shared),
      TEST(test_shared_twice),
      TEST(test_view_stays),
      TEST(test_trim),
      TEST(test_free_temps),
      TEST(test_failure_frees_temps),
  };

  return cmocka_run_group_tests_name("func_memory", tests, NULL,
                                     test_context_drop);
}
