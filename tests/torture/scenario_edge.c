/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of the runtime's edges: opening and closing, fills in blocks,
 * foreign objects, source and modules that are refused. */
#include <gpuarray/extension.h>
#include <gpuarray/opencl.h>
#include <gpuarray/record.h>
#include <string.h>

#include "ocl/objects.h"
#include "ocl/ocl.h"
#include "torture/scenario.h"

static const size_t square[2] = {8, 8};

/* From opening to closing, all of it with the failure. */
int run_life(work *w) {
  work life;

  memset(&life, 0, sizeof life);
  int err = run_elemwise(&life);
  if (err == GA_NO_ERROR) {
    memcpy(w->got, life.got, sizeof w->got);
    memcpy(w->bytes, life.bytes, sizeof w->bytes);
  }
  work_clear(&life);
  return err;
}

/* 256 bytes in blocks of 128, so that the second is a sub-buffer. A fill of
 * several blocks (of 1 GiB, outside of tests) may stop between two. */
int run_fill(work *w) {
  GA_TRY(work_open(w));
  w->ctx->fill_block = 128;
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(GpuArray_memset(&w->out[0], 0x40));
  return work_read(w);
}

/* A second context around the first one's, and two buffers around one: writes
 * through one are seen through the other, in the order that events make. */
static int write_through(work *w, gpudata *a, gpudata *b) {
  unsigned char fresh[WORK_BYTES];
  cl_event ev;
  int err;

  memset(fresh, 0x11, sizeof fresh);
  if (gpudata_share(a, b, &err) < 0)
    return err;
  GA_TRY(gpudata_write(a, 0, fresh, sizeof fresh));
  GA_TRY(gpucontext_event(w->other, &ev));
  err = gpucontext_wait(w->ctx, 1, &ev);
  clReleaseEvent(ev);
  GA_TRY(err);
  return work_read(w);
}

int run_wrapped(work *w) {
  gpudata *a = NULL, *b = NULL;
  gpuopencl ours;
  cl_mem mem;
  int err;

  GA_TRY(work_open(w));
  GA_TRY(gpucontext_opencl(w->ctx, &ours));
  if (w->other == NULL)
    GA_TRY(gpucontext_from_opencl(&w->other, &ours, NULL, NULL));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(gpudata_sync(w->out[0].data));
  w->is_old = 1;
  GA_TRY(gpudata_opencl(w->out[0].data, &mem));
  GA_CHECK(gpudata_from_opencl(&a, w->other, mem, NULL));
  GA_CHECK(gpudata_from_opencl(&b, w->other, mem, NULL));
  err = write_through(w, a, b);

done:
  gpudata_release(a);
  gpudata_release(b);
  return err;
}

/* The same by the names of before. */
int run_extension(work *w) {
  gpucontext *(*make_ctx)(cl_context, gpucontext_props *);
  gpudata *(*make_buf)(gpucontext *, cl_mem);

  *(void **)&make_ctx = gpuarray_get_extension("cl_make_ctx");
  *(void **)&make_buf = gpuarray_get_extension("cl_make_buf");
  GA_TRY(work_open(w));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  w->is_old = 1;
  if (w->other == NULL)
    w->other = make_ctx(w->ctx->cl, NULL);
  gpudata *d =
      w->other != NULL ? make_buf(w->other, w->out[0].data->mem) : NULL;
  if (d == NULL)
    return gpuarray_error_code();
  gpudata_release(d);
  return work_read(w);
}

/* A kernel of the caller's, as text and as one of somebody else. */
static int record(work *w, const GpuKernelSpec *spec) {
  size_t n = 64;
  GpuLaunch *l =
      GpuLaunch_open(w->ctx, "twice", 2, (GpuArray *[]){&w->in[0], &w->out[0]});

  GpuLaunch_scall(l, spec, 1, &n, 0, (void *[]){&w->in[0], &w->out[0], &n});
  return GpuLaunch_close(&w->launch, l);
}

int run_record(work *w) {
  static const int types[] = {GA_BUFFER, GA_BUFFER, GA_SIZE};
  GpuKernelSpec spec = {
      .name = "twice",
      .code = "KERNEL void twice(GLOBAL_MEM float *x, GLOBAL_MEM float *z,\n"
              "                  ga_size n) {\n"
              "  size_t i = get_global_id(0);\n"
              "  if (i < n) z[i] = 2 * x[i];\n"
              "}\n",
      .n_types = 3,
      .types = types};

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  w->is_old = 1;
  if (w->launch == NULL)
    GA_TRY(record(w, &spec));
  GA_TRY(GpuLaunch_run(w->launch));
  return work_read(w);
}

/* Source that no compiler takes: the work is to be told so. */
int run_refused(work *w) {
  const char *text = "#include \"cluda.h\"\nKERNEL void bad(void) { no; }\n";
  GpuKernel k = {0};

  GA_TRY(work_open(w));
  int err = GpuKernel_init(&k, w->ctx, 1, &text, NULL, "bad", 0, NULL, 0, NULL);
  if (err == GA_NO_ERROR) {
    GpuKernel_clear(&k);
    return ga__fail(GA_MISC_ERROR, "it compiled");
  }
  if (err == GA_IMPL_ERROR &&
      strstr(gpucontext_error(w->ctx, err), "CL_BUILD_PROGRAM_FAILURE") != NULL)
    return GA_NO_ERROR;
  return err;
}

/* A module without anything in it, which is refused: by the library where the
 * device takes no SPIR-V, else by the driver. */
int run_spirv(work *w) {
  static const uint32_t empty[5] = {0x07230203, 0x00010000, 0, 1, 0};
  cl_program p;

  GA_TRY(work_open(w));
  int err = gpucontext_spirv(&p, w->ctx, empty, sizeof empty);
  if (err == GA_NO_ERROR) {
    clReleaseProgram(p);
    return ga__fail(GA_MISC_ERROR, "it was taken");
  }
  if (err == GA_DEVSUP_ERROR ||
      strstr(gpucontext_error(w->ctx, err), "CL_INVALID_VALUE") != NULL ||
      strstr(gpucontext_error(w->ctx, err), "CL_BUILD_PROGRAM_FAILURE") != NULL)
    return GA_NO_ERROR;
  return err;
}
