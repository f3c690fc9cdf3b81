/* SPDX-License-Identifier: BSD-2-Clause */
/** \file metrics.h
 *  Measures of how good a model is.
 */
#ifndef GPUGRAPH_METRICS_H
#define GPUGRAPH_METRICS_H

#include <gpugraph/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The confusion matrix of a classifier: how often each class (a row) was taken
 *  for each, int64 [classes, classes]. `labels` and `predicted` are integers of
 *  one rank; pairs of which one is not in 0, 1, ... classes - 1, such as labels
 *  that are ignored, do not count. Sums over batches give that of all rows. */
GG_PUBLIC gg_var *gg_confusion(gg_var *labels, gg_var *predicted,
                               size_t classes);

#ifdef __cplusplus
}
#endif

#endif
