/* SPDX-License-Identifier: BSD-2-Clause */
/* Building models while memory is out: an error, no crash, no leak. */
#include "base/alloc.h"
#include "support/device.h"

#include <gpugraph/nn.h>
#include <stdlib.h>

enum { MOST = 100000 };

static gg_var *layers(void *arg, gg_var *x) {
  return gg_tanh(gg_nn_dense(arg, "d", x, 4, 0));
}

static gg_var *attend(gg_params *p, gg_var *x) {
  return gg_sum(gg_nn_attention(
      p, "a", x, x, x, &(gg_attention){.heads = 2, .flags = GG_NN_CAUSAL}));
}

static gg_var *recur(gg_params *p, gg_var *x) {
  const gg_recurrent how = {.units = 2, .flags = GG_NN_BOTH_WAYS};
  gg_var *h, *c;
  gg_var *y = gg_nn_gru(p, "g", x, &how, NULL);

  y = gg_nn_lstm(p, "l", y, &how, &h, &c);
  return gg_add(gg_sum(y), gg_sum(gg_mul(h, c)));
}

static gg_var *classify(gg_params *p, gg_var *x) {
  gg_var *y = gg_input(gg_params_graph(p), "y", GA_INT, 2);
  gg_var *n = gg_input(gg_params_graph(p), "n", GA_INT, 1);

  return gg_loss_ctc(gg_log_softmax(gg_checkpoint(layers, p, x)), y,
                     &(gg_ctc){.steps = n, .lengths = n});
}

/* The updates of a model in a new graph, or an error. */
static int build(gg_var *(*model)(gg_params *p, gg_var *x)) {
  gg_graph *g = gg_graph_new(test_context());
  gg_params *p = gg_params_new(g, GA_FLOAT, 3);
  gg_optimiser how = gg_adam(1);
  const gg_update *made = NULL;

  how.accumulate = 2;
  how.scale = 16;
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){-1, -1, 4});
  gg_var *cost = x != NULL && p != NULL ? model(p, x) : NULL;
  if (cost != NULL)
    made = gg_optimise(p, cost, &how);
  const int err = p == NULL && g != NULL ? GA_MEMORY_ERROR : gg_graph_status(g);
  gg_params_free(p);
  gg_graph_free(g);
  assert_true((made != NULL) == (err == GA_NO_ERROR));
  return err;
}

/* One allocation fails: each in turn at first, then ever fewer of them. */
static void fails_cleanly(gg_var *(*model)(gg_params *p, gg_var *x)) {
  const long rate = getenv("GPUGRAPH_QUICK_TESTS") != NULL ? 40 : 1000;
  int err = GA_MEMORY_ERROR;

  assert_int_equal(build(model), GA_NO_ERROR); /* what the context keeps */
  const long live = ga__alloc_live();
  for (long i = 1; err != GA_NO_ERROR && i < MOST; i += 1 + i / rate) {
    ga__alloc_fail(i, 0);
    err = build(model);
    const long left = ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    if (err == GA_NO_ERROR && left <= 0)
      err = GA_MEMORY_ERROR; /* something could do without */
    assert_int_equal(ga__alloc_live(), live);
  }
  assert_int_equal(err, GA_NO_ERROR);
}

static void attention_without_memory_fails(void **state) {
  (void)state;
  fails_cleanly(attend);
}

static void recurrent_layers_without_memory_fail(void **state) {
  (void)state;
  fails_cleanly(recur);
}

static void losses_without_memory_fail(void **state) {
  (void)state;
  fails_cleanly(classify);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attention_without_memory_fails),
      cmocka_unit_test(recurrent_layers_without_memory_fail),
      cmocka_unit_test(losses_without_memory_fail)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
