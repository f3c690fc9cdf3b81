/* SPDX-License-Identifier: BSD-2-Clause */
/* ResNet-50 (He and others, "Deep residual learning for image recognition",
 * 2015), with strides in the convolutions of 3 x 3, as torchvision has it. */
#include <stdio.h>

#include "layers.h"

enum { STAGES = 4, WIDER = 4 };

/* Three convolutions, added to their input or to a convolution of it. */
static gg_var *block(vision *v, const char *name, gg_var *x, size_t width,
                     size_t stride, int changes) {
  char text[64];

  snprintf(text, sizeof text, "%s.reduce", name);
  gg_var *y = gg_relu(vision_conv(v, text, x, width, 1, 1, 1));
  snprintf(text, sizeof text, "%s.middle", name);
  y = gg_relu(vision_conv(v, text, y, width, 3, stride, 1));
  snprintf(text, sizeof text, "%s.expand", name);
  y = vision_conv(v, text, y, width * WIDER, 1, 1, 1);
  if (changes) {
    snprintf(text, sizeof text, "%s.past", name);
    x = vision_conv(v, text, x, width * WIDER, 1, stride, 1);
  }
  return gg_relu(gg_add(y, x));
}

gg_var *vision_resnet50(vision *v, gg_var *x) {
  static const size_t blocks[STAGES] = {3, 4, 6, 3};
  const GpuPooling pool = {.nd = 2,
                           .size = {3, 3},
                           .stride = {2, 2},
                           .dilation = {1, 1},
                           .before = {1, 1},
                           .after = {1, 1}};
  char name[48];

  x = gg_relu(vision_conv(v, "stem", x, 64, 7, 2, 1));
  x = gg_pool_max(x, &pool);
  for (size_t s = 0; s < STAGES; s++)
    for (size_t i = 0; i < blocks[s]; i++) {
      snprintf(name, sizeof name, "stage%zu.block%zu", s, i);
      x = block(v, name, x, (size_t)64 << s, s > 0 && i == 0 ? 2 : 1, i == 0);
    }
  return vision_dense(v, "classes", vision_means(x), VISION_CLASSES);
}
