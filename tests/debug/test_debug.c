/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug mode finds ops that do not do what they say. */
#undef GG_NO_SITES
#include "func/func.h"

#include <gpuarray/record.h>
#include <math.h>

#include "debug/debugged.h"

/* --- ops that are wrong --- */

static double eval_twice(const double *v) {
  return 2 * v[0];
}

/* Wrong from 5 on. */
static const gg_code twice_code = {
    "(%0 < (%T)(5) ? %0 + %0 : %0 + %0 + (%T)(1))", eval_twice, 1, 1};
static const gg_op twice = {
    .name = "twice", .kind = GG_OP_ELEMWISE, .n_out = 1, .code = &twice_code};

static int infer_same(const gg_apply *a, gg_type *type) {
  *type = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape_same(const gg_apply *a, const gg_dims *dims,
                      const double *const *host, gg_dims *result) {
  (void)a;
  (void)host;
  *result = dims[0];
  return GA_NO_ERROR;
}

/* Sets its result to 0 and, which it should not, its input too. */
static int perform_spoil(const gg_prepare *p) {
  GA_TRY(GpuArray_memset(p->out[0], 0));
  return GpuArray_memset(p->in[0], 0);
}

static const gg_op spoil = {.name = "spoil",
                            .kind = GG_OP_PERFORM,
                            .n_out = 1,
                            .infer = infer_same,
                            .shape = shape_same,
                            .perform = perform_spoil};

/* Two copies of its input. */
static int infer_pair(const gg_apply *a, gg_type *types) {
  types[0] = types[1] = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape_pair(const gg_apply *a, const gg_dims *dims,
                      const double *const *host, gg_dims *result) {
  (void)a;
  (void)host;
  result[0] = result[1] = dims[0];
  return GA_NO_ERROR;
}

static int perform_pair(const gg_prepare *p) {
  GA_TRY(GpuArray_move(p->out[0], p->in[0]));
  return GpuArray_move(p->out[1], p->in[0]);
}

static int reference_pair(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], 6 * sizeof(float));
  memcpy(p->to[1], p->from[0], 6 * sizeof(float));
  return GA_NO_ERROR;
}

static const gg_op pair = {.name = "pair",
                           .kind = GG_OP_PERFORM,
                           .n_out = 2,
                           .infer = infer_pair,
                           .shape = shape_pair,
                           .perform = perform_pair,
                           .reference = reference_pair};

/* Another result each time. */
static int count;

static int perform_count(const gg_prepare *p) {
  float *to = p->to[0];

  count++;
  for (size_t i = 0; i < 6; i++)
    to[i] = (float)count;
  return GA_NO_ERROR;
}

static int new_state(const gg_prepare *p, void **state) {
  (void)p;
  *state = &count;
  return GA_NO_ERROR;
}

static void free_state(void *state) {
  (void)state;
}

static const gg_op counting = {.name = "counting",
                               .kind = GG_OP_PERFORM,
                               .n_out = 1,
                               .infer = infer_same,
                               .shape = shape_same,
                               .perform = perform_count,
                               .on_host = 1,
                               .state_new = new_state,
                               .state_free = free_state};

/* --- debug mode --- */

static gg_var *apply(const gg_op *op, gg_var *v) {
  return gg_op_apply(NULL, op, NULL, 1, &v);
}

static void test_right(void **state) {
  gg_var *y = gg_softmax(gg_dot(x, gg_transpose(gg_exp(x))));

  (void)state;
  make(y, GG_DEBUG, GG_NAN_GUARD | GG_INF_GUARD);
  assert_ok(call());
  assert_ok(call());
  assert_int_equal(out.dimensions[1], 2);
}

/* The node is named, though all are one kernel. */
/* The host computes what vectors of sizes are made of. */
static void test_sizes(void **state) {
  (void)state;
  make(gg_shape_vector(x), GG_DEBUG, 0);
  assert_ok(call());
  assert_int_equal(out.dimensions[0], 2);
}

