/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of the runtime's edges: opening and closing, fills in blocks,
 * foreign objects, source that does not compile. */
#include <gpuarray/extension.h>
#include <string.h>

#include "ocl/objects.h"
#include "torture/scenario.h"

static const size_t square[2] = {8, 8};

/* From opening to closing, all of it with the failure. */
int run_life(work *w) {
  work life;
  int err;

  memset(&life, 0, sizeof life);
  err = run_elemwise(&life);
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
 * through one are seen through the other. */
int run_wrapped(work *w) {
  gpucontext *(*make_ctx)(cl_context, gpucontext_props *);
  gpudata *(*make_buf)(gpucontext *, cl_mem);
  gpudata *a = NULL, *b = NULL;
  unsigned char fresh[WORK_BYTES];
  int err, shares;

  *(void **)&make_ctx = gpuarray_get_extension("cl_make_ctx");
  *(void **)&make_buf = gpuarray_get_extension("cl_make_buf");
  memset(fresh, 0x11, sizeof fresh);
  GA_TRY(work_open(w));
  if (w->other == NULL)
    w->other = make_ctx(w->ctx->cl, NULL);
  if (w->other == NULL)
    return work_last_code();
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(gpudata_sync(w->out[0].data));
  w->is_old = 1;
  a = make_buf(w->other, w->out[0].data->mem);
  b = a != NULL ? make_buf(w->other, w->out[0].data->mem) : NULL;
  if (b == NULL) {
    err = work_last_code();
    goto done;
  }
  shares = gpudata_share(a, b, &err);
  if (shares < 0)
    goto done;
  GA_CHECK(gpudata_write(a, 0, fresh, sizeof fresh));
  GA_CHECK(gpudata_sync(b));
  err = work_read(w);

done:
  gpudata_release(a);
  gpudata_release(b);
  return err;
}

/* Source that no compiler takes: the work is to be told so. */
int run_refused(work *w) {
  const char *text = "#include \"cluda.h\"\nKERNEL void bad(void) { no; }\n";
  GpuKernel k = {0};
  int err;

  GA_TRY(work_open(w));
  err = GpuKernel_init(&k, w->ctx, 1, &text, NULL, "bad", 0, NULL, 0, NULL);
  if (err == GA_NO_ERROR) {
    GpuKernel_clear(&k);
    return ga__fail(GA_MISC_ERROR, "it compiled");
  }
  if (err == GA_IMPL_ERROR &&
      strstr(gpucontext_error(w->ctx, err), "CL_BUILD_PROGRAM_FAILURE") != NULL)
    return GA_NO_ERROR;
  return err;
}
