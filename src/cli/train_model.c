/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph train: train the weights of a model with data in files.
 *
 * Of a function without updates a copy in a graph of its own has parameters of
 * the training kit in place of its weights, with their names and values. One
 * with updates is called as it is. */
#include <gpuarray/device.h>
#include <gpugraph/replace.h>
#include <gpugraph/save.h>
#include <gpugraph/train.h>
#include <gpugraph/walk.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "cli/cli_json.h"
#include "cli/load_model.h"
#include "cli/status_line.h"
#include "cli/train_data.h"
#include "cli/train_weights.h"
#include "cli/train_words.h"

typedef struct job {
  train_arguments a;
  int is_misused;  /* the error is in the arguments */
  int has_updates; /* of its own */
  gpucontext *ctx;
  cli_model m;
  gg_graph *g; /* of the copy */
  gg_params *params;
  train_givens weights; /* of the model, and their parameters */
  gg_var **vars;        /* copies: outputs, NULL, inputs, the target, NULL */
  gg_var **inputs;
  size_t n_out, n_in;
  const train_datum **files; /* of the inputs, and of the target */
  gg_data **data;
  size_t n_files;
  gg_var **raw;        /* inputs of the step, the target, NULL */
  train_givens givens; /* inputs that are computed from those */
  gg_var *target, *cost;
  gg_func *step;
  gg_batches *batches;
} job;

/* --- files --- */

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

/* Nonzero if data says what an output should be. */
static int has_target(const job *j) {
  return !j->has_updates && strcmp(j->a.loss, "output") != 0;
}

/* Find the file of the target: the one that has the name of no input. */
static int find_target(const job *j, const train_datum **target) {
  *target = NULL;
  for (size_t i = 0; i < j->a.n_data; i++) {
    if (is_named(j->m.spec.inputs, j->a.data[i].name))
      continue;
    if (*target != NULL || !has_target(j))
      return ga__fail(GA_VALUE_ERROR, "%s has no input \"%s\"", j->a.model,
                      j->a.data[i].name);
    *target = &j->a.data[i];
  }
  if (*target == NULL && has_target(j))
    return ga__fail(GA_VALUE_ERROR,
                    "what should \"%s\" be? Give --data with a name that is no "
                    "input",
                    gg_var_name(j->m.spec.outputs[0]));
  if (*target != NULL && (*target)->divisor != 0)
    return ga__fail(GA_VALUE_ERROR, "--divide is for inputs, got \"%s\"",
                    (*target)->name);
  return GA_NO_ERROR;
}

static int find_files(job *j, const train_datum **target) {
  gg_var *const *in = j->m.spec.inputs;

  for (size_t i = 0; i < j->n_in; i++) {
    const char *name = gg_var_name(in[i]);

    j->files[i] = find_datum(j, name);
    if (j->files[i] == NULL)
      return ga__fail(GA_VALUE_ERROR,
                      "input \"%s\" has no data: --data %s=FILE", name, name);
  }
  GA_TRY(find_target(j, target));
  if (*target != NULL)
    j->files[j->n_in] = *target;
  j->n_files = j->n_in + (*target != NULL);
  return GA_NO_ERROR;
}

/* Open the files of the inputs, and find what the step gets for each. */
static int open_inputs(job *j) {
  for (size_t i = 0; i < j->n_in; i++) {
    gg_var *in = j->inputs[i], *by;

    GA_TRY(
        train_data_open(&j->data[i], j->files[i], gg_var_type(in)->dtype, 0));
    GA_TRY(train_data_fit(in, gg_data_array(j->data[i]), j->files[i],
                          &j->raw[i], &by));
    if (by != NULL)
      GA_TRY(ga__vec_push(&j->givens, ((gg_given){in, by})));
  }
  return GA_NO_ERROR;
}

/* --- a model with parameters --- */

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
  GA_TRY(gg_replace_in(j->g, j->vars, (unsigned int)n, j->vars, j->weights.v));
  memmove(j->inputs, j->vars + j->n_out, j->n_in * sizeof *j->vars);
  j->vars[j->n_out] = NULL;
  return GA_NO_ERROR;
}

static int make_target(job *j, const gg_var *out) {
  const train_datum *d = j->files[j->n_in];
  gg_data **data = &j->data[j->n_in];
  int64_t dims[GG_MAX_ND];

  GA_TRY(train_data_open(data, d, gg_var_type(out)->dtype,
                         strcmp(j->a.loss, "cross-entropy") == 0));
  const gg_host_array *a = gg_data_array(*data);
  for (unsigned int i = 0; i < a->nd; i++)
    dims[i] = i == 0 ? GG_ANY : (int64_t)a->dims[i];
  if (a->nd == 0)
    return ga__fail(GA_VALUE_ERROR, "%s has no dims, expected 1 to %d", d->path,
                    GG_MAX_ND);
  j->target = gg_input_sized(
      j->g, d->name, cli_target_dtype(j->a.loss, out, a->dtype), a->nd, dims);
  j->raw[j->n_in] = j->target;
  return gg_graph_status(j->g);
}