/* Which part of a complex number is NaN differs between device and host. */
static void test_complex_nan(void **state) {
  const int axes[2] = {0, 1};
  gg_var *nan = gg_fill(x, gg_f32(g, NAN));

  (void)state;
  make(gg_ifft(nan, 2, axes, NULL, 0), GG_DEBUG, 0);
  assert_ok(call());
}

/* Each allocation of a call fails in turn, and nothing leaks. */
static void test_memory_runs_out(void **state) {
  long left = 0, live;

  (void)state;
  make(gg_exp(gg_var_owner(apply(&pair, x))->out[1]), GG_DEBUG, 0);
  assert_ok(call());
  GpuArray_clear(&out);
  live = ga__alloc_live();
  for (long n = 1; left <= 0; n++) {
    ga__alloc_fail(n, 0);
    int err = call();
    left = ga__alloc_fail(0, 0);
    GpuArray_clear(&out);
    if (left > 0)
      assert_ok(err);
    assert_int_equal(ga__alloc_live(), live);
  }
}

static void test_wrong_kernel(void **state) {
  const int line = __LINE__ + 3;

  (void)state;
  gg_var *y = gg_sqrt(GG_SITED_CALLER(apply, &twice, gg_add(x, x)));
  make(y, GG_DEBUG, 0);
  assert_found("twice at [0, 2] of float32[2, 3]",
               "the device found 13, the host 12", line);
}

/* Without the twin's steps: the kernel as it is. */
static void test_wrong_fused(void **state) {
  (void)state;
  make(gg_neg(apply(&twice, x)), GG_DEBUG, 0);
  gg_func_free(f->twin);
  f->twin = NULL;
  assert_found("neg at [1, 1]", "the device found -11, the host -10", 0);
}

static void test_changed_input(void **state) {
  (void)state;
  make(apply(&spoil, gg_exp(x)), GG_DEBUG, 0);
  assert_found("spoil changed its input exp", "at [0, 0]", 0);
}

static void test_results_differ(void **state) {
  (void)state;
  count = 0;
  make(gg_named(apply(&counting, x), "counted"), GG_DEBUG, 0);
  assert_found("output 0 (counted) at [0, 0]", "2 after rewriting, 1 without",
               0);
}

/* Though bfloat16 has few digits. */
static void test_narrow_results_differ(void **state) {
  (void)state;
  count = 2;
  make(gg_named(gg_cast(apply(&counting, x), GA_BFLOAT), "narrow"), GG_DEBUG,
       0);
  assert_found("output 0 (narrow) at [0, 0]", "4 after rewriting, 3 without",
               0);
}

/* Shared variables keep their values, those that are updated in place, too. */
static void test_shared_kept(void **state) {
  const float start[6] = {3, 3, 3, 3, 3, 3};
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){2, 3}, start);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(apply(&counting, x)),
                                   .updates = GG_UPDATES({w, gg_sub(w, x)}),
                                   .mode = GG_DEBUG});
  count = 0;
  assert_code(GA_VALUE_ERROR, call());
  assert_shared(w, start, 6);
}

/* One that cannot be written back is named after the error. */
static void test_shared_lost(void **state) {
  const float start[6] = {3, 3, 3, 3, 3, 3};
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){2, 3}, start);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(apply(&counting, x)),
                                   .updates = GG_UPDATES({w, gg_sub(w, x)}),
                                   .mode = GG_DEBUG});
  count = 0;
  w->storage->value.flags &= ~GA_WRITEABLE;
  assert_code(GA_VALUE_ERROR, call());
  w->storage->value.flags |= GA_WRITEABLE;
  assert_non_null(strstr(gg_func_error(f), "2 after rewriting, 1 without"));
  assert_non_null(strstr(gg_func_error(f), "; w lost its old value: "));
}

static void test_shared_updated(void **state) {
  const float start[6] = {3, 3, 3, 3, 3, 3}, end[6] = {2, 1, 0, -1, -2, -3};
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){2, 3}, start);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_sum(w)),
                                   .updates = GG_UPDATES({w, gg_sub(w, x)}),
                                   .mode = GG_DEBUG});
  assert_ok(call());
  assert_floats(&out, (float[]){18}, 1);
  assert_shared(w, end, 6);
}

