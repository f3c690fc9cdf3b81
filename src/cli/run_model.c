/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph run: call a model in the ONNX format once. Inputs come from .npy
 * files, or are drawn at random. */
#include <errno.h>
#include <gpuarray/device.h>
#include <gpuarray/npy.h>
#include <gpugraph/func.h>
#include <gpugraph/onnx.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strb.h"
#include "cli/cli.h"

/* A file for an input. Both strings are parts of argv. */
typedef struct given {
  const char *name, *path;
} given;

typedef struct job {
  const char *model, *output;
  uint64_t seed;
  int has_seed;
  given *inputs, *fixed; /* these lists have memory for one per argument */
  gg_onnx_size *sizes;
  size_t n_inputs, n_fixed, n_sizes;
  gpucontext *ctx;
  gg_onnx *onnx;
  gg_graph *g;
  gg_func *f;
  GpuArray *in, *out;
  size_t n_in, n_out;
  gg_host_array *values;  /* of the fixed inputs; their data is owned */
  gg_onnx_fixed *by_name; /* the list for gg_onnx_load */
} job;

/* --- arguments --- */

/* Split NAME=VALUE, in place. */
static int split(char *text, const char **name, char **value) {
  char *equal = strchr(text, '=');

  if (equal == NULL || equal == text || equal[1] == 0)
    return ga__fail(GA_VALUE_ERROR, "\"%s\" is not NAME=VALUE", text);
  *equal = 0;
  *name = text;
  *value = equal + 1;
  return GA_NO_ERROR;
}

static int add_given(given *list, size_t *n, char *text) {
  char *path;

  GA_TRY(split(text, &list[*n].name, &path));
  list[(*n)++].path = path;
  return GA_NO_ERROR;
}

static int read_number(const char *text, uint64_t *out) {
  char *end;

  errno = 0;
  *out = strtoull(text, &end, 10);
  if (errno != 0 || *end != 0 || text[0] < '0' || text[0] > '9' ||
      *out > INT64_MAX)
    return ga__fail(GA_VALUE_ERROR, "\"%s\" is not a number", text);
  return GA_NO_ERROR;
}

static int add_size(job *j, char *text) {
  uint64_t size;
  char *value;

  GA_TRY(split(text, &j->sizes[j->n_sizes].name, &value));
  GA_TRY(read_number(value, &size));
  j->sizes[j->n_sizes++].size = (int64_t)size;
  return GA_NO_ERROR;
}

static int read_option(job *j, const char *option, char *value) {
  if (strcmp(option, "--input") == 0)
    return add_given(j->inputs, &j->n_inputs, value);
  if (strcmp(option, "--fix") == 0)
    return add_given(j->fixed, &j->n_fixed, value);
  if (strcmp(option, "--size") == 0)
    return add_size(j, value);
  if (strcmp(option, "--seed") == 0) {
    j->has_seed = 1;
    return read_number(value, &j->seed);
  }
  if (strcmp(option, "--output") != 0)
    return ga__fail(GA_VALUE_ERROR, "run has no option %s", option);
  j->output = value;
  return GA_NO_ERROR;
}

static int read_options(job *j, int argc, char **argv) {
  const size_t n = (size_t)argc + 1;

  j->inputs = ga__calloc(n, sizeof *j->inputs);
  j->fixed = ga__calloc(n, sizeof *j->fixed);
  j->sizes = ga__calloc(n, sizeof *j->sizes);
  j->values = ga__calloc(n, sizeof *j->values);
  j->by_name = ga__calloc(n, sizeof *j->by_name);
  if (j->inputs == NULL || j->fixed == NULL || j->sizes == NULL ||
      j->values == NULL || j->by_name == NULL)
    return ga__fail_nomem();
  for (int i = 0; i < argc; i++) {
    if (argv[i][0] != '-' && j->model == NULL)
      j->model = argv[i];
    else if (i + 1 == argc)
      return ga__fail(GA_VALUE_ERROR, "%s needs a value", argv[i]);
    else {
      GA_TRY(read_option(j, argv[i], argv[i + 1]));
      i++;
    }
  }
  if (j->model == NULL)
    return ga__fail(GA_VALUE_ERROR, "run takes a model");
  return GA_NO_ERROR;
}

/* --- loading --- */

/* Read the file of fixed input i into host memory, in C order. */
static int read_fixed(job *j, size_t i) {
  gg_host_array *v = &j->values[i];
  GpuArray a = {0}, plain = {0};
  int err;

  GA_CHECK(GpuArray_load_npy(&a, j->ctx, j->fixed[i].path));
  GA_CHECK(GpuArray_copy(&plain, &a, GA_C_ORDER));
  *v = (gg_host_array){.dtype = plain.typecode, .nd = plain.nd};
  v->bytes = GpuArray_ITEMSIZE(&plain);
  for (unsigned int k = 0; k < plain.nd && k < GG_MAX_ND; k++) {
    v->dims[k] = plain.dimensions[k];
    v->bytes *= v->dims[k];
  }
  v->data = ga__malloc(v->bytes + 1);
  GA_CHECK(v->data == NULL ? ga__fail_nomem() : GA_NO_ERROR);
  GA_CHECK(GpuArray_read(v->data, v->bytes, &plain));
  j->by_name[i] = (gg_onnx_fixed){j->fixed[i].name, v};
done:
  GpuArray_clear(&a);
  GpuArray_clear(&plain);
  return err;
}

