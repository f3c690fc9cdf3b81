/* SPDX-License-Identifier: BSD-2-Clause */
/* What users' functions report reaches the caller. Only public headers, because
 * this is also built with the shared libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gpugraph/gpugraph.h>
#include <gpugraph/op.h>

#include <stdio.h>
#include <string.h>

static gpucontext *ctx; /* NULL: there is no device, for the reason below */
static char no_device[512];
static gg_graph *g;

/* --- an op that fails in several ways --- */

static enum {
  WELL,
  BY_OP,    /* gg_op_fail */
  BY_ERROR, /* gpuarray_fail */
  BY_TEXT,  /* gpuarray_fail_text, longer than the fixed buffer */
  BY_ARRAY, /* a function of the library that failed */
  BY_OTHER, /* it failed, but another code is returned */
  SILENTLY, /* no message */
  N_WAYS
} way;

static char long_text[4000];

static int fail_somehow(const gg_apply *a) {
  GpuArray none = {0};

  switch (way) {
  case BY_OP:
    return gg_op_fail(a, GA_VALUE_ERROR, "mood %d", 7);
  case BY_ERROR:
    return gpuarray_fail(GA_UNSUPPORTED_ERROR, "mood %d", 8);
  case BY_TEXT:
    return gpuarray_fail_text(GA_RUN_ERROR, long_text);
  case BY_ARRAY:
    return GpuArray_sync(&none);
  case BY_OTHER:
    (void)GpuArray_sync(&none);
    return GA_BLAS_ERROR;
  case SILENTLY:
    return GA_BLAS_ERROR;
  default:
    return GA_NO_ERROR;
  }
}

static const struct {
  int code;
  const char *part; /* of the message */
} expected[N_WAYS] = {
    [BY_OP] = {GA_VALUE_ERROR, "mood 7"},
    [BY_ERROR] = {GA_UNSUPPORTED_ERROR, "mood 8"},
    [BY_TEXT] = {GA_RUN_ERROR, "yyyy"},
    [BY_ARRAY] = {GA_INVALID_ERROR, "the array is not initialised"},
    [BY_OTHER] = {GA_BLAS_ERROR, "the array is not initialised"},
    [SILENTLY] = {GA_BLAS_ERROR, NULL}};

static int perform(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], p->in[0]->dimensions[0] * sizeof(float));
  return fail_somehow(p->apply);
}

static int shape_first(const gg_apply *a, const gg_dims *in,
                       const double *const *host, gg_dims *out) {
  (void)a;
  (void)host;
  *out = in[0];
  return GA_NO_ERROR;
}

static int shape_or_fail(const gg_apply *a, const gg_dims *in,
                         const double *const *host, gg_dims *out) {
  (void)host;
  *out = in[0];
  return fail_somehow(a);
}

