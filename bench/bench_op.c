/* SPDX-License-Identifier: BSD-2-Clause */
/* What an op of one's own costs: a function with it beside one with the
 * built-in op of the same expression, and one with a hand-written kernel beside
 * the plain enqueueing of that kernel. */
#include "bench.h"

#include <gpuarray/device.h>
#include <gpugraph/gpugraph.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl/ocl.h"

enum { N = 20000, CALLS = 40, REPS = 401 };

static const char *const text =
    "kernel void ex(global const float *x, global float *z, ulong n) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) z[i] = exp(x[i]);\n"
    "}\n";

/* --- the same expression, compiled by the same generator --- */

static int infer(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

static int shape(const gg_apply *a, const gg_dims *in,
                 const double *const *number, gg_dims *out) {
  (void)a;
  (void)number;
  *out = in[0];
  return GA_NO_ERROR;
}

static int prepare_same(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ},
                             {"z", GA_FLOAT, GE_WRITE}};
  GpuElemwise *ge =
      GpuElemwise_new(p->ctx, NULL, "z = exp(x);", 2, args, 1, GE_VECTOR);

  if (ge == NULL)
    return GA_MISC_ERROR;
  slot_in[0] = 0;
  slot_out[0] = 1;
  int err = GpuElemwise_prepare(out, ge, (void *[]){p->in[0], p->out[0]}, 0);
  GpuElemwise_free(ge);
  return err;
}

static const gg_op same_op = {.name = "same",
                              .kind = GG_OP_KERNEL,
                              .n_out = 1,
                              .infer = infer,
                              .shape = shape,
                              .prepare = prepare_same};

/* --- a hand-written kernel --- */

static const size_t n = N;
static size_t group, groups; /* as suits the device */

static int prepare_own(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  static const int types[] = {GA_BUFFER, GA_BUFFER, GA_SIZE};
  const GpuKernelSpec k = {.name = "ex",
                           .code = text,
                           .n_types = 3,
                           .types = types,
                           .flags = GA_USE_OPENCL};
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);

  GpuLaunch_call(l, &k, 1, &groups, &group, 0,
                 (void *[]){p->in[0], p->out[0], (void *)&n});
  return GpuLaunch_close(out, l);
}

static const gg_op own_op = {.name = "own",
                             .kind = GG_OP_KERNEL,
                             .n_out = 1,
                             .infer = infer,
                             .shape = shape,
                             .prepare = prepare_own};

/* --- what is timed --- */

typedef struct work {
  gpucontext *ctx;
  gg_func *f; /* NULL: the plain kernel */
  GpuArray *x, z;
  cl_kernel raw;
} work;

static int run(void *arg) {
  work *w = arg;

  for (int i = 0; i < CALLS; i++)
    GA_TRY(gg_func_call(w->f, &w->x, (GpuArray *[]){&w->z}));
  return GpuArray_sync(&w->z);
}

static int run_raw(void *arg) {
  const size_t gs = groups * group;
  work *w = arg;
  cl_command_queue queue = ga__ctx_queue(w->ctx);

  for (int i = 0; i < CALLS; i++)
    GA_TRY(GA_CL(clEnqueueNDRangeKernel(queue, w->raw, 1, NULL, &gs, &group, 0,
                                        NULL, NULL)));
  return GA_CL(clFinish(queue));
}

static void check(const work *w, const char *what) {
  static float got[N];

  bench_need(GpuArray_read(got, sizeof got, &w->z), "read");
  for (int i = 0; i < N; i++)
    if (!(fabsf(got[i] - expf((float)i / N)) < 1e-5f)) {
      fprintf(stderr, "%s: element %d is %g\n", what, i, (double)got[i]);
      exit(1);
    }
}

static void make(work *w, gg_graph *g, gg_var *x, gg_var *y) {
  if (gg_func_new(
          &w->f, g,
          &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)})) {
    fprintf(stderr, "%s\n", gg_graph_error(g));
    exit(1);
  }
  bench_need(run(w), "call");
  check(w, "function");
}

static void make_raw(work *w) {
  cl_context c = ga__ctx_cl(w->ctx);
  cl_program p =
      clCreateProgramWithSource(c, 1, (const char *[]){text}, NULL, NULL);
  cl_mem x = ga__data_mem(w->x->data);
  cl_ulong count = N;

  bench_need(GpuArray_copy(&w->z, w->x, GA_C_ORDER), "output");
  cl_mem z = ga__data_mem(w->z.data);
  bench_need(GA_CL(clBuildProgram(p, 0, NULL, "", NULL, NULL)), "build");
  w->raw = clCreateKernel(p, "ex", NULL);
  bench_need(GA_CL(clSetKernelArg(w->raw, 0, sizeof x, &x)), "argument");
  bench_need(GA_CL(clSetKernelArg(w->raw, 1, sizeof z, &z)), "argument");
  bench_need(GA_CL(clSetKernelArg(w->raw, 2, sizeof count, &count)),
             "argument");
  clReleaseProgram(p);
  bench_need(run_raw(w), "enqueue");
  check(w, "plain kernel");
}

static void compare(const char *name, work *w, bench_fn ref, work *other) {
  bench_time t, u;

  bench_pair(run, w, ref, other, REPS, &t, &u);
  bench_print(name, t.median * 1e6 / CALLS, "us", u.median * 1e6 / CALLS);
}

int main(void) {
  static float host[N];
  gpucontext *ctx;
  GpuArray x;

  for (int i = 0; i < N; i++)
    host[i] = (float)i / N;
  bench_need(gpucontext_open(&ctx, NULL), "context");
  bench_need(GpuArray_empty(&x, ctx, GA_FLOAT, 1, &n, GA_C_ORDER), "array");
  bench_need(GpuArray_write(&x, host, sizeof host), "write");
  group = gpucontext_caps(ctx)->is_cpu ? gpucontext_caps(ctx)->max_group : 64;
  groups = (n + group - 1) / group;
  gg_graph *g = gg_graph_new(ctx);
  gg_var *v = gg_input(g, "x", GA_FLOAT, 1);
  work w[4];

  memset(w, 0, sizeof w);
  for (int i = 0; i < 4; i++) {
    w[i].ctx = ctx;
    w[i].x = &x;
  }
  make(&w[0], g, v, gg_exp(v));
  make(&w[1], g, v, gg_op_apply(NULL, &same_op, NULL, 1, &v));
  make(&w[2], g, v, gg_op_apply(NULL, &own_op, NULL, 1, &v));
  make_raw(&w[3]);
  compare("op of one's own, beside a built-in", &w[1], run, &w[0]);
  compare("hand-written kernel, beside its enqueueing", &w[2], run_raw, &w[3]);
  clReleaseKernel(w[3].raw);
  for (int i = 0; i < 4; i++) {
    GpuArray_clear(&w[i].z);
    gg_func_free(w[i].f);
  }
  gg_graph_free(g);
  GpuArray_clear(&x);
  gpucontext_deref(ctx);
  return 0;
}
