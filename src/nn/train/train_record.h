/* SPDX-License-Identifier: BSD-2-Clause */
/* What a training leaves in its folder: curves.csv, curves.json, report.html,
 * with a row for each epoch. */
#ifndef NN_TRAIN_TRAIN_RECORD_H
#define NN_TRAIN_TRAIN_RECORD_H

#include <gpugraph/train.h>

#include "base/vec.h"
#include "nn/scalars.h"

enum { GG_RECORD_FIXED = 7 }; /* columns at most that are no metrics */

typedef struct gg__record {
  const gg_training *t; /* NULL: nothing is recorded */
  size_t count;         /* batches of an epoch */
  gg__scalars *metrics; /* t->metrics of them */
  const char **names;   /* of columns */
  size_t columns;
  GA_VEC(double) rows;     /* whole ones */
  size_t first, steps;     /* batch that the epoch began with; of this call */
  uint64_t begin, written; /* when: the epoch, and the last page */
  double waited;           /* before the epoch */
  int is_measuring, has_timeline, has_step;
} gg__record;

/* Begin, after `epochs` whole epochs; their rows are read from the folder if
 * they are there. Does nothing without t->report. */
int gg__record_start(gg__record *r, const gg_training *t, size_t count,
                     size_t epochs);
/* End; without an error the page shows all. Returns `err`, or a new error. */
int gg__record_end(gg__record *r, int err);
/* An epoch begins, at batch `index`. */
void gg__record_epoch(gg__record *r, size_t index);
/* Before a call of the step: where it writes metrics, behind the loss. */
void gg__record_outputs(gg__record *r, GpuArray **out, size_t index);
/* After it. */
int gg__record_step(gg__record *r, size_t index);
/* The row of a whole epoch; `value` may be NULL. */
int gg__record_line(gg__record *r, size_t epoch, double loss,
                    const double *value);

#endif