/* --- writes beyond the ends of buffers --- */

typedef struct stray_props {
  int64_t at; /* byte of the result that is written to besides */
} stray_props;

static const int stray_types[] = {GA_BUFFER, GA_OFFSET, GA_BUFFER,
                                  GA_OFFSET, GA_SIZE,   GA_LONG};
static const GpuKernelSpec stray_kernel = {
    .name = "stray",
    .code = "#include \"cluda.h\"\n"
            "KERNEL void stray(GLOBAL_MEM ga_ubyte *x, ga_size x_off,\n"
            "                  GLOBAL_MEM ga_ubyte *z, ga_size z_off,\n"
            "                  ga_size n, ga_long at) {\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  if (i < n)\n"
            "    z[z_off + i] = x[x_off + i];\n"
            "  if (i == 0)\n"
            "    z[(ga_long)z_off + at] = 1;\n"
            "}\n",
    .n_types = 6,
    .types = stray_types};

static int prepare_stray(const gg_prepare *p, GpuLaunch **launch, int *slot_in,
                         int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  const stray_props *props = p->apply->props;
  size_t bytes = test_size(p->in[0]) * sizeof(float);
  int64_t at = props->at;

  GpuLaunch_scall(l, &stray_kernel, 1, &bytes, 0,
                  (void *[]){p->in[0], NULL, p->out[0], NULL, &bytes, &at});
  return GpuLaunch_close(launch, l);
}

static const gg_op stray_op = {.name = "stray",
                               .kind = GG_OP_KERNEL,
                               .props_bytes = sizeof(stray_props),
                               .n_out = 1,
                               .c_order = 1,
                               .infer = infer_same,
                               .shape = shape_same,
                               .prepare = prepare_stray};

static gg_var *stray(gg_var *v, int64_t at) {
  return gg_op_apply(NULL, &stray_op, &(stray_props){at}, 1, &v);
}

/* Drop the twin, which finds most things first. */
static void without_twin(void) {
  gg_func_free(f->twin);
  f->twin = NULL;
}

static void test_beyond_temporary(void **state) {
  int line;

  (void)state;
  make(gg_exp((line = __LINE__, GG_SITED_CALLER(stray, x, 26))), GG_DEBUG, 0);
  assert_found("stray: byte 26 of a buffer of 24 was written", "stray", line);
}

static void test_before_temporary(void **state) {
  (void)state;
  make(gg_exp(stray(x, -3)), GG_DEBUG, 0);
  without_twin();
  assert_found("stray: byte -3 of a buffer of 24 was written", "stray", 0);
}

static void test_beyond_output(void **state) {
  (void)state;
  make(stray(gg_exp(x), 24), GG_DEBUG, 0);
  without_twin();
  assert_found("stray: byte 24 of a buffer of 24", "stray", 0);
}

/* The value that was lies elsewhere meanwhile. */
static void test_beyond_shared(void **state) {
  const float start[6] = {3, 3, 3, 3, 3, 3};
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){2, 3}, start);

  (void)state;
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_sum(w)),
                         .updates = GG_UPDATES({w, stray(gg_add(w, x), -1)}),
                         .mode = GG_DEBUG});
  without_twin();
  assert_found("stray: byte -1 of a buffer of 24", "stray", 0);
  assert_shared(w, start, 6);
}

/* In the body, whose steps are named, and in what the loop keeps. */
static void check_stray_loop(gg_var *(*step)(gg_var *), const char *message) {
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, x, 0);
  gg_var *h = gg_scan_state(s, gg_zeros_like(gg_index(x, 0, 0)));

  gg_scan_next(s, h, gg_add(step(row), h));
  gg_scan_close(s);
  make(gg_scan_all(s, h), GG_DEBUG, 0);
  gg_scan_free(s);
  assert_found(message, "stray: byte", 0);
}

