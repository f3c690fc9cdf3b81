/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph convert: a model in the ONNX format to a saved graph, or back. */
#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpugraph/onnx.h>
#include <gpugraph/ops.h>
#include <gpugraph/replace.h>
#include <gpugraph/save.h>
#include <gpugraph/walk.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/known_values.h"
#include "cli/load_model.h"
#include "cli/status_line.h"

typedef struct conversion {
  const char *from, *to, *function;
  cli_known known;
  int weights; /* the dtype in which weights are stored; -1: as they are */
  gpucontext *ctx;
  cli_model m;
  gg_graph *stored; /* with other weights; NULL: they stay */
  gg_var **vars;    /* lists of variables of `stored`; owned */
  gg_given *givens; /* owned */
} conversion;

/* --- arguments --- */

static int read_argument(conversion *c, const cli_args *a) {
  if (cli_is(a, "--weights")) {
    c->weights = ga__dtype_from_name(a->value);
    return cli_check_word("--weights", a->value, a->c->options[0].words);
  }
  if (cli_is_known(a))
    return cli_known_read(&c->known, a);
  if (cli_is(a, "--function"))
    c->function = a->value;
  else if (c->to != NULL)
    return ga__fail(GA_VALUE_ERROR, "convert takes two files, got %s, too",
                    a->value);
  else
    *(c->from == NULL ? &c->from : &c->to) = a->value;
  return GA_NO_ERROR;
}

static int read_arguments(conversion *c, const cli_command *command, int argc,
                          char **argv) {
  cli_args a = {command, argc, argv, NULL, NULL, 0};

  for (;;) {
    GA_TRY(cli_next(&a));
    if (a.value == NULL)
      break;
    GA_TRY(read_argument(c, &a));
  }
  return c->to != NULL ? GA_NO_ERROR
                       : ga__fail(GA_VALUE_ERROR, "convert takes two files");
}

/* --- the dtype of weights --- */

/* In the new graph: a shared variable of c->weights with the value of w, as w's
 * dtype. */
static int store(const conversion *c, gg_var *w, gg_given *out) {
  GpuArray now = {0}, stored = {0};
  int err;

  GA_CHECK(gg_shared_get(w, &now));
  GA_CHECK(GpuArray_cast(&stored, &now, c->weights, GA_C_ORDER));
  gg_var *v = gg_shared(c->stored, gg_var_name(w), &stored);
  *out = (gg_given){w, gg_cast(v, gg_var_type(w)->dtype)};
  err = gg_graph_status(c->stored);
done:
  GpuArray_clear(&now);
  GpuArray_clear(&stored);
  return err;
}

/* List the weights that are floats of another dtype, with what replaces
 * them. */
static int list_weights(conversion *c) {
  gg_var **shared;
  size_t n, k = 0;

  GA_TRY(gg_leaves(&shared, &n, c->m.spec.outputs, NULL, GG_LEAF_SHARED));
  c->givens = ga__calloc(n + 1, sizeof *c->givens);
  int err = c->givens == NULL ? ga__fail_nomem() : GA_NO_ERROR;
  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++) {
    const int dtype = gg_var_type(shared[i])->dtype;

    if (ga__dtype_kind(dtype) == GA_KIND_FLOAT && dtype != c->weights)
      err = store(c, shared[i], &c->givens[k++]);
  }
  gg_list_free(shared);
  return err;
}

static size_t count(gg_var *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

/* Copy the function to a graph in which weights have another dtype. */
static int store_weights(conversion *c) {
  const size_t n_out = count(c->m.spec.outputs), n_in = count(c->m.spec.inputs);
  gg_var **all = ga__calloc(n_out + n_in + 2, sizeof *all);

  c->vars = all;
  c->stored = gg_graph_new(c->ctx);
  if (all == NULL || c->stored == NULL)
    return ga__fail_nomem();
  if (c->m.spec.givens != NULL || c->m.spec.updates != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "--weights is for functions without updates and givens");
  GA_TRY(list_weights(c));
  memcpy(all, c->m.spec.outputs, n_out * sizeof *all);
  if (n_in != 0)
    memcpy(all + n_out, c->m.spec.inputs, n_in * sizeof *all);
  GA_TRY(gg_replace_in(c->stored, all, (unsigned int)(n_out + n_in), all,
                       c->givens));
  memmove(all + n_out + 1, all + n_out, n_in * sizeof *all);
  all[n_out] = NULL;
  c->m.spec = (gg_func_spec){.name = c->m.spec.name,
                             .outputs = all,
                             .inputs = all + n_out + 1,
                             .flags = c->m.spec.flags};
  return GA_NO_ERROR;
}

/* --- the whole --- */

static int save_graph(conversion *c) {
  gg_graph *g = c->stored != NULL ? c->stored : c->m.g;

  GA_TRY(gg_graph_add_func(g, &c->m.spec));
  return gg_graph_save(g, c->to);
}

static int convert(conversion *c) {
  gg_onnx_options o;

  if (cli_is_model(c->from) == cli_is_model(c->to))
    return ga__fail(GA_VALUE_ERROR,
                    "one of %s and %s should end in .onnx, and the other not",
                    c->from, c->to);
  cli_progress("loading the model");
  GA_TRY(cli_known_options(&c->known, c->from, !cli_is_model(c->from), &o));
  GA_TRY(gpucontext_open(&c->ctx, NULL));
  GA_TRY(cli_model_load(&c->m, c->ctx, c->from, !cli_is_model(c->from),
                        c->function, &o));
  if (c->weights >= 0)
    GA_TRY(store_weights(c));
  cli_progress("saving");
  if (cli_is_model(c->from))
    return save_graph(c);
  return gg_onnx_save(&c->m.spec, c->to, NULL);
}

int cli_convert(const cli_command *command, int argc, char **argv) {
  conversion c = {.weights = -1};

  int status, err = read_arguments(&c, command, argc, argv);

  if (err != GA_NO_ERROR)
    status = cli_wrong(command, err);
  else
    status = (err = convert(&c)) == GA_NO_ERROR ? 0 : cli_fail(err);

  cli_known_clear(&c.known);
  ga__free(c.vars);
  ga__free(c.givens);
  gg_graph_free(c.stored);
  cli_model_clear(&c.m);
  if (c.ctx != NULL)
    gpucontext_deref(c.ctx);
  return status;
}
