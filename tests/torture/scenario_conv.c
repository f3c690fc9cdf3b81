/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of convolutions: the three parts of one, prepared and called, and a
 * net with pooling and resizing. */
#include <gpuarray/conv.h>
#include <gpugraph/conv.h>
#include <gpugraph/pooling.h>

#include "base/err.h"
#include "torture/scenario.h"

static const size_t image[4] = {1, 2, 5, 5}, filters[4] = {3, 2, 3, 3},
                    result[4] = {1, 3, 4, 4};
static const GpuConv geometry = {.nd = 2,
                                 .stride = {1, 1},
                                 .dilation = {1, 1},
                                 .before = {1, 1},
                                 .groups = 1};

/* The result by a launch, then the gradient by filters by a call. */
int run_conv(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 4, image));
  GA_TRY(work_input(w, 1, 4, filters));
  GA_TRY(work_result(w, 0, GA_FLOAT, 4, result));
  GA_TRY(work_result(w, 1, GA_FLOAT, 4, filters));
  if (w->launch == NULL)
    GA_TRY(GpuConv_prepare(&w->launch, &geometry, GA_CONV_FORWARD, &w->in[0],
                           &w->in[1], &w->out[0], NULL, NULL));
  w->is_old = 1;
  GA_TRY(GpuLaunch_run(w->launch));
  GA_TRY(GpuConv_call(&geometry, GA_CONV_FILTERS, &w->in[0], &w->out[0],
                      &w->out[1]));
  return work_read(w);
}

/* A convolution with its activation, pooling, resizing, and the gradient. */
static gg_var *build_net(gg_var *x, gg_var *f, gg_var **by_f) {
  const GpuPooling p = {
      .nd = 2, .size = {2, 2}, .stride = {2, 2}, .dilation = {1, 1}};
  const GpuResize how = {.mode = GA_RESIZE_LINEAR, .scale = 2};
  gg_var *y = gg_pool_max(gg_relu(gg_conv(x, f, &geometry)), &p);

  y = gg_resize(y, 2, (GpuResize[]){how, how}, NULL);
  gg_grad(by_f, gg_sum(gg_sqr(y)), 1, &f);
  return y;
}

static int make_net(work *w) {
  gg_var *by_f = NULL;

  if (w->f != NULL)
    return GA_NO_ERROR;
  w->g = gg_graph_new(w->ctx);
  if (w->g == NULL)
    return ga__fail_nomem();
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 4);
  gg_var *f = gg_input(w->g, "f", GA_FLOAT, 4);
  gg_var *y = build_net(x, f, &by_f);
  int err = gg_graph_status(w->g);
  if (err == GA_NO_ERROR)
    err = gg_func_new(&w->f, w->g,
                      &(gg_func_spec){.name = "net",
                                      .inputs = GG_VARS(x, f),
                                      .outputs = GG_VARS(y, by_f)});
  if (err == GA_NO_ERROR)
    return err;
  ga__fail(err, "%s", gg_graph_error(w->g));
  gg_graph_free(w->g);
  w->g = NULL;
  return err;
}

int run_net(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 4, image));
  GA_TRY(work_input(w, 1, 4, filters));
  GA_TRY(work_result(w, 0, GA_FLOAT, 4, result));
  GA_TRY(work_result(w, 1, GA_FLOAT, 4, filters));
  GA_TRY(make_net(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0], &w->in[1]},
                      (GpuArray *[]){&w->out[0], &w->out[1]}));
  return work_read(w);
}
