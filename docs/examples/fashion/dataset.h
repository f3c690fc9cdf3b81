/* SPDX-License-Identifier: BSD-2-Clause */
/* One part of Fashion-MNIST: images of 28 x 28 bytes, and what they show. */
#ifndef FASHION_DATASET_H
#define FASHION_DATASET_H

#include <gpugraph/gpugraph.h>

#include "idx.h"

enum { IMAGE_SIDE = 28, PIXELS = IMAGE_SIDE * IMAGE_SIDE, CLASSES = 10 };

extern const char *const dataset_names[CLASSES];

typedef struct dataset {
  idx images, labels; /* [n, 28, 28] and [n], which are below CLASSES */
} dataset;

/* Read the files of `part`, "train" or "t10k", in a folder. Returns 0, or -1
 * with a sentence in `why`; *out is to be cleared in either case. */
int dataset_read(dataset *out, const char *folder, const char *part, char *why,
                 size_t why_bytes);
void dataset_clear(dataset *d);
/* A shared variable of images, as [n, PIXELS], or of labels; bytes. */
gg_var *dataset_share(gg_graph *g, const char *name, const idx *a);

#endif
