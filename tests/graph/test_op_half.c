/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that do not know narrow floats compute in float32, and say so;
 * contexts. */
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_func *f;
static GpuArray a, out, second;
static gg_var *x; /* of halfs */
static const uint16_t one_two[2] = {0x3c00, 0x4000};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_HALF, 1);
  f = NULL;
  test_array(&a, GA_HALF, 1, (size_t[]){2}, one_two);
  memset(&out, 0, sizeof out);
  memset(&second, 0, sizeof second);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  GpuArray_clear(&second);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

/* twice x, and how many elements x has */
static int infer(const gg_apply *node, gg_type *type) {
  type[0] = *gg_var_type(node->in[0]);
  type[1] = (gg_type){.dtype = GA_LONG};
  return GA_NO_ERROR;
}

static int shape(const gg_apply *node, const gg_dims *in,
                 const double *const *host, gg_dims *dims) {
  (void)node;
  (void)host;
  dims[0] = in[0];
  dims[1].nd = 0;
  return GA_NO_ERROR;
}

static int perform(const gg_prepare *p) {
  const float *from = p->from[0];
  size_t i;

  if (p->in[0]->typecode != GA_FLOAT || p->out[0]->typecode != GA_FLOAT)
    return gg_op_fail(p->apply, GA_VALUE_ERROR, "not float32");
  for (i = 0; i < p->in[0]->dimensions[0]; i++)
    ((float *)p->to[0])[i] = 2 * from[i];
  *(int64_t *)p->to[1] = (int64_t)i;
  return GA_NO_ERROR;
}

static int grad(const gg_apply *node, gg_var *const *gout, gg_var **gin) {
  (void)node;
  gin[0] = gg_add(gout[0], gout[0]);
  return GA_NO_ERROR;
}

static const gg_op op = {.name = "narrow",
                         .kind = GG_OP_PERFORM,
                         .n_out = 2,
                         .on_host = 1,
                         .infer = infer,
                         .shape = shape,
                         .grad = grad,
                         .perform = perform};

static void halfs_are_cast(gg_mode mode) {
  gg_apply *n = gg_var_owner(gg_op_apply(NULL, &op, NULL, 1, &x));
  uint16_t got[2];
  int64_t count;

  assert_int_equal(gg_var_type(n->out[0])->dtype, GA_HALF);
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(n->out[0], n->out[1]),
                                   .mode = mode});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &second});
  assert_int_equal(out.typecode, GA_HALF);
  test_gather(&out, got);
  assert_int_equal(got[0], 0x4000);
  assert_int_equal(got[1], 0x4400);
  test_gather(&second, &count);
  assert_int_equal(count, 2);
  char *text = func_text(f);
  assert_non_null(strstr(text, "narrow (float16 by float32)"));
  free(text);
  gg_func_free(f);
  f = NULL;
}

static void halfs_go_by_way_of_floats(void **state) {
  (void)state;
  halfs_are_cast(GG_FAST_RUN);
  halfs_are_cast(GG_FAST_COMPILE);
  halfs_are_cast(GG_NO_REWRITE);
}

static void bfloats_go_by_way_of_floats(void **state) {
  static const uint16_t two[2] = {0x3f80, 0x4000};
  gg_var *y = gg_input(g, "y", GA_BFLOAT, 1);
  gg_apply *n = gg_var_owner(gg_op_apply(NULL, &op, NULL, 1, &y));
  uint16_t got[2];

  (void)state;
  GpuArray_clear(&a);
  test_array(&a, GA_BFLOAT, 1, (size_t[]){2}, two);
  f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(y), .outputs = GG_VARS(n->out[0])});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_int_equal(out.typecode, GA_BFLOAT);
  test_gather(&out, got);
  assert_int_equal(got[0], 0x4000);
  assert_int_equal(got[1], 0x4080);
  char *text = func_text(f);
  assert_non_null(strstr(text, "narrow (bfloat16 by float32)"));
  free(text);
}

