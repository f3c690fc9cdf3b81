/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches that copy and clear, for ops that write their result in several
 * launches. */
#include <stdio.h>

#include "ops/ops.h"

const char *gg__stem(int dtype) {
  return dtype == GA_BOOL ? "bool" : ga__dtype_cl(dtype);
}

/* The kernel cache makes equal objects cheap. The launch does not need the
 * object once it is prepared. */
static int prepare(GpuLaunch **out, gpucontext *ctx, const char *text,
                   unsigned int n, gpuelemwise_arg *args, GpuArray **arrays) {
  GpuElemwise *ge =
      GpuElemwise_new(ctx, NULL, text, n, args, arrays[0]->nd, GE_VECTOR);

  if (ge == NULL)
    return gpuarray_error_code();
  int err = GpuElemwise_prepare(out, ge, (void **)arrays, 0);
  GpuElemwise_free(ge);
  return err;
}

int gg__prepare_copy(GpuLaunch **out, gpucontext *ctx, GpuArray *dst,
                     GpuArray *src) {
  gpuelemwise_arg args[2] = {{"o", dst->typecode, GE_WRITE},
                             {"i", src->typecode, GE_READ}};
  GpuArray *arrays[2] = {dst, src};

  return prepare(out, ctx, "o = i;", 2, args, arrays);
}

int gg__prepare_zero(GpuLaunch **out, gpucontext *ctx, GpuArray *dst) {
  gpuelemwise_arg args[1] = {{"o", dst->typecode, GE_WRITE}};
  GpuArray *arrays[1] = {dst};
  char text[40];

  if (ga__dtype_is_complex(dst->typecode))
    snprintf(text, sizeof text, "o = %s_make(0, 0);", gg__stem(dst->typecode));
  else
    snprintf(text, sizeof text, "o = (w_%s)(0);", gg__stem(dst->typecode));
  return prepare(out, ctx, text, 1, args, arrays);
}

GpuArray *gg__wanted_output(const gg_prepare *p, unsigned int i, int slot,
                            int *slot_out) {
  if (p->unread & 1u << i)
    return NULL;
  slot_out[i] = slot;
  return p->out[i];
}
