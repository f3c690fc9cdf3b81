/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops without kernels: sizes that the host knows, and views. */
#include <string.h>

#include "support/graph_case.h"

static const float six[6] = {1, 2, 3, 4, 5, 6};

/* Compute y twice for x = six. */
static void run(gg_var *x, gg_var *y) {
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});

  float_vector(&a, 6, six);
  for (int i = 0; i < 2; i++)
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  gg_func_free(f);
}

/* Element i is the size of input i. There are more than an array has axes. */
enum { MANY = GG_MAX_ND + 8 };

static int infer_lengths(const gg_apply *node, gg_type *type) {
  (void)node;
  *type = (gg_type){.dtype = GA_LONG, .nd = 1, .dims = {MANY}};
  return GA_NO_ERROR;
}

static int shape_lengths(const gg_apply *node, const gg_dims *in,
                         const double *const *host, gg_dims *dims) {
  (void)in;
  (void)host;
  *dims = (gg_dims){1, {node->n_in}};
  return GA_NO_ERROR;
}

static int find_lengths(const gg_apply *node, const gg_dims *in,
                        const double *const *number, const gg_dims *want,
                        void *data) {
  (void)number;
  (void)want;
  for (unsigned int i = 0; i < node->n_in; i++)
    ((int64_t *)data)[i] = (int64_t)in[i].dim[0];
  return GA_NO_ERROR;
}

static const gg_op lengths_op = {.name = "lengths",
                                 .kind = GG_OP_SHAPE,
                                 .n_out = 1,
                                 .infer = infer_lengths,
                                 .shape = shape_lengths,
                                 .host = find_lengths};

static void a_shape_op_may_have_many_inputs(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1), *in[MANY];
  int64_t got[MANY];

  (void)state;
  for (unsigned int i = 0; i < MANY; i++)
    in[i] = x;
  run(x, gg_op_apply(NULL, &lengths_op, NULL, MANY, in));
  assert_ok(GpuArray_read(got, sizeof got, &out));
  for (unsigned int i = 0; i < MANY; i++)
    assert_int_equal(got[i], 6);
}

/* --- views: the first half, and the other turned round --- */

static int infer_halves(const gg_apply *node, gg_type *types) {
  types[0] = types[1] = *gg_var_type(node->in[0]);
  types[0].dims[0] = types[1].dims[0] = GG_ANY;
  return GA_NO_ERROR;
}

static int shape_halves(const gg_apply *node, const gg_dims *in,
                        const double *const *host, gg_dims *dims) {
  (void)node;
  (void)host;
  dims[0] = dims[1] = in[0];
  dims[0].dim[0] = in->dim[0] / 2;
  dims[1].dim[0] = in->dim[0] - in->dim[0] / 2;
  return GA_NO_ERROR;
}

static int view_halves(const gg_apply *node, unsigned int which,
                       const GpuArray *in, const gg_dims *dims,
                       const double *const *number, const gg_dims *want,
                       GpuArray *view) {
  ssize_t n = (ssize_t)dims[0].dim[0], half = n / 2;
  ssize_t start = which == 0 ? 0 : n - 1, step = which == 0 ? 1 : -1;
  ssize_t stop = which == 0 ? half : half - 1;

  (void)node;
  (void)number;
  (void)want;
  if (stop < 0)
    stop = -1;
  return GpuArray_index(view, in, &start, &stop, &step);
}

static const gg_op halves_op = {.name = "halves",
                                .kind = GG_OP_VIEW,
                                .n_out = 2,
                                .infer = infer_halves,
                                .shape = shape_halves,
                                .view = view_halves};

static gg_apply *apply_halves(gg_var *v) {
  return gg_var_owner(gg_op_apply(NULL, &halves_op, NULL, 1, &v));
}

static void an_op_may_make_several_views(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_apply *h = apply_halves(gg_exp(gg_log(x)));
  GpuArray odd, third;

  (void)state;
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(h->out[0], h->out[1],
                                            gg_add(h->out[0], h->out[1])),
                         .mode = GG_NO_REWRITE});
  float_vector(&a, 6, six);
  memset(&third, 0, sizeof third);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2, &third});
  assert_floats(&out, (float[]){1, 2, 3}, 3);
  assert_floats(&out2, (float[]){6, 5, 4}, 3);
  assert_floats(&third, (float[]){7, 7, 7}, 3);
  assert_ok(GpuArray_index(&odd, &a, (ssize_t[]){5}, (ssize_t[]){-1},
                           (ssize_t[]){-1}));
  func_run(f, (GpuArray *[]){&odd}, (GpuArray *[]){&out, &out2, &third});
  assert_floats(&out, (float[]){6, 5, 4}, 3);
  assert_floats(&out2, (float[]){1, 2, 3}, 3);
  GpuArray_clear(&odd);
  GpuArray_clear(&third);
  gg_func_free(f);
}

static void a_view_may_go_unused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);
  gg_apply *h = apply_halves(gg_neg(x));

  (void)state;
  run(x, gg_sqr(h->out[1]));
  assert_floats(&out, (float[]){36, 25, 16}, 3);
}

/* x with axes in another order, sliced along one of them, and divided into
 * other axes: with and without a copy in between. */
static void check_views(const int *order, int64_t step, unsigned int nd,
                        const int64_t *dims) {
  const size_t sizes[3] = {4, 6, 2}, by[3] = {12, 2, 1};
  const size_t first = step > 0 ? 1 : 5, n = step > 0 ? 4 : 3;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 3);
  gg_var *const y =
      gg_slice(gg_dimshuffle(x, 3, order), order[1] == 1 ? 1 : 2,
               step > 0 ? 1 : GG_END, step > 0 ? 5 : GG_END, step);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_reshape(y, nd, dims))});
  float all[48], got[48];
  size_t k = 0;

  for (size_t i = 0; i < 48; i++)
    all[i] = (float)i;
  test_array(&a, GA_FLOAT, 3, sizes, all);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  test_gather(&out, got);
  for (size_t i = 0; i < (order[0] == 1 ? n : sizes[order[0]]); i++)
    for (size_t j = 0; j < (order[1] == 1 ? n : sizes[order[1]]); j++)
      for (size_t l = 0; l < (order[2] == 1 ? n : sizes[order[2]]); l++) {
        const size_t at[3] = {i, j, l};
        size_t want = 0;
        for (unsigned int d = 0; d < 3; d++)
          want +=
              by[order[d]] *
              (order[d] == 1 ? first + (size_t)(step * (int64_t)at[d]) : at[d]);
        assert_float_equal(got[k++], (float)want, 0);
      }
  gg_func_free(f);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
}

static void views_follow_from_strides(void **state) {
  static const int orders[3][3] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}};

  (void)state;
  for (unsigned int i = 0; i < 3; i++)
    for (int64_t step = -2; step <= 1; step += 3) {
      check_views(orders[i], step, 2, (int64_t[]){2, -1});
      check_views(orders[i], step, 4, (int64_t[]){2, 1, -1, 2});
      check_views(orders[i], step, 1, (int64_t[]){-1});
    }
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_shape_op_may_have_many_inputs),
      TEST(an_op_may_make_several_views),
      TEST(a_view_may_go_unused),
      TEST(views_follow_from_strides),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
