/* SPDX-License-Identifier: BSD-2-Clause */
/* A library to load before a program (LD_PRELOAD): each function that the
 * program compiles is saved as a model when it is called for the first time,
 * with arguments and results as .npy files for check_runtime.py. New values of
 * shared variables count as results. A function that cannot be saved leaves a
 * text with the reason. Files are $ONNX_SAVED/PROGRAM-N.* for function N. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <gpuarray/array.h>
#include <gpuarray/error.h>
#include <gpuarray/npy.h>
#include <gpugraph/onnx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 256 /* functions, and values of one */

int gg_func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec);
int gg_func_call(gg_func *f, GpuArray *const *in, GpuArray *const *out);
void gg_func_free(gg_func *f);
void gg_graph_free(gg_graph *g);

typedef int new_fn(gg_func **out, gg_graph *g, const gg_func_spec *spec);
typedef int call_fn(gg_func *f, GpuArray *const *in, GpuArray *const *out);
typedef void free_fn(gg_func *f);

/* A function that was not called yet. Lists end with NULL. */
typedef struct waiting {
  gg_func *f;
  gg_var *inputs[MOST + 1], *outputs[MOST + 1];
  gg_update updates[MOST + 1];
  gg_given givens[MOST + 1];
} waiting;

static waiting *list[MOST];
static unsigned int n_saved;
static int depth; /* the library compiles and calls functions itself */

/* Set a pointer to the library's function of that name. */
static void find(const char *name, void *function) {
  void *f = dlsym(RTLD_NEXT, name);

  if (f == NULL)
    abort();
  memcpy(function, &f, sizeof f);
}

static const char *file(const char *end) {
  static char path[1024];

  snprintf(path, sizeof path, "%s/%s-%u%s", getenv("ONNX_SAVED"),
           program_invocation_short_name, n_saved, end);
  return path;
}

/* --- what was compiled --- */

static void copy_vars(gg_var **to, gg_var *const *from) {
  for (size_t i = 0; from != NULL && from[i] != NULL && i < MOST; i++)
    to[i] = from[i];
}

static void remember(gg_func *f, const gg_func_spec *spec) {
  waiting *w = calloc(1, sizeof *w);
  size_t i = 0;

  while (i < MOST && list[i] != NULL)
    i++;
  if (i == MOST || w == NULL)
    abort();
  w->f = f;
  copy_vars(w->inputs, spec->inputs);
  copy_vars(w->outputs, spec->outputs);
  const gg_update *u = spec->updates;
  for (size_t k = 0; u != NULL && u[k].shared != NULL && k < MOST; k++)
    w->updates[k] = u[k];
  const gg_given *r = spec->givens;
  for (size_t k = 0; r != NULL && r[k].var != NULL && k < MOST; k++)
    w->givens[k] = r[k];
  list[i] = w;
}

int gg_func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec) {
  new_fn *compile;

  find("gg_func_new", &compile);
  depth++;
  const int err = compile(out, g, spec);
  if (--depth == 0 && err == GA_NO_ERROR)
    remember(*out, spec);
  return err;
}

static waiting *forget(const gg_func *f) {
  for (size_t i = 0; i < MOST; i++)
    if (list[i] != NULL && list[i]->f == f) {
      waiting *w = list[i];
      list[i] = NULL;
      return w;
    }
  return NULL;
}

void gg_func_free(gg_func *f) {
  free_fn *end;

  find("gg_func_free", &end);
  free(forget(f));
  depth++;
  end(f);
  depth--;
}

/* Graphs stay: functions outlive them, and are saved at their first call. */
void gg_graph_free(gg_graph *g) {
  (void)g;
}

/* --- saving --- */

static int keep(const GpuArray *a, const char *kind, size_t i) {
  char end[64];

  snprintf(end, sizeof end, ".%s%zu.npy", kind, i);
  return GpuArray_save_npy(a, file(end));
}

static void refuse(int err) {
  char text[4096];

  snprintf(text, sizeof text, "%s", gpuarray_error_text(err));
  remove(file(".onnx"));
  FILE *out = fopen(file(".txt"), "w");
  if (out == NULL || fprintf(out, "%s\n", text) < 0 || fclose(out) != 0)
    abort();
}

/* Save the model, whose outputs are those that the call wants, and the new
 * values of shared variables. */
static int save(const waiting *w, GpuArray *const *in, GpuArray *const *out) {
  gg_var *want[2 * MOST + 1] = {NULL};
  size_t n = 0;
  int err = GA_NO_ERROR;

  for (size_t i = 0; w->outputs[i] != NULL; i++)
    if (out != NULL && out[i] != NULL)
      want[n++] = w->outputs[i];
  for (size_t i = 0; w->updates[i].shared != NULL; i++)
    want[n++] = w->updates[i].value;
  err = gg_onnx_save(&(gg_func_spec){.inputs = w->inputs,
                                     .outputs = want,
                                     .givens = w->givens},
                     file(".onnx"), NULL);
  for (size_t i = 0; w->inputs[i] != NULL && err == GA_NO_ERROR; i++)
    err = keep(in[i], "in", i);
  if (err != GA_NO_ERROR)
    refuse(err);
  return err;
}

static void save_results(const waiting *w, GpuArray *const *out) {
  size_t n = 0;
  int err = GA_NO_ERROR;

  for (size_t i = 0; w->outputs[i] != NULL && err == GA_NO_ERROR; i++)
    if (out != NULL && out[i] != NULL)
      err = keep(out[i], "out", n++);
  for (size_t i = 0; w->updates[i].shared != NULL && err == GA_NO_ERROR; i++) {
    GpuArray now = {0};

    err = gg_shared_get(w->updates[i].shared, &now);
    if (err == GA_NO_ERROR)
      err = keep(&now, "out", n++);
    GpuArray_clear(&now);
  }
  if (err != GA_NO_ERROR)
    refuse(err);
}

int gg_func_call(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  call_fn *call;
  waiting *w = depth == 0 ? forget(f) : NULL;

  find("gg_func_call", &call);
  depth++;
  const int saved = w != NULL && save(w, in, out) == GA_NO_ERROR;
  const int err = call(f, in, out);
  if (saved && err == GA_NO_ERROR)
    save_results(w, out);
  depth--;
  n_saved += w != NULL;
  free(w);
  return err;
}
