/* SPDX-License-Identifier: BSD-2-Clause */
/* MobileNet v3 large (Howard and others, "Searching for MobileNetV3", 2019). */
#include <stdio.h>

#include "layers.h"

/* One row of the article's table 1: the size of filters, channels within and
 * behind the block, whether channels are weighted, whether activations are
 * hard swish, the stride. */
typedef struct row {
  size_t k, within, behind;
  int weighs, swishes;
  size_t stride;
} row;

static const row rows[] = {
    {3, 16, 16, 0, 0, 1},   {3, 64, 24, 0, 0, 2},   {3, 72, 24, 0, 0, 1},
    {5, 72, 40, 1, 0, 2},   {5, 120, 40, 1, 0, 1},  {5, 120, 40, 1, 0, 1},
    {3, 240, 80, 0, 1, 2},  {3, 200, 80, 0, 1, 1},  {3, 184, 80, 0, 1, 1},
    {3, 184, 80, 0, 1, 1},  {3, 480, 112, 1, 1, 1}, {3, 672, 112, 1, 1, 1},
    {5, 672, 160, 1, 1, 2}, {5, 960, 160, 1, 1, 1}, {5, 960, 160, 1, 1, 1}};

static size_t channels(const gg_var *x) {
  return x != NULL ? (size_t)gg_var_type(x)->dims[1] : 0;
}

/* n / 4, rounded to a multiple of 8 that is not less than 0.9 of it. */
static size_t quarter(size_t n) {
  const size_t near = (n / 4 + 4) / 8 * 8;

  return near * 40 < n * 9 ? near + 8 : near;
}

static gg_var *activate(gg_var *x, int swishes) {
  return swishes ? gg_hard_swish(x) : gg_relu(x);
}

/* Weights of the channels, from their means. */
static gg_var *weigh(vision *v, const char *name, gg_var *x) {
  char text[64];

  snprintf(text, sizeof text, "%s.squeeze", name);
  gg_var *w = vision_mix(v, text, vision_mean(x), quarter(channels(x)));
  snprintf(text, sizeof text, "%s.excite", name);
  w = vision_mix(v, text, gg_relu(w), channels(x));
  return gg_mul(x, gg_hard_sigmoid(w));
}

static gg_var *block(vision *v, const char *name, gg_var *x, const row *r) {
  const int has_past = r->stride == 1 && channels(x) == r->behind;
  gg_var *y = x;
  char text[64];

  if (channels(x) != r->within) {
    snprintf(text, sizeof text, "%s.expand", name);
    y = activate(vision_conv(v, text, y, r->within, 1, 1, 1), r->swishes);
  }
  snprintf(text, sizeof text, "%s.middle", name);
  y = vision_conv(v, text, y, r->within, r->k, r->stride, r->within);
  y = activate(y, r->swishes);
  if (r->weighs)
    y = weigh(v, name, y);
  snprintf(text, sizeof text, "%s.reduce", name);
  y = vision_conv(v, text, y, r->behind, 1, 1, 1);
  return has_past ? gg_add(y, x) : y;
}

gg_var *vision_mobilenet(vision *v, gg_var *x) {
  char name[32];

  x = gg_hard_swish(vision_conv(v, "stem", x, 16, 3, 2, 1));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    snprintf(name, sizeof name, "block%zu", i);
    x = block(v, name, x, &rows[i]);
  }
  x = gg_hard_swish(vision_conv(v, "last", x, 960, 1, 1, 1));
  x = vision_dense(v, "hidden", vision_means(x), 1280);
  return vision_dense(v, "classes", gg_hard_swish(x), VISION_CLASSES);
}
