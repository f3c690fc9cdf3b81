/* SPDX-License-Identifier: BSD-2-Clause */
/* NULL among the operands of the training kit is an error of the graph of what
 * else is there. */
#include <gpugraph/augment.h>
#include <gpugraph/gpugraph.h>
#include <gpugraph/layers.h>
#include <gpugraph/losses.h>
#include <gpugraph/metrics.h>
#include <gpugraph/recurrent.h>
#include <gpugraph/schedules.h>

#include "support/device.h"

static gg_graph *g;
static gg_params *p;
static gg_var *x, *k;

static int begin(void **state) {
  (void)state;
  g = gg_graph_new(NULL);
  p = gg_params_new(g, GA_FLOAT, 1);
  x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){2, 3});
  k = gg_input_sized(g, "k", GA_LONG, 1, (int64_t[]){2});
  return p == NULL || x == NULL || k == NULL;
}

static int end(void **state) {
  (void)state;
  gg_params_free(p);
  gg_graph_free(g);
  return 0;
}

static void refused(const gg_var *v, const char *message) {
  assert_null(v);
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

#define X "(float32[2, 3]): "
#define K "(int64[2]): "

static void losses_need_both(void **state) {
  const gg_loss_reduction how = GG_LOSS_MEAN;

  (void)state;
  refused(gg_loss_squared(x, NULL, how), "loss_squared" X "operand 1 is NULL");
  refused(gg_loss_squared(NULL, x, how), "loss_squared" X "operand 0 is NULL");
  refused(gg_loss_huber(x, NULL, 1, how), "loss_huber" X "operand 1 is NULL");
  refused(gg_loss_hinge(NULL, x, how), "loss_hinge" X "operand 0 is NULL");
  refused(gg_loss_kl(x, NULL, how), "loss_kl" X "operand 1 is NULL");
  refused(gg_loss_binary(NULL, x, NULL, how),
          "loss_binary" X "operand 0 is NULL");
  refused(gg_loss_cross_entropy(NULL, k, NULL),
          "loss_cross_entropy" K "operand 0 is NULL");
  refused(gg_loss_cross_entropy(x, NULL, NULL),
          "loss_cross_entropy" X "operand 1 is NULL");
  refused(gg_loss_ctc(NULL, k, NULL), "loss_ctc" K "operand 0 is NULL");
  refused(gg_confusion(k, NULL, 3), "confusion" K "operand 1 is NULL");
  refused(gg_rate_warm_up(NULL, k, 3, 0), "rate_warm_up" K "operand 0 is NULL");
  assert_null(gg_loss_squared(NULL, NULL, how)); /* no graph could say why */
  assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
}

static void layers_need_operands_and_groups(void **state) {
  const size_t size[2] = {1, 1};

  (void)state;
  refused(gg_nn_dense(p, "a", NULL, 4, 0), "nn_dense(): the operand is NULL");
  refused(gg_nn_embedding(p, "a", NULL, 4, 4),
          "nn_embedding(): the operand is NULL");
  refused(gg_nn_conv(p, "a", NULL, 4, size, NULL, 0),
          "nn_conv(): the operand is NULL");
  refused(gg_nn_dropout(p, NULL, 0.5), "nn_dropout(): the operand is NULL");
  refused(gg_nn_random_flip(p, NULL, 1, 0.5),
          "nn_random_flip(): the operand is NULL");
  refused(gg_nn_random_crop(p, NULL, 1, 2, 0),
          "nn_random_crop(): the operand is NULL");
  refused(gg_nn_gru_cell(p, "a", NULL, x, 0),
          "nn_gru_cell(): the operand is NULL");
  refused(gg_nn_dense(NULL, "a", x, 4, 0),
          "nn_dense" X "the group of parameters is NULL");
  refused(gg_nn_random_flip(NULL, x, 1, 0.5),
          "nn_random_flip" X "the group of parameters is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(losses_need_both, begin, end),
      cmocka_unit_test_setup_teardown(layers_need_operands_and_groups, begin,
                                      end),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
