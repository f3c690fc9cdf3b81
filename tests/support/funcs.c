/* SPDX-License-Identifier: BSD-2-Clause */
/* Short forms for tests of compiled functions on float32 data. */
#include "support/funcs.h"

#include <stdlib.h>
#include <string.h>

void float_array(GpuArray *a, unsigned int nd, const size_t *dims,
                 const float *v) {
  test_array(a, GA_FLOAT, nd, dims, v);
}

void float_vector(GpuArray *a, size_t n, const float *v) {
  float_array(a, 1, &n, v);
}

gg_func *func_make(gg_graph *g, const gg_func_spec *spec) {
  gg_func *f = NULL;

  if (gg_func_new(&f, g, spec) != GA_NO_ERROR)
    fail_msg("gg_func_new: %s", gg_graph_error(g));
  return f;
}

void func_run(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  if (gg_func_call(f, in, out) != GA_NO_ERROR)
    fail_msg("gg_func_call: %s", gg_func_error(f));
}

static void assert_close(const float *got, const float *want, size_t n) {
  test_close(GA_FLOAT, got, want, n, 1e-5, 1e-6);
}

void assert_floats(const GpuArray *a, const float *want, size_t n) {
  float *got = malloc((n + 1) * sizeof *got);

  assert_non_null(got);
  assert_int_equal(a->typecode, GA_FLOAT);
  assert_int_equal(test_size(a), n);
  test_gather(a, got);
  assert_close(got, want, n);
  free(got);
}

void assert_shared(const gg_var *v, const float *want, size_t n) {
  float *got = malloc((n + 1) * sizeof *got);

  assert_non_null(got);
  if (gg_shared_read(v, got, n * sizeof *got) != GA_NO_ERROR)
    fail_msg("gg_shared_read: %s", gg_graph_error(gg_var_graph(v)));
  assert_close(got, want, n);
  free(got);
}

char *func_written(gg_func *f, int (*write)(gg_func *, FILE *)) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&text, &bytes);

  assert_non_null(file);
  assert_ok(write(f, file));
  fclose(file);
  return text;
}

static int write_text(gg_func *f, FILE *file) {
  return gg_func_print(f, file);
}

char *func_text(gg_func *f) {
  return func_written(f, write_text);
}

static int write_rewrites(gg_func *f, FILE *file) {
  return gg_func_print_rewrites(f, file);
}

char *func_rewrites(gg_func *f) {
  return func_written(f, write_rewrites);
}

gg_func_stats func_stats(const gg_func *f) {
  gg_func_stats s;

  assert_ok(gg_func_stat(f, &s));
  return s;
}
