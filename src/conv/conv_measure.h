/* SPDX-License-Identifier: BSD-2-Clause */
/* The fastest algorithm for a convolution, measured once for each geometry and
 * device and kept in the cache on disk. */
#ifndef CONV_CONV_MEASURE_H
#define CONV_CONV_MEASURE_H

#include "conv/conv_product.h"

/* What is asked for. All members are borrowed. */
typedef struct ga__conv_request {
  const GpuConv *g;
  ga_conv_part part;
  GpuArray *const *given; /* [3], checked */
  int is_written;         /* else the result has only sizes */
  /* Makes a launch without an epilogue, by a provider. */
  int (*make)(GpuLaunch **out, const GpuConv *g, ga_conv_part part,
              GpuArray *const given[3], const ga__provider *by);
} ga__conv_request;

/* For `make`: the model's choice, which is not measured. */
extern const ga__provider *const ga__conv_as_model;

/* The provider for ga__conv_add, NULL for the model's choice. That is the
 * answer, too, unless the environment asks for measurements, and after a
 * failure. The first call for a geometry blocks: it runs each algorithm on
 * arrays of its own. */
const ga__provider *ga__conv_measured(const ga__conv *c,
                                      const ga__conv_request *q);

#endif
