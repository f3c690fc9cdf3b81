/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: one HTML page that needs nothing else. */
#ifndef FASHION_PAGE_H
#define FASHION_PAGE_H

#include <gpugraph/gpugraph.h>
#include <stddef.h>
#include <stdint.h>

#include "dataset.h"

enum { FILTER_SIDE = 3 };

/* What the page shows. */
typedef struct page {
  const char *model, *device; /* "MODEL on DEVICE." */
  gg_func *train;             /* profiled */
  const float *loss;          /* one value a step */
  size_t steps, steps_per_epoch;
  double accuracy; /* of the test images, 0 .. 1 */
  double seconds;  /* all epochs */
  /* Of a convolutional net only: */
  const float *filters; /* of the first layer, [n_filters, 3, 3] */
  size_t n_filters;
  const dataset *tests;
  size_t n_tests;       /* of which so many were tried */
  const int64_t *guess; /* [n_tests], classes */
  const float *sure;    /* [n_tests], the probability of the guess */
} page;

/* Write the page to `path`. Returns 0, or -1 with a sentence in `why`. */
int page_write(const page *p, const char *path, char *why, size_t why_bytes);

#endif
