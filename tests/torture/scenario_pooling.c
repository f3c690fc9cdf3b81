/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenario of pooling and resizing. */
#include <gpuarray/pooling.h>

#include "base/err.h"
#include "torture/scenario.h"

static int prepare_max(work *w) {
  const GpuPooling p = {.nd = 1, .size = {2}, .stride = {2}, .dilation = {1}};
  const gpuelemwise_arg x = {"x", GA_FLOAT, GE_READ},
                        y = {"y", GA_FLOAT, GE_WRITE};
  const GpuEpilogue front = {
      .text = "v = x * x", .n_args = 1, .args = &x, .flags = GE_VECTOR};
  const GpuEpilogue behind = {.text = "y = acc + 1",
                              .n_args = 1,
                              .args = &y,
                              .flags = GE_VECTOR,
                              .front = &front};
  GpuBand b = {0};
  int err;

  GA_CHECK(GpuBand_pool(&b, &p, 0, 8, 0));
  GA_CHECK(GpuPooling_epilogue_prepare(&w->launch, GA_POOLING_MAX, 1, &b,
                                       &w->in[0], NULL, &behind,
                                       (void *[]){&w->out[0], &w->in[0]}));

done:
  GpuBand_clear(&b);
  return err;
}

/* Maxima with maps, prepared, and the gradient of a call that interpolates. */
int run_pooling(work *w) {
  static const size_t square[2] = {8, 8}, half[2] = {8, 4};
  const GpuResize r = {.mode = GA_RESIZE_LINEAR};
  GpuBand b = {0}, turned = {0};
  int err;

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, half));
  GA_TRY(work_result(w, 1, GA_FLOAT, 2, half));
  if (w->launch == NULL)
    GA_TRY(prepare_max(w));
  w->is_old = 1;
  GA_CHECK(GpuBand_resize(&b, &r, 4, 8));
  GA_CHECK(GpuBand_transpose(&turned, &b));
  GA_CHECK(
      GpuPooling_call(GA_POOLING_SUM, 1, &turned, &w->in[0], NULL, &w->out[1]));
  GA_CHECK(GpuLaunch_run(w->launch));
  err = work_read(w);

done:
  GpuBand_clear(&b);
  GpuBand_clear(&turned);
  return err;
}