static int make_step(job *j, gg_func_spec s) {
  GA_TRY(ga__vec_push(&j->givens, ((gg_given){NULL, NULL})));
  s.name = "train";
  s.inputs = j->raw;
  s.givens = j->givens.v;
  s.flags |= GG_ALLOW_UNUSED_INPUT | GG_ALLOW_DOWNCAST;
  return gg_func_new(&j->step, gg_var_graph(s.outputs[0]), &s);
}

/* Build the step of a function that only computes. */
static int build(job *j) {
  gg_optimiser how =
      cli_optimiser(j->a.optimiser != NULL ? j->a.optimiser : "adam");
  const train_datum *target;

  GA_TRY(find_files(j, &target));
  const size_t at = compared(j, target);
  GA_TRY(train_weights_draw(&j->a, j->m.spec.outputs));
  GA_TRY(train_weights_add(&j->params, &j->weights, &j->a, j->g,
                           j->m.spec.outputs[at]));
  GA_TRY(copy_model(j));
  GA_TRY(open_inputs(j));
  if (target != NULL)
    GA_TRY(make_target(j, j->vars[at]));
  j->cost = cli_loss(j->a.loss, j->vars[at], j->target);
  if (j->cost == NULL)
    return GA_VALUE_ERROR;
  if (j->a.rate != NULL)
    how.rate = strtod(j->a.rate, NULL);
  const gg_update *updates = gg_optimise(j->params, j->cost, &how);
  if (updates == NULL)
    return gg_graph_status(j->g);
  return make_step(
      j, (gg_func_spec){.outputs = GG_VARS(j->cost), .updates = updates});
}

/* --- a function with updates --- */

static int draw_weights(job *j) {
  gg_var **all = cli_results(&j->m.spec);

  if (all == NULL)
    return ga__fail_nomem();
  const int err = train_weights_draw(&j->a, all);
  ga__free(all);
  return err;
}

/* Its first output is the loss. */
static int take(job *j) {
  gg_func_spec s = j->m.spec;
  const train_datum *none;

  GA_TRY(find_files(j, &none));
  memcpy(j->inputs, s.inputs, j->n_in * sizeof *j->inputs);
  GA_TRY(draw_weights(j));
  GA_TRY(open_inputs(j));
  for (const gg_given *v = s.givens; v != NULL && v->var != NULL; v++)
    GA_TRY(ga__vec_push(&j->givens, *v));
  j->params = gg_params_new(j->m.g, GA_FLOAT, j->a.seed);
  gg_var *loss = s.outputs[0];
  s.outputs = GG_VARS(loss);
  s.mutable_inputs = s.borrowed_outputs = NULL;
  s.strict_inputs = s.downcast_inputs = NULL;
  s.flags &= ~GG_STRICT;
  return make_step(j, s);
}

/* --- training --- */

static int ends_in(const char *name, const char *end) {
  const size_t n = strlen(name), k = strlen(end);

  return n >= k && strcmp(name + n - k, end) == 0;
}

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
  const int is_graph = cli_is_graph(j->a.model);
  gg_func_spec *s = &j->m.spec;
  gg_onnx_options o;

  GA_TRY(train_check_folders(&j->a));
  GA_TRY(cli_known_options(&j->a.known, j->a.model, is_graph, &o));
  GA_TRY(gpucontext_open(&j->ctx, NULL));
  GA_TRY(
      cli_model_load(&j->m, j->ctx, j->a.model, is_graph, j->a.function, &o));
  j->has_updates = s->updates != NULL && s->updates[0].shared != NULL;
  const int err = train_check_updates(&j->a, j->has_updates, s->name);
  j->is_misused = err != GA_NO_ERROR;
  GA_TRY(err);
  if (!j->has_updates && s->givens != NULL && s->givens[0].var != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "function %s of %s has givens and no updates: train takes "
                    "one that only computes, or one with updates",
                    s->name, j->a.model);
  j->n_out = length(s->outputs);
  j->n_in = length(s->inputs);
  if (j->n_out == 0)
    return ga__fail(GA_VALUE_ERROR, "%s has no output", j->a.model);
  return GA_NO_ERROR;
}

static int prepare(job *j) {
  GA_TRY(load(j));
  j->g = gg_graph_new(j->ctx);
  j->vars = ga__calloc(j->n_out + j->n_in + 1, sizeof *j->vars);
  j->inputs = ga__calloc(j->n_in + 1, sizeof *j->inputs);
  j->raw = ga__calloc(j->n_in + 2, sizeof *j->raw);
  j->files = ga__calloc(j->n_in + 1, sizeof *j->files);
  j->data = ga__calloc(j->n_in + 1, sizeof *j->data);
  if (j->g == NULL || j->vars == NULL || j->inputs == NULL || j->raw == NULL ||
      j->files == NULL || j->data == NULL)
    return ga__fail_nomem();
  return j->has_updates ? take(j) : build(j);
}

