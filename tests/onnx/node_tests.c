/* SPDX-License-Identifier: BSD-2-Clause */
/* ONNX's own tests: of its operators, of layers that PyTorch exported, and of
 * networks. Each has a model, inputs and the outputs that they give. What does
 * not pass is listed, with reasons, in expected.txt; anything else that does
 * not pass is a failure, and so is a test of that list that passes.
 *
 *   node_tests FOLDER EXPECTED [--every N] [--only TEXT] [--write]
 *
 * FOLDER has the tests of operators; the others are in folders beside it.
 * Networks are left out unless N is 1. At the end there is a table by kind of
 * test; if all run, the list `kinds` says how many pass at least. --write lists
 * what does not pass; a reason that the list has already stays.
 */
#include <dirent.h>
#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "onnx/format/model_file.h"
#include "onnx/format/tensor.h"

#define MOST_VALUES 40
#define MOST_REASON 4000
#define MOST_LISTED 200 /* characters of a reason in the list */

typedef struct trial {
  const char *folder, *name; /* for networks a file without ".onnx" */
  int is_light;              /* a network whose weights are all equal */
  ga__arena arena;
  gg__bytes files[2 * MOST_VALUES];
  size_t n_files, n_in, n_out;
  gg_host_array in[MOST_VALUES], out[MOST_VALUES]; /* wanted outputs */
  void *own[2 * MOST_VALUES];
  size_t n_own;
  char reason[MOST_REASON]; /* "" if it passed */
} trial;

/* Note why the test did not pass, in one line. */
static int fail(trial *t, const char *kind, const char *text) {
  size_t n = (size_t)snprintf(t->reason, sizeof t->reason, "%s: ", kind);

  for (; *text != 0 && n + 1 < sizeof t->reason; text++)
    if (*text != '\n' || text[1] != ' ')
      t->reason[n++] = *text == '\n' ? ' ' : *text;
  t->reason[n] = 0;
  return 1;
}

/* --- files of the test --- */

static int read_values(trial *t, const char *kind, gg_host_array *list,
                       size_t *n) {
  gg__onnx_files none = {.arena = &t->arena};
  gg__onnx_tensor tensor;
  char path[4096];
  struct stat st;

  for (*n = 0; *n < MOST_VALUES; (*n)++) {
    gg_host_array *a = &list[*n];
    const void *elements = NULL;

    snprintf(path, sizeof path,
             t->is_light ? "%s_%s_%zu.pb" : "%s/test_data_set_0/%s_%zu.pb",
             t->folder, kind, *n);
    if (stat(path, &st) != 0)
      return 0;
    gg__bytes *file = &t->files[t->n_files++];
    if (gg__mapped_open(file, path) != GA_NO_ERROR ||
        gg__onnx_read_tensor(&tensor, &t->arena, *file) != GA_NO_ERROR ||
        gg__onnx_tensor_check(&tensor, &none) != GA_NO_ERROR ||
        gg__onnx_tensor_elements(&tensor, &none, &elements,
                                 &t->own[t->n_own++]) != GA_NO_ERROR)
      return fail(t,
                  gpuarray_error_code() == GA_UNSUPPORTED_ERROR ? "unsupported"
                                                                : "data",
                  gpuarray_error_text(gpuarray_error_code()));
    a->dtype = gg__onnx_dtype(tensor.type);
    a->nd = (unsigned int)tensor.nd;
    for (size_t i = 0; i < tensor.nd; i++)
      a->dims[i] = (size_t)tensor.dims[i];
    a->data = (void *)(uintptr_t)elements;
    a->bytes = gg__onnx_tensor_count(&tensor) * ga__dtype_size(a->dtype);
  }
  return 0;
}

