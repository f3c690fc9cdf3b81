/* SPDX-License-Identifier: BSD-2-Clause */
/* One part of Fashion-MNIST. */
#include "dataset.h"

#include <stdio.h>
#include <string.h>

const char *const dataset_names[CLASSES] = {
    "T-shirt", "trousers", "pullover", "dress", "coat",
    "sandal",  "shirt",    "sneaker",  "bag",   "ankle boot"};

static int fits(const dataset *d) {
  return d->images.dims[0] == d->labels.n &&
         d->images.dims[1] * d->images.dims[2] == PIXELS;
}

int dataset_read(dataset *out, const char *folder, const char *part, char *why,
                 size_t why_bytes) {
  char path[1024];

  memset(out, 0, sizeof *out);
  snprintf(path, sizeof path, "%s/%s-images-idx3-ubyte.gz", folder, part);
  if (idx_read(&out->images, path, 3, why, why_bytes) != 0)
    return -1;
  snprintf(path, sizeof path, "%s/%s-labels-idx1-ubyte.gz", folder, part);
  if (idx_read(&out->labels, path, 1, why, why_bytes) != 0)
    return -1;
  if (!fits(out)) {
    snprintf(why, why_bytes, "%s: images and labels do not belong together",
             path);
    return -1;
  }
  for (size_t i = 0; i < out->labels.n; i++)
    if (out->labels.data[i] >= CLASSES) {
      snprintf(why, why_bytes, "%s: a label is not below %d", path, CLASSES);
      return -1;
    }
  return 0;
}

void dataset_clear(dataset *d) {
  idx_clear(&d->images);
  idx_clear(&d->labels);
}

gg_var *dataset_share(gg_graph *g, const char *name, const idx *a) {
  const size_t dims[2] = {a->dims[0], PIXELS};

  return gg_shared_host(g, name, GA_UBYTE, a->nd == 1 ? 1 : 2, dims, a->data);
}