static int load(job *j) {
  GA_TRY(gg_onnx_open(&j->onnx, j->model));
  GA_TRY(gpucontext_open(&j->ctx, NULL));
  for (size_t i = 0; i < j->n_fixed; i++)
    GA_TRY(read_fixed(j, i));
  j->g = gg_graph_new(j->ctx);
  if (j->g == NULL)
    return ga__fail_nomem();
  GA_TRY(
      gg_onnx_load(j->onnx, j->g,
                   &(gg_onnx_options){.sizes = j->sizes, .fixed = j->by_name}));
  return gg_func_new(&j->f, j->g,
                     &(gg_func_spec){.name = "model",
                                     .inputs = gg_onnx_inputs(j->onnx),
                                     .outputs = gg_onnx_outputs(j->onnx),
                                     .flags = GG_ALLOW_UNUSED_INPUT});
}

/* --- inputs --- */

/* The next value of Vigna's splitmix64 generator. */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* The name of size i of an input, or NULL. */
static const char *size_name(const job *j, const char *input, unsigned int i) {
  const gg_onnx_info *v;

  for (size_t k = 0; (v = gg_onnx_input(j->onnx, k)) != NULL; k++)
    if (strcmp(v->name, input) == 0)
      return v->size_names[i];
  return NULL;
}

static int check_sizes(const job *j, const gg_var *v, size_t *dims) {
  const gg_type *t = gg_var_type(v);

  for (unsigned int i = 0; i < t->nd; i++) {
    const char *name = size_name(j, gg_var_name(v), i);

    if (t->dims[i] < 0)
      return ga__fail(GA_VALUE_ERROR,
                      "dim %u of input \"%s\" is open: give --size %s=N or "
                      "--input %s=FILE.npy",
                      i, gg_var_name(v), name == NULL ? "NAME" : name,
                      gg_var_name(v));
    dims[i] = (size_t)t->dims[i];
  }
  return GA_NO_ERROR;
}

/* Fill a new array with floats in [0, 1), or with 0 and 1 if it has integers or
 * bools. The nearest float16 or bfloat16 may be 1. */
static int draw_input(job *j, const gg_var *v, GpuArray *a) {
  const gg_type *t = gg_var_type(v);
  const size_t item = ga__dtype_size(t->dtype);
  const int whole = ga__dtype_kind(t->dtype) != GA_KIND_FLOAT;
  size_t dims[GG_MAX_ND], n = 1;

  GA_TRY(check_sizes(j, v, dims));
  GA_TRY(GpuArray_empty(a, j->ctx, t->dtype, t->nd, dims, GA_C_ORDER));
  for (unsigned int i = 0; i < t->nd; i++)
    n *= dims[i];
  char *p = ga__calloc(n + 1, item);
  if (p == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    const double x = (double)(draw(&j->seed) >> 40) / (1 << 24);

    ga__dtype_from_double(t->dtype, p + i * item, whole ? x >= 0.5 : x);
  }
  int err = GpuArray_write(a, p, n * item);
  ga__free(p);
  return err;
}

static const given *find_given(const job *j, const char *name) {
  for (size_t i = 0; i < j->n_inputs; i++)
    if (strcmp(j->inputs[i].name, name) == 0)
      return &j->inputs[i];
  return NULL;
}

/* Check that every --input names an input of the function. */
static int check_names(const job *j) {
  gg_var *const *v;

  for (size_t i = 0; i < j->n_inputs; i++) {
    for (v = gg_onnx_inputs(j->onnx); *v != NULL; v++)
      if (strcmp(gg_var_name(*v), j->inputs[i].name) == 0)
        break;
    if (*v == NULL)
      return ga__fail(GA_VALUE_ERROR, "%s has no input \"%s\"", j->model,
                      j->inputs[i].name);
  }
  return GA_NO_ERROR;
}

static int make_inputs(job *j) {
  gg_var *const *in = gg_onnx_inputs(j->onnx);
  uint64_t seed = j->seed;
  int drawn = 0;

  GA_TRY(check_names(j));
  for (size_t i = 0; i < j->n_in; i++) {
    const given *file = find_given(j, gg_var_name(in[i]));

    drawn += file == NULL;
    GA_TRY(file == NULL ? draw_input(j, in[i], &j->in[i])
                        : GpuArray_load_npy(&j->in[i], j->ctx, file->path));
  }
  if (drawn > 0)
    printf("%d inputs drawn at random with --seed %" PRIu64 "\n", drawn, seed);
  return GA_NO_ERROR;
}