/* The inputs of a network: i / n for element i of n. */
static int make_inputs(trial *t, const gg_onnx *m) {
  const gg_onnx_info *d;

  for (; (d = gg_onnx_input(m, t->n_in)) != NULL; t->n_in++) {
    gg_host_array *a = &t->in[t->n_in];
    size_t n = 1;

    if (d->dtype != GA_FLOAT || t->n_in == MOST_VALUES)
      return fail(t, "data", "an input is not of float32");
    *a = (gg_host_array){.dtype = GA_FLOAT, .nd = d->nd};
    for (unsigned int i = 0; i < d->nd; i++) {
      a->dims[i] = d->dims[i] == GG_ANY ? 1 : (size_t)d->dims[i];
      n *= a->dims[i];
    }
    a->bytes = n * sizeof(float);
    float *data = t->own[t->n_own++] = ga__malloc(a->bytes + 1);
    a->data = data;
    for (size_t i = 0; i < n; i++)
      data[i] = (float)((double)i / (double)n);
  }
  return 0;
}

static void trial_clear(trial *t) {
  for (size_t i = 0; i < t->n_own; i++)
    ga__free(t->own[i]);
  for (size_t i = 0; i < t->n_files; i++)
    gg__mapped_close(&t->files[i]);
  ga__arena_clear(&t->arena);
}

/* --- comparing --- */

/* The tolerance is that of ONNX's own runner. */
static int is_close(double got, double want) {
  if (isnan(got) || isnan(want))
    return isnan(got) && isnan(want);
  if (isinf(want)) /* all numbers are within a part of infinity */
    return got == want;
  return fabs(got - want) <= 1e-7 + 1e-3 * fabs(want);
}

/* Nonzero for tests of random numbers: only dtypes and shapes are compared,
 * since no standard says which numbers a seed gives. */
static int is_random(const char *test) {
  return strncmp(test, "test_bernoulli", 14) == 0 ||
         (strncmp(test, "test_training_dropout", 21) == 0 &&
          strstr(test, "zero_ratio") == NULL);
}

static int check_output(trial *t, size_t i, const gg_host_array *got) {
  const gg_host_array *want = &t->out[i];
  const size_t item = ga__dtype_size(want->dtype);
  char text[200];

  snprintf(text, sizeof text, "output %zu: dtype %s, %u dimensions", i,
           ga__dtype_name(got->dtype), got->nd);
  if (got->dtype != want->dtype || got->nd != want->nd)
    return fail(t, "wrong", text);
  for (unsigned int k = 0; k < got->nd; k++) {
    snprintf(text, sizeof text, "output %zu: dim %u: %zu, expected %zu", i, k,
             got->dims[k], want->dims[k]);
    if (got->dims[k] != want->dims[k])
      return fail(t, "wrong", text);
  }
  for (size_t k = 0; !is_random(t->name) && k < want->bytes / item; k++) {
    const double a =
        ga__dtype_to_double(got->dtype, (char *)got->data + k * item);
    const double b =
        ga__dtype_to_double(want->dtype, (char *)want->data + k * item);

    snprintf(text, sizeof text, "output %zu, element %zu: %.9g, expected %.9g",
             i, k, a, b);
    if (!is_close(a, b))
      return fail(t, "wrong", text);
  }
  return 0;
}

/* --- running --- */

/* Inputs that a call passes are those that were not fixed. */
static size_t pass_inputs(trial *t, const gg_onnx *m, const gg_onnx_fixed *f,
                          const gg_host_array **in) {
  size_t n = 0;

  for (size_t i = 0; i < t->n_in; i++) {
    const gg_onnx_fixed *k = f;

    while (k->name != NULL && strcmp(k->name, gg_onnx_input(m, i)->name) != 0)
      k++;
    if (k->name == NULL)
      in[n++] = &t->in[i];
  }
  return n;
}