static int infer_first(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int infer_or_fail(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  return fail_somehow(a);
}

static int run_well(const gg_prepare *p) {
  memcpy(p->to[0], p->from[0], p->in[0]->dimensions[0] * sizeof(float));
  return GA_NO_ERROR;
}

static const gg_op fails_running = {.name = "runs",
                                    .kind = GG_OP_PERFORM,
                                    .n_out = 1,
                                    .on_host = 1,
                                    .infer = infer_first,
                                    .shape = shape_first,
                                    .perform = perform};
static const gg_op fails_sizing = {.name = "sizes",
                                   .kind = GG_OP_PERFORM,
                                   .n_out = 1,
                                   .on_host = 1,
                                   .infer = infer_first,
                                   .shape = shape_or_fail,
                                   .perform = run_well};
static const gg_op fails_inferring = {.name = "infers",
                                      .kind = GG_OP_PERFORM,
                                      .n_out = 1,
                                      .on_host = 1,
                                      .infer = infer_or_fail,
                                      .shape = shape_first,
                                      .perform = run_well};

/* --- checks --- */

/* Skip a test that calls functions when there is no device. */
static void need_device(void) {
  if (ctx != NULL)
    return;
  /* Not the words for which CTest shows the whole program as skipped, also
   * where a test of it has failed: one of them needs no device. */
  print_message("functions cannot be called: %s\n", no_device);
  skip();
}

static void leave_an_old_error(void) {
  gpuarray_fail(GA_BLAS_ERROR, "an older failure");
}

static void check_text(const char *text, int code, const char *part) {
  assert_null(strstr(text, "an older failure"));
  assert_non_null(strstr(text, part != NULL ? part : gpuarray_error_str(code)));
}

static void check_calls(const gg_op *op) {
  const float two[2] = {1, 2};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *y = gg_op_apply(g, op, NULL, 1, &x);
  GpuArray a = {0}, out = {0};
  gg_func *f;
  int err;

  assert_int_equal(
      gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)}),
      GA_NO_ERROR);
  assert_int_equal(
      GpuArray_empty(&a, ctx, GA_FLOAT, 1, (size_t[]){2}, GA_C_ORDER),
      GA_NO_ERROR);
  assert_int_equal(GpuArray_write(&a, two, sizeof two), GA_NO_ERROR);
  for (int k = BY_OP; k < N_WAYS; k++) {
    leave_an_old_error();
    way = k;
    err = gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    way = WELL;
    assert_int_equal(err, expected[k].code);
    assert_int_equal(gpuarray_error_code(), err);
    check_text(gg_func_error(f), err, expected[k].part);
    check_text(gpuarray_error_text(err), err, expected[k].part);
    assert_string_equal(gpucontext_error(ctx, err), gpuarray_error_text(err));
    if (k == BY_TEXT)
      assert_non_null(strstr(gg_func_error(f), long_text));
    assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
    assert_int_equal(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}),
                     GA_NO_ERROR);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
}

static void running_ops_report(void **state) {
  (void)state;
  need_device();
  check_calls(&fails_running);
}

/* Sizes are found when a plan is made: one call, and no other, needs it. */
static void sizing_ops_report(void **state) {
  gg_var *x, *y;
  GpuArray a = {0}, out = {0};
  gg_func *f;
  int err;

  (void)state;
  need_device();
  x = gg_input(g, "x", GA_FLOAT, 1);
  y = gg_op_apply(g, &fails_sizing, NULL, 1, &x);
  assert_int_equal(
      gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)}),
      GA_NO_ERROR);
  assert_int_equal(
      GpuArray_zeros(&a, ctx, GA_FLOAT, 1, (size_t[]){2}, GA_C_ORDER),
      GA_NO_ERROR);
  for (int k = BY_OP; k < N_WAYS; k++) {
    leave_an_old_error();
    way = k;
    err = gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    way = WELL;
    assert_int_equal(err, expected[k].code);
    assert_int_equal(gpuarray_error_code(), err);
    check_text(gg_func_error(f), err, expected[k].part);
  }
  assert_int_equal(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}),
                   GA_NO_ERROR);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
}

/* A graph keeps its first error, which is the thread's last one. */
static void inferring_ops_report(void **state) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  for (int k = BY_OP; k < N_WAYS; k++) {
    leave_an_old_error();
    way = k;
    assert_null(gg_op_apply(g, &fails_inferring, NULL, 1, &x));
    way = WELL;
    assert_int_equal(gg_graph_status(g), expected[k].code);
    check_text(gg_graph_error(g), expected[k].code, expected[k].part);
    assert_int_equal(gpuarray_error_code(), expected[k].code);
    assert_string_equal(gpuarray_error_text(GA_NO_ERROR), gg_graph_error(g));
    gg_graph_reset_error(g);
  }
}

/* --- setting up --- */

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(ctx);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

static int open_device(void **state) {
  (void)state;
  memset(long_text, 'y', sizeof long_text - 1);
  const int err = gpucontext_open(&ctx, NULL);
  if (err != GA_NODEV_ERROR)
    return err;
  snprintf(no_device, sizeof no_device, "%s", gpuarray_error_text(err));
  return 0;
}

static int close_device(void **state) {
  (void)state;
  if (ctx != NULL)
    gpucontext_deref(ctx);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(running_ops_report, setup, teardown),
      cmocka_unit_test_setup_teardown(sizing_ops_report, setup, teardown),
      cmocka_unit_test_setup_teardown(inferring_ops_report, setup, teardown),
  };

  return cmocka_run_group_tests(tests, open_device, close_device);
}
