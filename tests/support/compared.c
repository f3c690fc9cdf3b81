/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/compared.h"

#include <stdlib.h>
#include <string.h>

/* Steps are counted, and guards of classes are some. */
static gg_func *make(gg_mode mode, gg_var *const *in, gg_var *const *outputs) {
  gg_func_spec spec = {.mode = mode,
                       .inputs = in,
                       .outputs = outputs,
                       .flags = GG_NO_INDEX_GUARD};

  return func_make(g, &spec);
}

void compare_make(compared *c, gg_var *const *in, gg_var *const *outputs) {
  memset(c, 0, sizeof *c);
  c->fused = make(GG_FAST_RUN, in, outputs);
  c->plain = make(GG_FAST_COMPILE, in, outputs);
  while (in[c->n_in] != NULL)
    c->n_in++;
  while (outputs[c->n_out] != NULL)
    c->n_out++;
}

void compare_clear(compared *c) {
  for (unsigned int i = 0; i < MAX_IN; i++)
    GpuArray_clear(&c->in[i]);
  gg_func_free(c->fused);
  gg_func_free(c->plain);
}

void compare_run(compared *c) {
  GpuArray fused[MAX_OUT], plain[MAX_OUT];
  GpuArray *in[MAX_IN], *of_fused[MAX_OUT], *of_plain[MAX_OUT];

  memset(fused, 0, sizeof fused);
  memset(plain, 0, sizeof plain);
  for (unsigned int i = 0; i < c->n_in; i++)
    in[i] = &c->in[i];
  for (unsigned int i = 0; i < c->n_out; i++) {
    of_fused[i] = &fused[i];
    of_plain[i] = &plain[i];
  }
  func_run(c->fused, in, of_fused);
  func_run(c->plain, in, of_plain);
  for (unsigned int i = 0; i < c->n_out; i++) {
    float *want = malloc(test_size(&plain[i]) * sizeof *want + 1);
    test_gather(&plain[i], want);
    test_array_close(&fused[i], want, 2e-5, 2e-6);
    free(want);
    GpuArray_clear(&fused[i]);
    GpuArray_clear(&plain[i]);
  }
}

void compare_give(compared *c, unsigned int i, unsigned int nd,
                  const size_t *dims) {
  size_t n = 1;
  float *v;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  v = malloc(n * sizeof *v);
  test_fill(v, GA_FLOAT, n, -2, 2, (uint32_t)(n + i));
  GpuArray_clear(&c->in[i]);
  float_array(&c->in[i], nd, dims, v);
  free(v);
}

const size_t compare_sizes[N_COMPARE_SIZES][2] = {
    {2, 70001}, {37, 10}, {5, 300}, {1, 1}};

/* Run with matrices for all inputs, of several compare_sizes. */
void compare_all(compared *c) {
  for (int s = 0; s < N_COMPARE_SIZES; s++) {
    for (unsigned int i = 0; i < c->n_in; i++)
      compare_give(c, i, 2, compare_sizes[s]);
    compare_run(c);
  }
}

/* --- two outputs, and how many steps they take --- */

/* The two, one behind the other; to be freed. */
static float *both_outputs(gg_func *f, size_t *n) {
  float *v;

  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out, &out2});
  *n = test_size(&out) + test_size(&out2);
  v = malloc(*n * sizeof *v);
  assert_non_null(v);
  test_gather(&out, v);
  test_gather(&out2, v + test_size(&out));
  return v;
}

void compare_steps(compare_build build, size_t steps) {
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *two[2];
  gg_var *y = gg_input(g, "y", GA_FLOAT, b.nd);
  size_t n;

  build(x, y, two);
  gg_func *fused = make(GG_FAST_RUN, GG_VARS(x, y), GG_VARS(two[0], two[1]));
  gg_func *plain =
      make(GG_FAST_COMPILE, GG_VARS(x, y), GG_VARS(two[0], two[1]));
  float *want = both_outputs(plain, &n);
  float *got = both_outputs(fused, &n);
  for (size_t i = 0; i < n; i++)
    assert_float_equal(got[i], want[i],
                       1e-5f * (1 + (want[i] < 0 ? -want[i] : want[i])));
  assert_int_equal(func_stats(fused).steps, steps);
  free(got);
  free(want);
  gg_func_free(fused);
  gg_func_free(plain);
}