/* --- results --- */

/* Append the path of the file for an output. */
static int append_path(const job *j, const char *name, ga__strb *path) {
  ga__strb_appendf(path, "%s/", j->output);
  const size_t at = path->n;
  ga__strb_appendf(path, "%s.npy", name);
  for (size_t k = at; path->err == GA_NO_ERROR && k < path->n; k++)
    if (path->s[k] == '/')
      path->s[k] = '_';
  return path->err;
}

/* Put the path for output i into a map. GA_VALUE_ERROR if the map has it. */
static int add_path(const job *j, size_t i, ga__map *paths) {
  const gg_onnx_info *out = gg_onnx_output(j->onnx, i);
  ga__strb path = GA_STRB_INIT;
  int err = append_path(j, out->name, &path);
  const gg_onnx_info *other =
      err == GA_NO_ERROR ? ga__map_get(paths, path.s, path.n) : NULL;

  if (other != NULL)
    err = ga__fail(GA_VALUE_ERROR, "outputs \"%s\" and \"%s\" need one file %s",
                   other->name, out->name, path.s);
  if (err == GA_NO_ERROR)
    err = ga__map_put(paths, path.s, path.n, (void *)(uintptr_t)out);
  ga__strb_clear(&path);
  return err;
}

/* Check that each output has a file of its own. */
static int check_paths(const job *j) {
  ga__map paths = GA_MAP_INIT;
  int err = GA_NO_ERROR;

  for (size_t i = 0; j->output != NULL && err == GA_NO_ERROR && i < j->n_out;
       i++)
    err = add_path(j, i, &paths);
  ga__map_clear(&paths);
  return err;
}

static int save(const job *j, size_t i, const char *name) {
  ga__strb path = GA_STRB_INIT;
  int err = append_path(j, name, &path);

  if (err == GA_NO_ERROR)
    err = GpuArray_save_npy(&j->out[i], path.s);
  ga__strb_clear(&path);
  return err;
}

static void print_result(const GpuArray *a, const char *name) {
  printf("%s: %s[", name, ga__dtype_name(a->typecode));
  for (unsigned int i = 0; i < a->nd; i++)
    printf("%s%zu", i == 0 ? "" : ", ", a->dimensions[i]);
  printf("]\n");
}

static int use_results(const job *j) {
  if (j->output != NULL && mkdir(j->output, 0777) != 0 && errno != EEXIST)
    return ga__fail(GA_SYS_ERROR, "cannot make %s: %s", j->output,
                    strerror(errno));
  for (size_t i = 0; i < j->n_out; i++) {
    const char *name = gg_onnx_output(j->onnx, i)->name;

    print_result(&j->out[i], name);
    if (j->output != NULL)
      GA_TRY(save(j, i, name));
  }
  return GpuArray_sync(&j->out[0]);
}

static int call(job *j) {
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

static int run(job *j, int argc, char **argv) {
  GA_TRY(read_options(j, argc, argv));
  if (!j->has_seed)
    j->seed = 1;
  GA_TRY(load(j));
  j->n_in = gg_func_n_inputs(j->f);
  j->n_out = gg_func_n_outputs(j->f);
  j->in = ga__calloc(j->n_in + 1, sizeof *j->in);
  j->out = ga__calloc(j->n_out + 1, sizeof *j->out);
  if (j->in == NULL || j->out == NULL)
    return ga__fail_nomem();
  GA_TRY(check_paths(j));
  GA_TRY(make_inputs(j));
  GA_TRY(call(j));
  return use_results(j);
}

static void job_clear(job *j) {
  for (size_t i = 0; j->in != NULL && i < j->n_in; i++)
    GpuArray_clear(&j->in[i]);
  for (size_t i = 0; j->out != NULL && i < j->n_out; i++)
    GpuArray_clear(&j->out[i]);
  for (size_t i = 0; j->values != NULL && i < j->n_fixed; i++)
    ga__free(j->values[i].data);
  gg_func_free(j->f);
  gg_graph_free(j->g);
  gg_onnx_close(j->onnx);
  if (j->ctx != NULL)
    gpucontext_deref(j->ctx);
  ga__free(j->in);
  ga__free(j->out);
  ga__free(j->inputs);
  ga__free(j->fixed);
  ga__free(j->sizes);
  ga__free(j->values);
  ga__free(j->by_name);
}

int cli_run(int argc, char **argv) {
  job j = {0};
  const int err = run(&j, argc, argv);
  const int status = err == GA_NO_ERROR ? 0
                     : j.model == NULL  ? cli_usage(ga__err_text(err))
                                        : cli_fail(err);

  job_clear(&j);
  return status;
}
