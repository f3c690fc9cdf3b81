/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of what comes from outside and goes there: NumPy's files, DLPack
 * tensors, files of kernels, functions of the host. */
#include <gpuarray/dlpack.h>
#include <gpuarray/kernel_file.h>
#include <gpuarray/npy.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "io/dlpack_abi.h"
#include "torture/scenario.h"

static const size_t square[2] = {8, 8};

/* An input and an array of old values, the same for all here. */
static int open_all(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  return work_result(w, 0, GA_FLOAT, 2, square);
}

/* --- NumPy's files --- */

int run_npy(work *w) {
  char path[WORK_PATH];
  GpuArray back = {0};

  work_path(path, "torture.npy");
  GA_TRY(open_all(w));
  w->is_old = 1;
  GA_TRY(GpuArray_save_npy(&w->in[0], path));
  GA_TRY(GpuArray_load_npy(&back, w->ctx, path));
  work_replace(w, 0, &back);
  return work_read(w);
}

/* Two entries, one of a view that has to be copied first. */
static int save_npz(const work *w, const char *path) {
  GpuArray turned = {0};
  gpunpz_new *z = NULL;
  int err, end;

  GA_CHECK(GpuArray_index(&turned, &w->in[0], (ssize_t[]){0, 7},
                          (ssize_t[]){8, -1}, (ssize_t[]){1, -1}));
  GA_CHECK(gpunpz_create(&z, path, 1));
  GA_CHECK(gpunpz_add(z, "plain", &w->in[0]));
  err = gpunpz_add(z, "turned", &turned);

done:
  end = gpunpz_finish(z, err == GA_NO_ERROR);
  GpuArray_clear(&turned);
  return err != GA_NO_ERROR ? err : end;
}

int run_npz(work *w) {
  char path[WORK_PATH];
  GpuArray back = {0};
  gpunpz *z;

  work_path(path, "torture.npz");
  GA_TRY(open_all(w));
  w->is_old = 1;
  GA_TRY(save_npz(w, path));
  GA_TRY(gpunpz_open(&z, path));
  int err = gpunpz_load(&back, w->ctx, z, "turned");
  gpunpz_close(z);
  GA_TRY(err);
  work_replace(w, 0, &back);
  return work_read(w);
}

/* --- DLPack --- */

/* Out and in again. A tensor that is not taken over stays the caller's. */
static int pass_on(GpuArray *to, gpucontext *ctx, const GpuArray *from,
                   gpudlpack_device where) {
  struct DLManagedTensorVersioned *t;

  GA_TRY(GpuArray_to_dlpack(&t, from, where, GA_COPY_IF_NEEDED, NULL));
  int err = GpuArray_from_dlpack(to, ctx, t, GA_COPY_IF_NEEDED, NULL);
  if (err != GA_NO_ERROR)
    t->deleter(t);
  return err;
}

int run_dlpack(work *w) {
  GpuArray there = {0}, back = {0};
  int err;

  GA_TRY(open_all(w));
  w->is_old = 1;
  GA_CHECK(pass_on(&there, w->ctx, &w->in[0], GPU_DLPACK_OPENCL));
  GA_CHECK(pass_on(&back, w->ctx, &there, GPU_DLPACK_CPU));
  GA_CHECK(GpuArray_move(&w->out[0], &back));
  err = work_read(w);

done:
  GpuArray_clear(&back);
  GpuArray_clear(&there);
  return err;
}

/* --- kernels and functions of the caller --- */

static const char kernels[] =
    "#section kernels\n"
    "#kernel more : *, *, size : GA_USE_SMALL\n"
    "KERNEL void more(GLOBAL_MEM float *x, GLOBAL_MEM float *z, ga_size n) {\n"
    "  if (GID_0 * LDIM_0 + LID_0 < n)\n"
    "    z[GID_0 * LDIM_0 + LID_0] = x[GID_0 * LDIM_0 + LID_0] + MORE;\n"
    "}\n";

static int record_file(work *w) {
  GpuKernelFile *file;
  size_t n = 64;

  GA_TRY(GpuKernelFile_parse(&file, "torture", kernels, sizeof kernels - 1));
  GpuLaunch *l =
      GpuLaunch_open(w->ctx, "more", 2, (GpuArray *[]){&w->in[0], &w->out[0]});
  GpuLaunch_define(l, "#define MORE 3\n");
  GpuLaunch_scall(l, GpuKernelFile_find(file, "more"), 1, &n, 0,
                  (void *[]){&w->in[0], &w->out[0], &n});
  int err = GpuLaunch_close(&w->launch, l);
  GpuKernelFile_free(file);
  return err;
}

int run_kernel_file(work *w) {
  GA_TRY(open_all(w));
  w->is_old = 1;
  if (w->launch == NULL)
    GA_TRY(record_file(w));
  GA_TRY(GpuLaunch_run(w->launch));
  return work_read(w);
}

/* Copies on the context that is locked for it, through memory of its own. */
static int copy_by_host(void *state, gpucontext *ctx, gpudata *const *bufs,
                        const size_t *offs) {
  const size_t bytes = *(const size_t *)state;

  (void)ctx;
  void *between = ga__malloc(bytes);
  if (between == NULL)
    return ga__fail_nomem();
  int err = gpudata_read(between, bufs[0], offs[0], bytes);
  if (err == GA_NO_ERROR)
    err = gpudata_write(bufs[1], offs[1], between, bytes);
  ga__free(between);
  return err;
}

static int record_host(work *w) {
  size_t *bytes = ga__malloc(sizeof *bytes);

  if (bytes == NULL)
    return ga__fail_nomem();
  *bytes = WORK_BYTES;
  GpuLaunch *l =
      GpuLaunch_open(w->ctx, "host", 2, (GpuArray *[]){&w->in[0], &w->out[0]});
  GpuLaunch_host(l, copy_by_host, bytes, ga__free, "host");
  return GpuLaunch_close(&w->launch, l);
}

int run_host(work *w) {
  GA_TRY(open_all(w));
  w->is_old = 1;
  if (w->launch == NULL)
    GA_TRY(record_host(w));
  GA_TRY(GpuLaunch_run(w->launch));
  return work_read(w);
}
