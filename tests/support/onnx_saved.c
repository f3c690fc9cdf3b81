/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/onnx_saved.h"

#include <gpuarray/npy.h>
#include <gpugraph/onnx.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/device.h"
#include "support/tmpfile.h"

static uint32_t seed = 1;

static double draw(void) {
  seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / (1 << 24);
}

/* The path of a file of model `name`. */
static const char *file_of(const char *name, const char *end) {
  static char path[4][512];
  static unsigned int turn;
  const char *folder = getenv("ONNX_SAVED");
  char file[128];
  char *p = path[turn++ % 4];

  snprintf(file, sizeof file, "%s%s", name, end);
  if (folder == NULL)
    return test_file_path(file);
  snprintf(p, sizeof path[0], "%s/%s", folder, file);
  return p;
}

static void keep(const GpuArray *a, const char *name, const char *kind,
                 size_t i) {
  char end[32];

  snprintf(end, sizeof end, ".%s%zu.npy", kind, i);
  if (getenv("ONNX_SAVED") != NULL)
    assert_ok(GpuArray_save_npy(a, file_of(name, end)));
}

/* --- arguments and results --- */

/* Open sizes are 3. Floats lie in [-3, 3), integers in 0 ... 2. */
static void make_input(GpuArray *a, const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  size_t dims[GG_MAX_ND], n = 1;
  char *p;

  for (unsigned int i = 0; i < t->nd; i++) {
    dims[i] = t->dims[i] == GG_ANY ? 3 : (size_t)t->dims[i];
    n *= dims[i];
  }
  const size_t item = ga__dtype_size(t->dtype);
  p = calloc(n + 1, item);
  assert_non_null(p);
  for (size_t i = 0; i < n; i++) {
    const double x = draw();
    const ga__kind kind = ga__dtype_kind(t->dtype);
    ga__dtype_from_double(t->dtype, p + i * item,
                          kind == GA_KIND_FLOAT  ? 6 * x - 3
                          : kind == GA_KIND_BOOL ? x < 0.5
                                                 : floor(3 * x));
  }
  assert_ok(
      GpuArray_empty(a, test_context(), t->dtype, t->nd, dims, GA_C_ORDER));
  assert_ok(GpuArray_write(a, p, n * item));
  free(p);
}

static double *numbers(const GpuArray *a, size_t *n) {
  const size_t item = GpuArray_ITEMSIZE(a);

  *n = 1;
  for (unsigned int i = 0; i < a->nd; i++)
    *n *= a->dimensions[i];
  char *p = calloc(*n + 1, item);
  double *v = calloc(*n + 1, sizeof *v);
  assert_true(p != NULL && v != NULL);
  assert_ok(GpuArray_read(p, *n * item, a));
  for (size_t i = 0; i < *n; i++)
    v[i] = ga__dtype_to_double(a->typecode, p + i * item);
  free(p);
  return v;
}

static void assert_close(const GpuArray *got, const GpuArray *want,
                         const char *name, size_t which) {
  size_t n, m;

  assert_int_equal(got->typecode, want->typecode);
  assert_int_equal(got->nd, want->nd);
  double *x = numbers(got, &n), *y = numbers(want, &m);
  assert_int_equal(n, m);
  const double eps = ga__dtype_kind(got->typecode) != GA_KIND_FLOAT
                         ? 0
                         : 40 * ga__dtype_epsilon(got->typecode);
  for (size_t i = 0; i < n; i++)
    if (!(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])) ||
          fabs(x[i] - y[i]) <= eps * (1 + fabs(y[i]))))
      fail_msg("%s, output %zu, element %zu: %.9g, expected %.9g", name, which,
               i, x[i], y[i]);
  free(x);
  free(y);
}

/* --- a function and its model --- */

typedef struct values {
  GpuArray in[SAVED_MOST], out[SAVED_MOST];
  size_t n_in, n_out;
} values;

static void clear(values *v) {
  for (size_t i = 0; i < v->n_in; i++)
    GpuArray_clear(&v->in[i]);
  for (size_t i = 0; i < v->n_out; i++)
    GpuArray_clear(&v->out[i]);
}

static size_t count(gg_var *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

/* Compute `spec` for the inputs of `v`. */
static void compute(gg_graph *g, const gg_func_spec *spec, values *v,
                    const char *name) {
  GpuArray *in[SAVED_MOST], *out[SAVED_MOST];
  gg_func *f;

  v->n_out = count(spec->outputs);
  for (size_t i = 0; i < v->n_in; i++)
    in[i] = &v->in[i];
  for (size_t i = 0; i < v->n_out; i++)
    out[i] = &v->out[i];
  if (gg_func_new(&f, g, spec) != GA_NO_ERROR)
    fail_msg("%s: %s", name, gg_graph_error(g));
  if (gg_func_call(f, in, out) != GA_NO_ERROR)
    fail_msg("%s: %s", name, gg_func_error(f));
  gg_func_free(f);
}

/* The results of the model that is saved at `path`, for the inputs of `v`. */
static void compute_saved(const char *path, values *v, const char *name) {
  gg_graph *g = gg_graph_new(test_context());
  gg_onnx *m;

  assert_ok(gg_onnx_open(&m, path));
  if (gg_onnx_load(m, g, NULL) != GA_NO_ERROR)
    fail_msg("%s: %s", name, gpuarray_error_text(gg_graph_status(g)));
  compute(g,
          &(gg_func_spec){.inputs = gg_onnx_inputs(m),
                          .outputs = gg_onnx_outputs(m),
                          .flags = GG_ALLOW_UNUSED_INPUT},
          v, name);
  gg_onnx_close(m);
  gg_graph_free(g);
}

void assert_saved(gg_graph *g, const gg_func_spec *spec, const char *name) {
  values want = {.n_in = count(spec->inputs)}, got = want;
  char path[512];
  const size_t before = gg_graph_size(g);

  snprintf(path, sizeof path, "%s", file_of(name, ".onnx"));
  for (size_t i = 0; i < want.n_in; i++) {
    make_input(&want.in[i], spec->inputs[i]);
    keep(&want.in[i], name, "in", i);
  }
  memcpy(got.in, want.in, sizeof got.in);
  compute(g, spec, &want, name);
  for (size_t i = 0; i < want.n_out; i++)
    keep(&want.out[i], name, "out", i);
  const int err = gg_onnx_save(spec, path, NULL);
  if (err != GA_NO_ERROR)
    fail_msg("%s: %s", name, gpuarray_error_text(err));
  assert_int_equal(gg_graph_size(g), before);
  compute_saved(path, &got, name);
  assert_int_equal(got.n_out, want.n_out);
  for (size_t i = 0; i < want.n_out; i++)
    assert_close(&got.out[i], &want.out[i], name, i);
  got.n_in = 0;
  clear(&want);
  clear(&got);
}
