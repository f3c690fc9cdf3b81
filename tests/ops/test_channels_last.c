/* SPDX-License-Identifier: BSD-2-Clause */
/* Images whose channels lie last in memory: convolutions of narrow floats,
 * pooling and maps keep them there, constant filters lie so, too, and results
 * are in C order. */
#include <gpugraph/pooling.h>

#include "support/graph_case.h"

enum { N = 2, C = 4, F = 6, SIDE = 6, PLANE = SIDE * SIDE, MOST = 4 };
enum { ELEMENTS = N * C * PLANE };

/* The last stride of each array that the op below was given, in elements. */
static ssize_t channel_steps[MOST];
static unsigned int n_seen;

static int infer_same(const gg_apply *node, gg_type *type) {
  *type = *gg_var_type(node->in[0]);
  return GA_NO_ERROR;
}

static int shape_same(const gg_apply *node, const gg_dims *in,
                      const double *const *host, gg_dims *dims) {
  (void)node;
  (void)host;
  *dims = in[0];
  return GA_NO_ERROR;
}

/* Copy the first operand, and note how far apart the channels of each are. */
static int perform_see(const gg_prepare *p) {
  for (unsigned int i = 0; i < p->n_in; i++) {
    assert_true(n_seen < MOST);
    channel_steps[n_seen++] =
        p->in[i]->strides[1] / (ssize_t)gpuarray_get_elsize(p->in[i]->typecode);
  }
  return GpuArray_setarray(p->out[0], p->in[0]);
}

static int keeps_last(const gg_apply *node) {
  (void)node;
  return 1;
}

static const gg_op see_op = {.name = "see",
                             .kind = GG_OP_PERFORM,
                             .n_out = 1,
                             .half_ok = 1,
                             .infer = infer_same,
                             .shape = shape_same,
                             .perform = perform_see,
                             .keeps_last = keeps_last};

static gg_var *see(gg_var *v) {
  return gg_op_apply(NULL, &see_op, NULL, 1, &v);
}

static gg_var *see_with(gg_var *v, gg_var *w) {
  return gg_op_apply(NULL, &see_op, NULL, 2, (gg_var *[]){v, w});
}

static gg_var *filters(size_t f, size_t c, size_t k) {
  const size_t dims[4] = {f, c, k, k};
  uint16_t v[F * F * 9];

  test_fill(v, GA_HALF, f * c * k * k, -0.5, 0.5, 5);
  return gg_constant(g, GA_HALF, 4, dims, v);
}

/* x [N, C, SIDE, SIDE] in float16, in C order or with channels last. */
static void images(GpuArray *to, int is_last) {
  static const unsigned int back[4] = {0, 3, 1, 2}, forth[4] = {0, 2, 3, 1};
  const size_t dims[4] = {N, C, SIDE, SIDE};
  uint16_t v[ELEMENTS];
  GpuArray half, turned, last;

  test_fill(v, GA_HALF, ELEMENTS, -1, 1, 3);
  test_array(&half, GA_HALF, 4, dims, v);
  if (!is_last) {
    *to = half;
    return;
  }
  assert_ok(GpuArray_transpose(&turned, &half, forth));
  assert_ok(GpuArray_copy(&last, &turned, GA_C_ORDER));
  assert_ok(GpuArray_transpose(to, &last, back));
  GpuArray_clear(&half);
  GpuArray_clear(&turned);
  GpuArray_clear(&last);
}

/* A convolution with an epilogue, a maximum, a map, and a convolution that is
 * added to its operand. */
static gg_var *network(gg_var *x) {
  const GpuConv same = {.nd = 2,
                        .stride = {1, 1},
                        .dilation = {1, 1},
                        .before = {1, 1},
                        .after = {1, 1},
                        .groups = 1};
  const GpuPooling pool = {
      .nd = 2, .size = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}};
  gg_var *y = see(gg_relu(gg_conv(x, filters(F, C, 3), &same)));

  y = see_with(gg_pool_max(y, &pool), filters(F, F, 3));
  y = see(gg_mul(y, gg_weak(g, 0.5)));
  y = gg_add(y, gg_conv(y, filters(F, F, 3), &same));
  return gg_cast(y, GA_FLOAT);
}

static void channels_stay_last(void **state) {
  const ssize_t apart[2][MOST] = {{PLANE, PLANE / 4, 9, PLANE / 4},
                                  {1, 1, 1, 1}};
  gg_var *x =
      gg_input_sized(g, "x", GA_HALF, 4, (int64_t[]){GG_ANY, C, SIDE, SIDE});
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(network(x))});
  float want[N * F * PLANE / 4];

  (void)state;
  for (int is_last = 0; is_last < 2; is_last++) {
    n_seen = 0;
    images(&a, is_last);
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    assert_int_equal(n_seen, MOST);
    for (unsigned int i = 0; i < MOST; i++)
      assert_int_equal(channel_steps[i], apart[is_last][i]);
    assert_true(GpuArray_IS_C_CONTIGUOUS(&out));
    if (is_last)
      test_array_close(&out, want, 1e-2, 1e-2);
    else
      test_gather(&out, want);
    GpuArray_clear(&a);
  }
  gg_func_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
      channels_stay_last, graph_setup, graph_teardown)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
