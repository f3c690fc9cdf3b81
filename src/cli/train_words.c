/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/train_words.h"

#include <gpugraph/op.h>
#include <gpugraph/walk.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"

/* --- losses --- */

static int is_softmax(const gg_var *v) {
  const gg_apply *a = gg_var_owner(v);

  return a != NULL && strcmp(a->op->name, "softmax") == 0;
}

/* Of a softmax along the last axis its operand, which are logits. */
static gg_var *cross_entropy(gg_var *out, gg_var *target) {
  if (is_softmax(out))
    out = gg_var_owner(out)->in[0];
  else if (is_softmax(gg_view_root(out))) {
    ga__fail(GA_UNSUPPORTED_ERROR,
             "cross-entropy takes logits, but the output \"%s\" is a view of a "
             "softmax",
             gg_var_name(out));
    return NULL;
  }
  return gg_loss_cross_entropy(out, target, NULL);
}

static gg_var *binary(gg_var *out, gg_var *target) {
  const gg_apply *a = gg_var_owner(out);

  if (a != NULL && strcmp(a->op->name, "sigmoid") == 0)
    out = a->in[0];
  return gg_loss_binary(out, target, NULL, GG_LOSS_MEAN);
}

static gg_var *squared(gg_var *out, gg_var *target) {
  return gg_loss_squared(out, target, GG_LOSS_MEAN);
}

static gg_var *huber(gg_var *out, gg_var *target) {
  return gg_loss_huber(out, target, 1, GG_LOSS_MEAN);
}

static gg_var *hinge(gg_var *out, gg_var *target) {
  return gg_loss_hinge(out, target, GG_LOSS_MEAN);
}

static gg_var *itself(gg_var *out, gg_var *target) {
  const gg_type *t = gg_var_type(out);
  char text[128];

  (void)target;
  if (t->nd == 0 && ga__dtype_kind(t->dtype) == GA_KIND_FLOAT)
    return out;
  ga__fail(GA_VALUE_ERROR, "the output \"%s\" is %s, and a loss is one float",
           gg_var_name(out), gg_type_text(t, text, sizeof text));
  return NULL;
}

const char *const cli_losses[] = {"cross-entropy", "binary", "squared", "huber",
                                  "hinge",         "output", NULL};
static gg_var *(*const losses[])(gg_var *out, gg_var *target) = {
    cross_entropy, binary, squared, huber, hinge, itself};

static size_t index_of(const char *const *list, const char *name) {
  size_t i = 0;

  while (strcmp(list[i], name) != 0)
    i++;
  return i;
}

gg_var *cli_loss(const char *name, gg_var *out, gg_var *target) {
  gg_var *loss = losses[index_of(cli_losses, name)](out, target);

  if (loss == NULL && gg_graph_status(gg_var_graph(out)) != GA_NO_ERROR)
    ga__fail(gg_graph_status(gg_var_graph(out)), "%s",
             gg_graph_error(gg_var_graph(out)));
  return loss;
}

int cli_target_dtype(const char *loss, const gg_var *out, int dtype) {
  const int is_float = ga__dtype_kind(dtype) == GA_KIND_FLOAT;

  if (strcmp(loss, "cross-entropy") == 0 && !is_float)
    return dtype;
  return gg_var_type(out)->dtype;
}

/* --- optimisers --- */

const char *const cli_optimisers[] = {
    "sgd", "adam", "adam-w", "rmsprop", "adagrad", "adadelta", "lion", NULL};
static const struct {
  gg_optimiser (*make)(double rate);
  double rate;
} optimisers[] = {{gg_sgd, 1e-3},     {gg_adam, 1e-3},    {gg_adam_w, 1e-3},
                  {gg_rmsprop, 1e-2}, {gg_adagrad, 1e-2}, {gg_adadelta, 1},
                  {gg_lion, 1e-4}};

gg_optimiser cli_optimiser(const char *name) {
  const size_t i = index_of(cli_optimisers, name);

  return optimisers[i].make(optimisers[i].rate);
}
