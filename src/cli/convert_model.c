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

typedef struct conversion {
  const char *from, *to, *function;
  int weights; /* the dtype in which weights are stored; -1: as they are */
  gpucontext *ctx;
  gg_graph *g;
  gg_onnx *onnx;
  gg_func_spec spec;
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

static int is_model(const char *path) {
  const size_t n = strlen(path);

  return n >= 5 && strcmp(path + n - 5, ".onnx") == 0;
}

/* --- reading --- */

static int load_model(conversion *c) {
  GA_TRY(gg_onnx_open(&c->onnx, c->from));
  GA_TRY(gg_onnx_load(c->onnx, c->g, NULL));
  for (size_t i = 0; i < gg_onnx_n_outputs(c->onnx); i++) {
    gg_var *v = gg_onnx_outputs(c->onnx)[i];

    if (gg_var_name(v)[0] == '\0')
      gg_named(v, gg_onnx_output(c->onnx, i)->name);
  }
  c->spec = (gg_func_spec){.name = c->function != NULL ? c->function : "model",
                           .inputs = gg_onnx_inputs(c->onnx),
                           .outputs = gg_onnx_outputs(c->onnx),
                           .flags = GG_ALLOW_UNUSED_INPUT};
  return GA_NO_ERROR;
}

static int load_graph(conversion *c) {
  const gg_func_spec *f;

  GA_TRY(gg_graph_load(c->g, c->from));
  f = c->function != NULL ? gg_graph_func(c->g, c->function)
                          : gg_graph_func_at(c->g, 0);
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s has no function%s%s", c->from,
                    c->function != NULL ? " " : "",
                    c->function != NULL ? c->function : "");
  if (c->function == NULL && gg_graph_func_at(c->g, 1) != NULL)
    return ga__fail(GA_VALUE_ERROR,
                    "%s has several functions: name one with --function, such "
                    "as %s",
                    c->from, f->name);
  c->spec = *f;
  return GA_NO_ERROR;
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

  GA_TRY(gg_leaves(&shared, &n, c->spec.outputs, NULL, GG_LEAF_SHARED));
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
  const size_t n_out = count(c->spec.outputs), n_in = count(c->spec.inputs);
  gg_var **all = ga__calloc(n_out + n_in + 2, sizeof *all);

  c->vars = all;
  c->stored = gg_graph_new(c->ctx);
  if (all == NULL || c->stored == NULL)
    return ga__fail_nomem();
  if (c->spec.givens != NULL || c->spec.updates != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "--weights is for functions without updates and givens");
  GA_TRY(list_weights(c));
  memcpy(all, c->spec.outputs, n_out * sizeof *all);
  if (n_in != 0)
    memcpy(all + n_out, c->spec.inputs, n_in * sizeof *all);
  GA_TRY(gg_replace_in(c->stored, all, (unsigned int)(n_out + n_in), all,
                       c->givens));
  memmove(all + n_out + 1, all + n_out, n_in * sizeof *all);
  all[n_out] = NULL;
  c->spec = (gg_func_spec){.name = c->spec.name,
                           .outputs = all,
                           .inputs = all + n_out + 1,
                           .flags = c->spec.flags};
  return GA_NO_ERROR;
}

/* --- the whole --- */

static int save_graph(conversion *c) {
  gg_graph *g = c->stored != NULL ? c->stored : c->g;

  GA_TRY(gg_graph_add_func(g, &c->spec));
  return gg_graph_save(g, c->to);
}

static int convert(conversion *c) {
  if (is_model(c->from) == is_model(c->to))
    return ga__fail(GA_VALUE_ERROR,
                    "one of %s and %s should end in .onnx, and the other not",
                    c->from, c->to);
  GA_TRY(gpucontext_open(&c->ctx, NULL));
  c->g = gg_graph_new(c->ctx);
  if (c->g == NULL)
    return ga__fail_nomem();
  GA_TRY(is_model(c->from) ? load_model(c) : load_graph(c));
  if (c->weights >= 0)
    GA_TRY(store_weights(c));
  if (is_model(c->from))
    return save_graph(c);
  return gg_onnx_save(&c->spec, c->to, NULL);
}

int cli_convert(const cli_command *command, int argc, char **argv) {
  conversion c = {.weights = -1};

  if (read_arguments(&c, command, argc, argv) != GA_NO_ERROR)
    return cli_wrong(command, GA_VALUE_ERROR);
  const int err = convert(&c);
  const int status = err == GA_NO_ERROR ? 0 : cli_fail(err);

  ga__free(c.vars);
  ga__free(c.givens);
  gg_graph_free(c.stored);
  gg_graph_free(c.g);
  gg_onnx_close(c.onnx);
  if (c.ctx != NULL)
    gpucontext_deref(c.ctx);
  return status;
}
