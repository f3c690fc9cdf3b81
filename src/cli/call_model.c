/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/call_model.h"

#include <gpuarray/create.h>
#include <gpuarray/device.h>
#include <gpuarray/npy.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/status_line.h"

/* --- arguments --- */

static int read_seed(cli_job *j, char *text) {
  return cli_number(text, &j->seed);
}

static int read_calls(cli_job *j, char *text) {
  GA_TRY(cli_number(text, &j->calls));
  return j->calls >= 1 && j->calls <= 1000000
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "--calls takes 1 to 1000000, got %s",
                        text);
}

static int read_input(cli_job *j, char *text) {
  return cli_add_given(&j->inputs, "--input", text);
}

static int read_function(cli_job *j, char *text) {
  j->function = text;
  return GA_NO_ERROR;
}

static int read_output(cli_job *j, char *text) {
  j->output = text;
  return GA_NO_ERROR;
}

static int read_html(cli_job *j, char *text) {
  j->html = text;
  return GA_NO_ERROR;
}

static const struct {
  const char *name;
  int (*read)(cli_job *j, char *value);
} options[] = {
    {"--input", read_input},   {"--seed", read_seed},
    {"--calls", read_calls},   {"--html", read_html},
    {"--output", read_output}, {"--function", read_function},
};

static int read_option(cli_job *j, const cli_args *a) {
  size_t i = 0;

  if (cli_is(a, "--json")) {
    j->json = 1;
    return GA_NO_ERROR;
  }
  if (cli_is_known(a))
    return cli_known_read(&j->known, a);
  while (strcmp(options[i].name, a->option) != 0)
    i++;
  return options[i].read(j, a->value);
}

static int read_arguments(cli_job *j, int argc, char **argv) {
  cli_args a = {j->command, argc, argv, NULL, NULL, 0};

  for (;;) {
    GA_TRY(cli_next(&a));
    if (a.option == NULL && a.value == NULL)
      return GA_NO_ERROR;
    GA_TRY(a.option != NULL ? read_option(j, &a) : cli_take(&a, &j->model));
  }
}

