/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph train: train the weights of a model with data in .npy files.
 *
 * A copy of the model in a graph of its own has parameters of the training kit
 * in place of its weights, with their names and values. */
#include <gpuarray/device.h>
#include <gpuarray/npy.h>
#include <gpugraph/replace.h>
#include <gpugraph/save.h>
#include <gpugraph/train.h>
#include <gpugraph/walk.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/vec.h"
#include "cli/load_model.h"
#include "cli/train_arguments.h"
#include "cli/train_words.h"

typedef struct job {
  train_arguments a;
  gpucontext *ctx;
  cli_model m;
  gg_graph *g;
  gg_params *params;
  GA_VEC(gg_given) givens;
  gg_var **vars; /* copies: outputs, NULL, inputs, the target, NULL */
  gg_var **inputs;
  size_t n_out, n_in;
  const char **paths; /* files of the inputs, and of the target */
  size_t n_paths;
  gg_var *target, *cost;
  gg_func *step;
  gg_batches *batches;
} job;

/* --- parameters --- */

static int ends_in(const char *name, const char *end) {
  const size_t n = strlen(name), k = strlen(end);

  return n >= k && strcmp(name + n - k, end) == 0;
}

/* Statistics of normalisations are not trained. */
static int is_frozen(const job *j, const gg_var *w) {
  const char *name = gg_var_name(w);

  for (size_t i = 0; i < j->a.n_frozen; i++)
    if (strncmp(name, j->a.frozen[i], strlen(j->a.frozen[i])) == 0)
      return 1;
  return ga__dtype_kind(gg_var_type(w)->dtype) != GA_KIND_FLOAT ||
         ends_in(name, "running_mean") || ends_in(name, "running_var");
}

/* Make a parameter with the name and the value of w. */
static int add_param(job *j, gg_var *w) {
  const int dtype = gg_var_type(w)->dtype;
  const char *name = gg_var_name(w);
  GpuArray now = {0};
  int err;

  if (j->params == NULL)
    j->params = gg_params_new(j->g, dtype, j->a.seed);
  if (dtype != gg_params_dtype(j->params))
    return ga__fail(
        GA_UNSUPPORTED_ERROR,
        "weights that are trained have one dtype, but %s is %s, and "
        "others are %s: --freeze some",
        name, ga__dtype_name(dtype),
        ga__dtype_name(gg_params_dtype(j->params)));
  if (name[0] == '\0' || gg_params_find(j->params, name) != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "weights need names, and %s%s%s",
                    name[0] == '\0' ? "one has none" : "two are called ", name,
                    "");
  GA_CHECK(gg_shared_get(w, &now));
  gg_var *p =
      gg_param(j->params, name, now.nd, now.dimensions, gg_init_constant(0));
  GA_CHECK(gg_graph_status(j->g));
  GA_CHECK(gg_shared_set(p, &now));
  err = ga__vec_push(&j->givens, ((gg_given){w, p}));
done:
  GpuArray_clear(&now);
  return err;
}

/* Weights that the compared output depends on through floats. */
static int add_params(job *j, gg_var *out) {
  gg_var **w, *outs[] = {out, NULL};
  unsigned char connected;
  size_t n;

  GA_TRY(gg_leaves(&w, &n, outs, NULL, GG_LEAF_SHARED));
  int err = GA_NO_ERROR;
  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++) {
    gg_var *one[] = {w[i], NULL};

    if (is_frozen(j, w[i]))
      continue;
    err = gg_connections(&connected, one, outs);
    if (err == GA_NO_ERROR && connected)
      err = add_param(j, w[i]);
  }
  gg_list_free(w);
  if (err == GA_NO_ERROR && j->givens.n == 0)
    err = ga__fail(GA_VALUE_ERROR, "%s has no weights to train", j->a.model);
  if (err == GA_NO_ERROR)
    err = ga__vec_push(&j->givens, ((gg_given){NULL, NULL}));
  return err;
}

/* --- the model with parameters --- */

