/* SPDX-License-Identifier: BSD-2-Clause */
/* An op whose kernel forgets to compare its index with the number of elements:
 * what Oclgrind is to find. Elsewhere it may crash.
 *
 *   GPUARRAY_NO_POOL=1 oclgrind out_of_bounds */
#include <gpugraph/gpugraph.h>
#include <stdio.h>

static const int types[] = {GA_BUFFER, GA_BUFFER};
static const GpuKernelSpec stray = {
    .name = "stray",
    .code = "KERNEL void stray(GLOBAL_MEM DTYPE_INPUT_0 *x,\n"
            "                  GLOBAL_MEM DTYPE_OUTPUT_0 *z) {\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  z[i] = 1;\n"
            "}\n",
    .n_types = 2,
    .types = types};

static int infer(const gg_apply *a, gg_type *type) {
  *type = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape(const gg_apply *a, const gg_dims *in,
                 const double *const *number, gg_dims *dims) {
  (void)a;
  (void)number;
  *dims = in[0];
  return GA_NO_ERROR;
}

static int prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                   int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  const size_t one = 1, four = 4;

  GpuLaunch_call(l, &stray, 1, &one, &four, 0, (void *[]){p->in[0], p->out[0]});
  return GpuLaunch_close(out, l);
}

static const gg_op stray_op = {.name = "stray",
                               .kind = GG_OP_KERNEL,
                               .n_out = 1,
                               .infer = infer,
                               .shape = shape,
                               .prepare = prepare};

int main(void) {
  static const float v[3] = {1, 2, 3};
  const size_t n = 3;
  gpucontext *ctx = NULL;
  gg_func *f = NULL;
  GpuArray out = {0};
  float got[3];

  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR)
    return 1;
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_shared_host(g, "x", GA_FLOAT, 1, &n, v);
  gg_var *z = gg_op_apply(NULL, &stray_op, NULL, 1, &x);
  int err = gg_func_new(&f, g, &(gg_func_spec){.outputs = GG_VARS(z)});
  if (err == GA_NO_ERROR)
    err = gg_func_call(f, NULL, (GpuArray *[]){&out});
  if (err == GA_NO_ERROR)
    err = GpuArray_read(got, sizeof got, &out);
  printf("%s%s%g\n", gg_graph_error(g), gg_func_error(f), (double)got[2]);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return err != GA_NO_ERROR;
}