static int run_func(trial *t, const gg_onnx *m, const gg_onnx_fixed *fixed,
                    gg_func *f) {
  const gg_host_array *in[MOST_VALUES + 1] = {NULL};
  gg_host_array got[MOST_VALUES] = {{0}}, *out[MOST_VALUES + 1] = {NULL};
  int bad = 0;

  pass_inputs(t, m, fixed, in);
  for (size_t i = 0; i < t->n_out; i++) {
    got[i].bytes = t->out[i].bytes;
    got[i].data = t->own[t->n_own++] = ga__malloc(got[i].bytes + 1);
    out[i] = &got[i];
  }
  if (gg_func_call_host(f, in, out) != GA_NO_ERROR)
    return fail(t, "call", gg_func_error(f));
  for (size_t i = 0; !bad && i < t->n_out; i++)
    bad = check_output(t, i, &got[i]);
  return bad;
}

static int run_graph(trial *t, const gg_onnx *m, const gg_onnx_fixed *fixed,
                     gg_graph *g) {
  gg_func *f = NULL;
  int bad;

  if (t->n_out != gg_onnx_n_outputs(m))
    return fail(t, "data", "not all outputs are given");
  if (gg_func_new(&f, g,
                  &(gg_func_spec){.inputs = gg_onnx_inputs(m),
                                  .outputs = gg_onnx_outputs(m),
                                  .flags = GG_ALLOW_UNUSED_INPUT}) !=
      GA_NO_ERROR)
    return fail(t, "compile", gg_graph_error(g));
  bad = run_func(t, m, fixed, f);
  gg_func_free(f);
  return bad;
}

static int load_and_run(trial *t, gg_onnx *m, gpucontext *ctx,
                        const gg_onnx_fixed *fixed, int *code) {
  gg_graph *g = gg_graph_new(ctx);
  int bad;

  *code = gg_onnx_load(m, g, &(gg_onnx_options){.fixed = fixed});
  if (*code != GA_NO_ERROR)
    bad = fail(t, *code == GA_UNSUPPORTED_ERROR ? "unsupported" : "load",
               gpuarray_error_text(*code));
  else
    bad = run_graph(t, m, fixed, g);
  gg_graph_free(g);
  return bad;
}

/* First with open inputs; if some must be known, with those fixed that may
 * decide what is built: scalars and vectors, then only those of integers. */
static int run_model(trial *t, gg_onnx *m, gpucontext *ctx) {
  gg_onnx_fixed fixed[MOST_VALUES + 1] = {{NULL, NULL}};
  size_t n = 0;
  int code, bad = load_and_run(t, m, ctx, fixed, &code);

  if (!bad || strncmp(t->reason, "wrong", 5) == 0)
    return bad;
  for (size_t i = 0; i < t->n_in && i < gg_onnx_n_inputs(m); i++)
    if (t->in[i].nd <= 1 && t->in[i].bytes <= 64 * 8)
      fixed[n++] = (gg_onnx_fixed){gg_onnx_input(m, i)->name, &t->in[i]};
  if (n == 0)
    return bad;
  t->reason[0] = 0;
  return load_and_run(t, m, ctx, fixed, &code);
}

/* Sequences and the like are told by the model, not by the files. */
static int check_kinds(trial *t, const gg_onnx *m) {
  const gg_onnx_info *v;

  for (size_t i = 0; (v = gg_onnx_input(m, i)) != NULL; i++)
    if (v->type_name[0] == 0)
      return fail(t, "unsupported", "an input is no tensor");
  for (size_t i = 0; (v = gg_onnx_output(m, i)) != NULL; i++)
    if (v->type_name[0] == 0)
      return fail(t, "unsupported", "an output is no tensor");
  return 0;
}

static int run_trial(trial *t, gpucontext *ctx) {
  char path[4096];
  gg_onnx *m = NULL;
  int bad;

  snprintf(path, sizeof path, t->is_light ? "%s.onnx" : "%s/model.onnx",
           t->folder);
  int err = gg_onnx_open(&m, path);
  if (err != GA_NO_ERROR)
    return fail(t, "open", gpuarray_error_text(err));
  bad = check_kinds(t, m) ||
        (t->is_light ? make_inputs(t, m)
                     : read_values(t, "input", t->in, &t->n_in)) ||
        read_values(t, "output", t->out, &t->n_out) || run_model(t, m, ctx);
  gg_onnx_close(m);
  return bad;
}

