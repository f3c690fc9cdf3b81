/* SPDX-License-Identifier: BSD-2-Clause */
/* The report: one HTML page that needs nothing else. */
#ifndef FASHION_PAGE_H
#define FASHION_PAGE_H

#include <gpugraph/gpugraph.h>
#include <stddef.h>

/* What the page shows. */
typedef struct page {
  const char *device;
  gg_func *train;    /* profiled */
  const float *loss; /* one value a step */
  size_t steps, steps_per_epoch;
  double accuracy; /* of the test images, 0 .. 1 */
  double seconds;  /* all epochs */
} page;

/* Write the page to `path`. Returns 0, or -1 with a sentence in `why`. */
int page_write(const page *p, const char *path, char *why, size_t why_bytes);

#endif