static size_t length(gg_var *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

static const train_datum *find_datum(const job *j, const char *name) {
  for (size_t i = 0; i < j->a.n_data; i++)
    if (strcmp(j->a.data[i].name, name) == 0)
      return &j->a.data[i];
  return NULL;
}

static int is_named(gg_var *const *list, const char *name) {
  for (; list != NULL && *list != NULL; list++)
    if (strcmp(gg_var_name(*list), name) == 0)
      return 1;
  return 0;
}

/* Find the files of the inputs, and that of the target behind them: the one
 * that has the name of no input. */
static int find_files(job *j, const train_datum **target) {
  gg_var *const *in = j->m.spec.inputs;

  *target = NULL;
  for (size_t i = 0; i < j->n_in; i++) {
    const char *name = gg_var_name(in[i]);
    const train_datum *d = find_datum(j, name);

    if (d == NULL)
      return ga__fail(GA_VALUE_ERROR,
                      "input \"%s\" has no data: --data %s=FILE.npy", name,
                      name);
    j->paths[i] = d->path;
  }
  for (size_t i = 0; i < j->a.n_data; i++) {
    if (is_named(in, j->a.data[i].name))
      continue;
    if (*target != NULL || strcmp(j->a.loss, "output") == 0)
      return ga__fail(GA_VALUE_ERROR, "%s has no input \"%s\"", j->a.model,
                      j->a.data[i].name);
    *target = &j->a.data[i];
  }
  if (*target == NULL && strcmp(j->a.loss, "output") != 0)
    return ga__fail(GA_VALUE_ERROR,
                    "what should \"%s\" be? Give --data with a name that is no "
                    "input",
                    gg_var_name(j->m.spec.outputs[0]));
  if (*target != NULL)
    j->paths[j->n_in] = (*target)->path;
  j->n_paths = j->n_in + (*target != NULL);
  return GA_NO_ERROR;
}

/* The output that the target has the name of, else the first. */
static size_t compared(const job *j, const train_datum *target) {
  for (size_t i = 0; target != NULL && i < j->n_out; i++)
    if (strcmp(gg_var_name(j->m.spec.outputs[i]), target->name) == 0)
      return i;
  return 0;
}

static int copy_model(job *j) {
  const size_t n = j->n_out + j->n_in;

  if (j->n_out > 0)
    memcpy(j->vars, j->m.spec.outputs, j->n_out * sizeof *j->vars);
  if (j->n_in > 0)
    memcpy(j->vars + j->n_out, j->m.spec.inputs, j->n_in * sizeof *j->vars);
  GA_TRY(gg_replace_in(j->g, j->vars, (unsigned int)n, j->vars, j->givens.v));
  memmove(j->inputs, j->vars + j->n_out, j->n_in * sizeof *j->vars);
  j->vars[j->n_out] = NULL;
  return GA_NO_ERROR;
}

static int make_target(job *j, const train_datum *d, const gg_var *out) {
  int64_t dims[GG_MAX_ND];
  gpunpy file;

  GA_TRY(gpunpy_map(&file, d->path));
  const unsigned int nd = file.nd;
  const int dtype = cli_target_dtype(j->a.loss, out, file.typecode);
  for (unsigned int i = 0; i < nd && i < GG_MAX_ND; i++)
    dims[i] = i == 0 ? GG_ANY : (int64_t)file.dims[i];
  gpunpy_unmap(&file);
  if (nd == 0 || nd > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "%s has %u dims, expected 1 to %d", d->path,
                    nd, GG_MAX_ND);
  j->target = gg_input_sized(j->g, d->name, dtype, nd, dims);
  j->inputs[j->n_in] = j->target;
  return gg_graph_status(j->g);
}

static int build(job *j) {
  gg_optimiser how = cli_optimiser(j->a.optimiser);
  const train_datum *target;

  GA_TRY(find_files(j, &target));
  const size_t at = compared(j, target);
  GA_TRY(add_params(j, j->m.spec.outputs[at]));
  GA_TRY(copy_model(j));
  if (target != NULL)
    GA_TRY(make_target(j, target, j->vars[at]));
  j->cost = cli_loss(j->a.loss, j->vars[at], j->target);
  if (j->cost == NULL)
    return GA_VALUE_ERROR;
  if (j->a.rate != NULL)
    how.rate = strtod(j->a.rate, NULL);
  const gg_update *updates = gg_optimise(j->params, j->cost, &how);
  if (updates == NULL)
    return gg_graph_status(j->g);
  return gg_func_new(
      &j->step, j->g,
      &(gg_func_spec){.name = "train",
                      .inputs = j->inputs,
                      .outputs = GG_VARS(j->cost),
                      .updates = updates,
                      .flags = GG_ALLOW_UNUSED_INPUT | GG_ALLOW_DOWNCAST});
}

/* --- training --- */

/* Batches have the size that an input asks for, if one does. */
static int find_batch(job *j, int *is_fixed) {
  *is_fixed = 0;
  for (size_t i = 0; i < j->n_in; i++) {
    const gg_type *t = gg_var_type(j->inputs[i]);

    if (t->nd == 0)
      return ga__fail(GA_UNSUPPORTED_ERROR,
                      "input \"%s\" is a scalar: batches have no such rows",
                      gg_var_name(j->inputs[i]));
    if (t->dims[0] < 0)
      continue;
    *is_fixed = 1;
    if (j->a.batch == 0)
      j->a.batch = (uint64_t)t->dims[0];
    if (j->a.batch != (uint64_t)t->dims[0])
      return ga__fail(GA_VALUE_ERROR,
                      "dim 0 of input \"%s\" is %lld, and batches have %llu "
                      "rows: give --batch %lld",
                      gg_var_name(j->inputs[i]), (long long)t->dims[0],
                      (unsigned long long)j->a.batch, (long long)t->dims[0]);
  }
  if (j->a.batch == 0)
    j->a.batch = 32;
  return GA_NO_ERROR;
}

static int load(job *j) {
  const gg_func_spec *s = &j->m.spec;

  GA_TRY(gpucontext_open(&j->ctx, NULL));
  GA_TRY(cli_model_load(&j->m, j->ctx, j->a.model, cli_is_graph(j->a.model),
                        j->a.function,
                        &(gg_onnx_options){.sizes = j->a.sizes}));
  if ((s->updates != NULL && s->updates[0].shared != NULL) ||
      (s->givens != NULL && s->givens[0].var != NULL))
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "function %s of %s has updates or givens of its own: train "
                    "takes one that only computes",
                    j->m.spec.name, j->a.model);
  j->n_out = length(j->m.spec.outputs);
  j->n_in = length(j->m.spec.inputs);
  if (j->n_out == 0)
    return ga__fail(GA_VALUE_ERROR, "%s has no output", j->a.model);
  j->g = gg_graph_new(j->ctx);
  j->vars = ga__calloc(j->n_out + j->n_in + 1, sizeof *j->vars);
  j->inputs = ga__calloc(j->n_in + 2, sizeof *j->inputs);
  j->paths = ga__calloc(j->n_in + 1, sizeof *j->paths);
  return j->g == NULL || j->vars == NULL || j->inputs == NULL ||
                 j->paths == NULL
             ? ga__fail_nomem()
             : GA_NO_ERROR;
}