/* --- the list of what does not pass --- */

static char *read_text(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = calloc(1, 1 << 20);

  if (f != NULL && text != NULL) {
    text[fread(text, 1, (1 << 20) - 1, f)] = 0;
    fclose(f);
  }
  return text;
}

/* --- all tests --- */

typedef struct options {
  const char *folder, *expected, *only;
  size_t every;
  int write;
} options;

typedef struct count {
  size_t passed, unsupported, differ, other, lacking, surprises;
} count;

/* The folders, and how many tests of each pass at least, of those of
 * ci/onnx-tests. Fewer are a failure even if expected.txt lists them. */
enum { KINDS = 5, NETWORKS = 4 };

static const struct kind {
  const char *name, *folder; /* beside that of ops */
  size_t least;
} kinds[KINDS] = {{"ops", "", 1380},
                  {"layers of PyTorch", "/../pytorch-converted", 82},
                  {"operators of PyTorch", "/../pytorch-operator", 35},
                  {"small models", "/../simple", 7},
                  {"networks", "/../light", 9}};

/* Where the folder of the tests begins is no reason. */
static void shorten(char *reason, const char *folder) {
  const size_t n = strlen(folder);

  for (char *p; (p = strstr(reason, folder)) != NULL;)
    memmove(p, p + n + (p[n] == '/'), strlen(p + n + (p[n] == '/')) + 1);
}

/* The reason that the list has for a test, or NULL. */
static const char *listed_reason(const char *list, const char *name,
                                 size_t *n) {
  const size_t k = strlen(name);

  for (const char *p = list; p != NULL && *p != 0;) {
    if (strncmp(p, name, k) == 0 && p[k] == ' ') {
      *n = strcspn(p + k + 1, "\n");
      return p + k + 1;
    }
    p = strchr(p, '\n');
    p = p == NULL ? NULL : p + 1;
  }
  return NULL;
}

static void write_reason(FILE *out, const trial *t, const char *list) {
  size_t n = MOST_LISTED;
  const char *reason = listed_reason(list, t->name, &n);

  fprintf(out, "%s %.*s\n", t->name, (int)n,
          reason != NULL ? reason : t->reason);
}

static void run_one(const char *in, const char *name, int is_light,
                    const char *list, gpucontext *ctx, count *c, FILE *out) {
  char folder[4096];
  size_t n;
  trial t = {.folder = folder,
             .name = name,
             .is_light = is_light,
             .arena = GA_ARENA_INIT};

  snprintf(folder, sizeof folder, "%s/%s", in, name);
  const int bad = run_trial(&t, ctx);
  shorten(t.reason, folder);
  trial_clear(&t);
  c->passed += !bad;
  /* What the device lacks says nothing about the reader. */
  if (bad && !gpucontext_caps(ctx)->fp64 &&
      strstr(t.reason, "the device has no float64") != NULL) {
    c->lacking++;
    return;
  }
  if (bad && strncmp(t.reason, "unsupported", 11) == 0)
    c->unsupported++;
  else if (bad && strncmp(t.reason, "wrong", 5) == 0)
    c->differ++;
  else if (bad)
    c->other++;
  if (bad && out != NULL)
    write_reason(out, &t, list);
  if (bad != (listed_reason(list, name, &n) != NULL)) {
    printf("%s: %s\n", name, bad ? t.reason : "passes, and is listed");
    c->surprises++;
  }
}