int cli_job_read(cli_job *j, int argc, char **argv) {
  j->seed = 1;
  GA_TRY(read_arguments(j, argc, argv));
  if (j->model == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s takes a model", j->command->name);
  j->is_read = 1;
  return GA_NO_ERROR;
}

/* --- loading --- */

int cli_job_load(cli_job *j, int flags) {
  const int is_graph = cli_is_graph(j->model);
  gg_onnx_options o;
  gg_func_spec spec;

  cli_progress("loading the model");
  GA_TRY(cli_known_options(&j->known, j->model, is_graph, &o));
  GA_TRY(gpucontext_open(&j->ctx, NULL));
  GA_TRY(cli_model_load(&j->m, j->ctx, j->model, is_graph, j->function, &o));
  spec = j->m.spec;
  spec.flags |= GG_ALLOW_UNUSED_INPUT | flags;
  GA_TRY(gg_func_new(&j->f, j->m.g, &spec));
  j->n_in = gg_func_n_inputs(j->f);
  j->n_out = gg_func_n_outputs(j->f);
  j->in = ga__calloc(j->n_in + 1, sizeof *j->in);
  j->out = ga__calloc(j->n_out + 1, sizeof *j->out);
  return j->in == NULL || j->out == NULL ? ga__fail_nomem() : GA_NO_ERROR;
}

/* --- inputs --- */

/* The next value of Vigna's splitmix64 generator. */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static int refuse_open(const gg_var *v, unsigned int axis) {
  const char *name = gg_var_size_name(v, axis);

  return ga__fail(GA_VALUE_ERROR,
                  "dim %u of input \"%s\" is open: give %s%s%s--input "
                  "%s=FILE.npy",
                  axis, gg_var_name(v), name[0] != '\0' ? "--size " : "", name,
                  name[0] != '\0' ? "=N or " : "", gg_var_name(v));
}

static int check_sizes(const gg_var *v, size_t *dims) {
  const gg_type *t = gg_var_type(v);

  for (unsigned int i = 0; i < t->nd; i++) {
    if (t->dims[i] < 0)
      return refuse_open(v, i);
    dims[i] = (size_t)t->dims[i];
  }
  return GA_NO_ERROR;
}

/* Fill a new array with floats in [0, 1), or with 0 and 1 if it has integers or
 * bools. The nearest float16 or bfloat16 may be 1. */
static int draw_input(const cli_job *j, const gg_var *v, uint64_t *random,
                      GpuArray *a) {
  const gg_type *t = gg_var_type(v);
  const size_t item = ga__dtype_size(t->dtype);
  const int whole = ga__dtype_kind(t->dtype) != GA_KIND_FLOAT;
  size_t dims[GG_MAX_ND], n = 1;

  GA_TRY(check_sizes(v, dims));
  GA_TRY(GpuArray_empty(a, j->ctx, t->dtype, t->nd, dims, GA_C_ORDER));
  for (unsigned int i = 0; i < t->nd; i++)
    n *= dims[i];
  char *p = ga__calloc(n + 1, item);
  if (p == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    const double x = (double)(draw(random) >> 40) / (1 << 24);

    ga__dtype_from_double(t->dtype, p + i * item, whole ? x >= 0.5 : x);
  }
  int err = GpuArray_write(a, p, n * item);
  ga__free(p);
  return err;
}

/* Check that every --input names an input of the function. */
static int check_names(const cli_job *j) {
  for (size_t i = 0; i < j->inputs.n; i++) {
    size_t k = 0;

    while (k < j->n_in &&
           strcmp(gg_var_name(j->m.spec.inputs[k]), j->inputs.v[i].name) != 0)
      k++;
    if (k == j->n_in)
      return ga__fail(GA_VALUE_ERROR, "%s has no input \"%s\"", j->model,
                      j->inputs.v[i].name);
  }
  return GA_NO_ERROR;
}

/* Read a file for an input. NumPy has no bfloat16, so float32 is rounded to
 * it. */
static int read_file(const cli_job *j, const gg_var *v, const char *path,
                     GpuArray *a) {
  GpuArray wide = {0};
  int err;

  if (gg_var_type(v)->dtype != GA_BFLOAT)
    return GpuArray_load_npy(a, j->ctx, path);
  GA_CHECK(GpuArray_load_npy(&wide, j->ctx, path));
  if (wide.typecode == GA_FLOAT)
    err = GpuArray_cast(a, &wide, GA_BFLOAT, GA_C_ORDER);
  else
    err = GpuArray_view(a, &wide);
done:
  GpuArray_clear(&wide);
  return err;
}

int cli_job_inputs(cli_job *j) {
  gg_var *const *in = j->m.spec.inputs;
  uint64_t random = j->seed;
  int drawn = 0;

  GA_TRY(check_names(j));
  for (size_t i = 0; i < j->n_in; i++) {
    const cli_given *file = cli_find_given(&j->inputs, gg_var_name(in[i]));

    drawn += file == NULL;
    GA_TRY(file == NULL ? draw_input(j, in[i], &random, &j->in[i])
                        : read_file(j, in[i], file->path, &j->in[i]));
  }
  j->n_drawn = drawn;
  cli_progress(NULL);
  if (drawn > 0 && !j->json)
    printf("%d inputs drawn at random with --seed %" PRIu64 "\n", drawn,
           j->seed);
  return GA_NO_ERROR;
}

/* --- calls --- */

int cli_job_call(cli_job *j) {
  GpuArray **args = ga__calloc(j->n_in + j->n_out + 1, sizeof *args);
  int err;

  if (args == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < j->n_in; i++)
    args[i] = &j->in[i];
  for (size_t i = 0; i < j->n_out; i++)
    args[j->n_in + i] = &j->out[i];
  err = gg_func_call(j->f, args, args + j->n_in);
  if (err != GA_NO_ERROR)
    ga__fail(err, "%s", gg_func_error(j->f));
  ga__free(args);
  return err;
}

const char *cli_job_output_name(const cli_job *j, size_t i) {
  return j->m.onnx != NULL ? gg_onnx_output(j->m.onnx, i)->name
                           : gg_func_output_name(j->f, i);
}

void cli_job_clear(cli_job *j) {
  for (size_t i = 0; j->in != NULL && i < j->n_in; i++)
    GpuArray_clear(&j->in[i]);
  for (size_t i = 0; j->out != NULL && i < j->n_out; i++)
    GpuArray_clear(&j->out[i]);
  gg_func_free(j->f);
  cli_model_clear(&j->m);
  if (j->ctx != NULL)
    gpucontext_deref(j->ctx);
  ga__free(j->in);
  ga__free(j->out);
  ga__vec_clear(&j->inputs);
  cli_known_clear(&j->known);
}

int cli_job_status(const cli_job *j, int err) {
  return err == GA_NO_ERROR ? 0
         : !j->is_read      ? cli_wrong(j->command, err)
                            : cli_fail(err);
}