static void floats_are_as_they_are(void **state) {
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(y),
                                   .outputs = GG_VARS(
                                       gg_op_apply(NULL, &op, NULL, 1, &y))});
  char *text = func_text(f);
  assert_null(strstr(text, "float16"));
  assert_null(strstr(text, "cast"));
  free(text);
}

static int infer_half(const gg_apply *node, gg_type *type) {
  (void)node;
  *type = (gg_type){.dtype = GA_HALF};
  return GA_NO_ERROR;
}

static int infer_bfloat(const gg_apply *node, gg_type *type) {
  (void)node;
  *type = (gg_type){.dtype = GA_BFLOAT};
  return GA_NO_ERROR;
}

static void an_op_that_cannot_take_halfs_says_so(void **state) {
  gg_op stubborn = op;
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);

  (void)state;
  stubborn.name = "stubborn";
  stubborn.n_out = 1;
  stubborn.infer = infer_half;
  assert_null(gg_op_apply(NULL, &stubborn, NULL, 1, &y));
  assert_string_equal(gg_graph_error(g),
                      "stubborn(float32[?]): output 0 is float16, which the op "
                      "does not support (half_ok)");
  gg_graph_reset_error(g);
  stubborn.half_ok = 1;
  assert_non_null(gg_op_apply(NULL, &stubborn, NULL, 1, &y));
  gg_op other = stubborn;
  other.half_ok = 0;
  other.infer = infer_bfloat;
  assert_null(gg_op_apply(NULL, &other, NULL, 1, &y));
  assert_string_equal(gg_graph_error(g),
                      "stubborn(float32[?]): output 0 is bfloat16, which the "
                      "op does not support (half_ok)");
}

/* --- contexts --- */

static void contexts_are_found(void **state) {
  gg_var *y = gg_input(g, "y", GA_FLOAT, 1);
  gpucontext *ctx = NULL;

  (void)state;
  assert_ok(gg_infer_context(&ctx, 2, (gg_var *[]){x, y}));
  assert_ptr_equal(ctx, test_context());
  assert_ptr_equal(gg_var_context(x), ctx);
  assert_null(gg_var_context(NULL));
  assert_ptr_equal(gg_as_gpu_variable(y, ctx), y);
  assert_null(gg_as_gpu_variable(NULL, ctx));
  assert_code(GA_VALUE_ERROR, gg_infer_context(&ctx, 0, NULL));
  assert_null(ctx);
  assert_code(GA_VALUE_ERROR, gg_infer_context(&ctx, 2, (gg_var *[]){x, NULL}));
}

static void mixed_contexts_are_errors(void **state) {
  gpucontext *there = NULL, *ctx = test_context();

  (void)state;
  assert_ok(gpucontext_open(&there, NULL));
  gg_graph *far = gg_graph_new(there);
  gg_var *y = gg_input(far, "y", GA_HALF, 1);
  assert_code(GA_VALUE_ERROR, gg_infer_context(&ctx, 2, (gg_var *[]){x, y}));
  assert_null(ctx);
  assert_non_null(
      strstr(gg_graph_error(g), "variable 1 (y) is in another context ("));
  assert_string_equal(gg_graph_error(g), gg_graph_error(far));
  gg_graph_reset_error(g);
  gg_graph_reset_error(far);
  assert_ptr_equal(gg_var_context(gg_as_gpu_variable(y, test_context())),
                   test_context());
  assert_null(gg_op_apply(NULL, &op, NULL, 2, (gg_var *[]){x, y}));
  assert_string_equal(gg_graph_error(g),
                      "narrow: operand 1 belongs to another graph");
  gg_graph_free(far);
  gpucontext_deref(there);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(halfs_go_by_way_of_floats),
      TEST(bfloats_go_by_way_of_floats),
      TEST(floats_are_as_they_are),
      TEST(an_op_that_cannot_take_halfs_says_so),
      TEST(contexts_are_found),
      TEST(mixed_contexts_are_errors),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