/* Write the trained function, or all that it reads. */
static int save(job *j) {
  gg_var **w;
  gg_func_spec spec = {.name = j->m.spec.name,
                       .inputs = j->inputs,
                       .outputs = j->vars,
                       .flags = GG_ALLOW_UNUSED_INPUT};

  j->inputs[j->n_in] = NULL; /* no target */
  if (cli_is_model(j->a.output))
    return gg_onnx_save(&spec, j->a.output, NULL);
  if (!ends_in(j->a.output, ".safetensors"))
    return gg_nn_save(&spec, j->a.output);
  GA_TRY(gg_leaves(&w, NULL, j->vars, NULL, GG_LEAF_SHARED));
  const int err = gg_safetensors_save(w, j->a.output);
  gg_list_free(w);
  return err;
}

static int train(job *j) {
  gg_training t = {.epochs = j->a.epochs,
                   .progress = stdout,
                   .state_path = j->a.state,
                   .interruptible = 1};
  gg_trained done;
  int is_fixed;

  GA_TRY(load(j));
  GA_TRY(build(j));
  GA_TRY(find_batch(j, &is_fixed));
  GA_TRY(gg_batches_npy(&j->batches, j->ctx, (unsigned int)j->n_paths, j->paths,
                        &(gg_batches_spec){.size = j->a.batch,
                                           .seed = j->a.seed,
                                           .drop_last = is_fixed}));
  printf("%zu parameters of %zu weights, %zu rows, batches of %llu\n",
         gg_params_elements(j->params), gg_params_count(j->params),
         gg_batches_rows(j->batches), (unsigned long long)j->a.batch);
  t.step = j->step;
  t.batches = j->batches;
  t.params = j->params;
  GA_TRY(gg_train(&t, &done));
  GA_TRY(save(j));
  printf("%s%zu steps in %.1f s, loss %.6g: %s\n",
         done.interrupted ? "interrupted; " : "", done.steps, done.seconds,
         done.loss, j->a.output);
  return GA_NO_ERROR;
}

static void clear(job *j) {
  gg_batches_free(j->batches);
  gg_func_free(j->step);
  gg_params_free(j->params);
  gg_graph_free(j->g);
  cli_model_clear(&j->m);
  if (j->ctx != NULL)
    gpucontext_deref(j->ctx);
  ga__vec_clear(&j->givens);
  ga__free(j->vars);
  ga__free(j->inputs);
  ga__free(j->paths);
  train_arguments_clear(&j->a);
}

int cli_train(const cli_command *c, int argc, char **argv) {
  job j = {.a = {.optimiser = "adam", .epochs = 10, .seed = 1}};
  int err = train_read(&j.a, c, argc, argv), status;

  if (err != GA_NO_ERROR)
    status = cli_wrong(c, err);
  else
    status = (err = train(&j)) == GA_NO_ERROR ? 0 : cli_fail(err);
  clear(&j);
  return status;
}