static int save_weights(const job *j, gg_var *const *vars) {
  gg_var **w;

  GA_TRY(gg_leaves(&w, NULL, vars, NULL, GG_LEAF_SHARED));
  const int err = gg_safetensors_save(w, j->a.output);
  gg_list_free(w);
  return err;
}

/* Write the trained function, or all that it reads; of a graph with updates all
 * of it. */
static int save(job *j) {
  gg_func_spec spec = {.name = j->m.spec.name,
                       .inputs = j->inputs,
                       .outputs = j->vars,
                       .flags = GG_ALLOW_UNUSED_INPUT};
  const int only_weights = ends_in(j->a.output, ".safetensors");

  if (j->has_updates && !only_weights)
    return gg_graph_save(j->m.g, j->a.output);
  if (cli_is_model(j->a.output))
    return gg_onnx_save(&spec, j->a.output, NULL);
  if (!only_weights)
    return gg_nn_save(&spec, j->a.output);
  if (!j->has_updates)
    return save_weights(j, j->vars);
  gg_var **all = cli_results(&j->m.spec);
  const int err = all == NULL ? ga__fail_nomem() : save_weights(j, all);
  ga__free(all);
  return err;
}

static void print_start(const job *j) {
  if (j->has_updates)
    printf("function %s of %s", j->m.spec.name, j->a.model);
  else
    printf("%zu parameters of %zu weights", gg_params_elements(j->params),
           gg_params_count(j->params));
  printf(", %zu rows, batches of %llu\n", gg_batches_rows(j->batches),
         (unsigned long long)j->a.batch);
}

static void print_end(const job *j, const gg_trained *done) {
  printf("%s%zu steps in %.1f s, loss %.6g: %s\n",
         done->interrupted ? "interrupted; " : "", done->steps, done->seconds,
         done->loss, j->a.output);
}

static void write_end(const job *j, const gg_trained *done) {
  cli_json o = {stdout, 0, 0};

  cli_json_open(&o, NULL, '{');
  cli_json_text(&o, "model", j->a.model);
  cli_json_count(&o, "rows", gg_batches_rows(j->batches));
  cli_json_count(&o, "batch", j->a.batch);
  cli_json_count(&o, "epochs", done->epochs);
  cli_json_count(&o, "steps", done->steps);
  cli_json_real(&o, "loss", done->loss);
  cli_json_real(&o, "seconds", done->seconds);
  cli_json_real(&o, "seconds_waited", done->waited);
  cli_json_flag(&o, "interrupted", done->interrupted);
  cli_json_text(&o, "output", j->a.output);
  cli_json_close(&o, '}');
}

static int train(job *j) {
  gg_training t = {.epochs = j->a.epochs,
                   .progress = j->a.json ? stderr : stdout,
                   .state_path = j->a.state,
                   .interruptible = 1};
  gg_trained done;
  int is_fixed;

  cli_progress("loading the model and the data");
  GA_TRY(prepare(j));
  GA_TRY(find_batch(j, &is_fixed));
  GA_TRY(gg_batches_data(&j->batches, j->ctx, (unsigned int)j->n_files, j->data,
                         &(gg_batches_spec){.size = j->a.batch,
                                            .seed = j->a.seed,
                                            .drop_last = is_fixed}));
  cli_progress(NULL);
  if (!j->a.json)
    print_start(j);
  t.step = j->step;
  t.batches = j->batches;
  t.params = j->params;
  GA_TRY(gg_train(&t, &done));
  cli_progress("saving");
  GA_TRY(save(j));
  cli_progress(NULL);
  (j->a.json ? write_end : print_end)(j, &done);
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
  for (size_t i = 0; i < j->n_files; i++)
    gg_data_free(j->data[i]);
  ga__vec_clear(&j->weights);
  ga__vec_clear(&j->givens);
  ga__free(j->vars);
  ga__free(j->inputs);
  ga__free(j->raw);
  ga__free(j->files);
  ga__free(j->data);
  train_arguments_clear(&j->a);
}

int cli_train(const cli_command *c, int argc, char **argv) {
  job j = {.a = {.epochs = 10, .seed = 1}};
  int err = train_read(&j.a, c, argc, argv), status;

  if (err != GA_NO_ERROR)
    status = cli_wrong(c, err);
  else
    status = (err = train(&j)) == GA_NO_ERROR ? 0
             : j.is_misused                   ? cli_wrong(c, err)
                                              : cli_fail(err);
  clear(&j);
  return status;
}