/* The tests in a folder. *at counts those of all folders. */
static int run_folder(const options *o, const char *folder, int is_light,
                      const char *list, gpucontext *ctx, size_t *at, count *c,
                      FILE *out) {
  struct dirent **names;
  const int n = scandir(folder, &names, NULL, alphasort);

  for (int i = 0; i < n; i++) {
    char *name = names[i]->d_name, *end = strstr(name, ".onnx");

    if (is_light && end != NULL)
      *end = 0;
    if (name[0] != '.' && (!is_light || end != NULL) &&
        (*at)++ % o->every == 0 &&
        (o->only == NULL || strstr(name, o->only) != NULL))
      run_one(folder, name, is_light, list, ctx, c, out);
    free(names[i]);
  }
  if (n >= 0)
    free(names);
  return n < 0;
}

/* All tests, or with --every and --only some, by kind. */
static int run_kinds(const options *o, gpucontext *ctx, const char *list,
                     FILE *out, count c[KINDS]) {
  const int n = o->every == 1 ? KINDS : NETWORKS;
  char folder[3000];
  size_t at = 0;

  for (int i = 0; i < n; i++) {
    snprintf(folder, sizeof folder, "%s%s", o->folder, kinds[i].folder);
    if (run_folder(o, folder, i == NETWORKS, list, ctx, &at, &c[i], out) &&
        i == 0)
      return 1;
  }
  return 0;
}

static size_t count_tests(const count *c) {
  return c->passed + c->unsupported + c->differ + c->other;
}

static void print_row(const char *name, const count *c) {
  printf("%-22s %6zu %6zu %11zu %6zu %6zu\n", name, count_tests(c), c->passed,
         c->unsupported, c->differ, c->other);
}

/* Print a table, and sum up. */
static count print_table(const count c[KINDS]) {
  count sum = {0};

  printf("%-22s %6s %6s %11s %6s %6s\n", "", "tests", "passed", "unsupported",
         "differ", "others");
  for (int i = 0; i < KINDS; i++) {
    print_row(kinds[i].name, &c[i]);
    sum.passed += c[i].passed;
    sum.unsupported += c[i].unsupported;
    sum.differ += c[i].differ;
    sum.other += c[i].other;
    sum.lacking += c[i].lacking;
    sum.surprises += c[i].surprises;
  }
  print_row("in all", &sum);
  printf("%zu not as listed\n", sum.surprises);
  if (sum.lacking > 0)
    printf("%zu more need float64, which the device lacks\n", sum.lacking);
  return sum;
}

/* Nonzero if fewer tests pass than there should. */
static int are_few(const count c[KINDS]) {
  int few = 0;

  for (int i = 0; i < KINDS; i++) {
    const size_t n = c[i].passed + c[i].lacking;

    if (n < kinds[i].least)
      printf("%s: %zu passed, expected %zu at least\n", kinds[i].name, n,
             kinds[i].least);
    few |= n < kinds[i].least;
  }
  return few;
}

static int run_all(const options *o, gpucontext *ctx) {
  char *list = read_text(o->expected);
  FILE *out = o->write ? fopen(o->expected, "w") : NULL;
  count c[KINDS] = {{0}};

  if (list == NULL)
    return 1;
  const int bad = run_kinds(o, ctx, list, out, c);
  free(list);
  if (out != NULL)
    fclose(out);
  const count sum = print_table(c);
  const int few = o->every == 1 && o->only == NULL && are_few(c);
  if (bad || count_tests(&sum) == 0)
    return 1;
  return (few || sum.surprises != 0) && !o->write;
}

int main(int argc, char **argv) {
  options o = {.every = 1};
  gpucontext *ctx = NULL;
  int err = 1;

  for (int i = 3; i < argc; i++) {
    if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
      o.every = (size_t)strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      o.only = argv[++i];
    else
      o.write = strcmp(argv[i], "--write") == 0;
  }
  if (argc < 3 || o.every == 0)
    return 2;
  o.folder = argv[1];
  o.expected = argv[2];
  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    printf("no OpenCL device: skipped\n");
    return 77;
  }
  err = run_all(&o, ctx);
  gpucontext_deref(ctx);
  return err;
}