static gg_var *stray_inside(gg_var *row) {
  return gg_exp(stray(row, 12));
}

static void test_beyond_in_loop(void **state) {
  (void)state;
  check_stray_loop(stray_inside, "byte 12 of a buffer of 12 was written");
}

/* An array of the caller's that fits is written to when all was found right. */
static void test_output_in_place(void **state) {
  const float zeros[6] = {0};
  GpuArray view;

  (void)state;
  float_array(&out, 2, (size_t[]){2, 3}, zeros);
  assert_ok(GpuArray_view(&view, &out));
  make(gg_add(x, x), GG_DEBUG, 0);
  assert_ok(call());
  assert_ok(call());
  assert_ptr_equal(view.data, out.data);
  assert_floats(&view, (float[]){2, 4, 6, 8, 10, 12}, 6);
  GpuArray_clear(&view);
}

/* --- what is compared with nothing but itself, and what lies elsewhere --- */

/* A cell with draws, which are the same when they are computed again, in a loop
 * whose products leave it. */
static gg_var *loop(gg_var *rows, gg_random *r) {
  gg_scan *s = gg_scan_open(g);
  gg_var *row = gg_scan_sequence(s, rows, 0);

  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 2, (size_t[]){3, 3},
                             (const float[9]){1, 0, 0.5f, 0, 1, 0, -1, 0, 1});
  if (gg_var_context(rows) != test_context())
    w = gg_transfer(w, gg_var_context(rows));
  gg_var *kept = gg_random_bernoulli(r, GG_DRAW(GA_FLOAT, 3), gg_f32(g, 0.5f));
  gg_var *h = gg_scan_state(s, gg_zeros_like(gg_index(rows, 0, 0)));
  gg_scan_next(s, h,
               gg_tanh(gg_add(gg_mul(gg_transfer(kept, gg_var_context(rows)),
                                     gg_dot(row, w)),
                              gg_dot(h, w))));
  gg_scan_close(s);
  h = gg_scan_all(s, h);
  gg_scan_free(s);
  return h;
}

/* Debug mode finds nothing wrong, and sees what a function without it does. */
static void check_loop(gpucontext *ctx) {
  gg_random *r = gg_random_new(g, GG_PHILOX, 3);
  gg_var *all = loop(gg_transfer(x, ctx), r), *d = NULL;
  float got[2][6];

  all = gg_transfer(all, test_context());
  assert_ok(gg_grad(&d, gg_sum(gg_exp(all)), 1, &x));
  for (int i = 0; i < 2; i++) {
    make(gg_add(all, d), i == 0 ? GG_DEBUG : GG_FAST_RUN,
         GG_NO_DEFAULT_UPDATES);
    if (call() != GA_NO_ERROR)
      fail_msg("%s", gg_func_error(f));
    test_gather(&out, got[i]);
    gg_func_free(f);
    f = NULL;
  }
  test_close(GA_FLOAT, got[0], got[1], 6, 1e-5, 1e-6);
  gg_random_free(r);
}

static void test_loop(void **state) {
  (void)state;
  check_loop(test_context());
}

static void test_contexts(void **state) {
  (void)state;
  check_loop(test_second_context());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_right),
      TEST(test_sizes),
      TEST(test_complex_nan),
      TEST(test_memory_runs_out),
      TEST(test_wrong_kernel),
      TEST(test_wrong_fused),
      TEST(test_changed_input),
      TEST(test_results_differ),
      TEST(test_narrow_results_differ),
      TEST(test_shared_kept),
      TEST(test_shared_updated),
      TEST(test_shared_lost),
      TEST(test_beyond_temporary),
      TEST(test_before_temporary),
      TEST(test_beyond_output),
      TEST(test_beyond_shared),
      TEST(test_beyond_in_loop),
      TEST(test_output_in_place),
      TEST(test_loop),
      TEST(test_contexts),
  };

  return cmocka_run_group_tests_name("debug", tests, NULL, test_context_drop);
}
