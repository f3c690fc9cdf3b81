/* SPDX-License-Identifier: BSD-2-Clause */
/* An op around a kernel that was compiled elsewhere: here by OpenCL itself,
 * from source; clCreateProgramWithBinary or clCreateProgramWithIL do as well.
 *
 *   op_foreign */
#include <CL/cl.h>
#include <gpuarray/opencl.h>

#include "op_example.h"

static cl_program program; /* of somebody else */

static cl_program compile(gpucontext *ctx) {
  static const char *text = "kernel void triple(global const float *x,\n"
                            "                   global float *z, ulong n) {\n"
                            "  size_t i = get_global_id(0);\n"
                            "  if (i < n) z[i] = 3 * x[i];\n"
                            "}\n";
  gpuopencl cl;
  cl_int status = CL_SUCCESS;

  if (gpucontext_opencl(ctx, &cl) != GA_NO_ERROR)
    return NULL;
  cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &status);
  return clBuildProgram(p, 0, NULL, "", NULL, NULL) == CL_SUCCESS ? p : NULL;
}

static int triple_prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out) {
  static const int types[] = {GA_BUFFER, GA_BUFFER, GA_SIZE};
  const GpuKernelSpec triple = {
      .name = "triple", .program = program, .n_types = 3, .types = types};
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  size_t n = example_count(p->in[0]);

  GpuLaunch_scall(l, &triple, 1, &n, 0, (void *[]){p->in[0], p->out[0], &n});
  return GpuLaunch_close(out, l);
}

static const gg_op triple_op = {.name = "triple",
                                .kind = GG_OP_KERNEL,
                                .n_out = 1,
                                .c_order = 1,
                                .infer = example_infer,
                                .shape = example_shape,
                                .prepare = triple_prepare};

int main(void) {
  static const float v[4] = {1, 2, 3, 4};
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 0, 4, v);

  program = compile(gg_graph_context(g));
  if (program == NULL)
    example_fail("compile", "OpenCL refused the kernel");
  example_expect(gg_op_apply(NULL, &triple_op, NULL, 1, &x), 4,
                 (float[]){3, 6, 9, 12});
  clReleaseProgram(program);
  return example_close(g);
}
