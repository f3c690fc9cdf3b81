/* SPDX-License-Identifier: BSD-2-Clause */
/* What a training shows: a line for each epoch, and on a terminal one that
 * moves. */
#ifndef NN_TRAIN_PROGRESS_H
#define NN_TRAIN_PROGRESS_H

#include <gpugraph/train.h>

typedef struct gg__progress {
  FILE *f; /* NULL: nothing is shown */
  int is_terminal, is_drawn;
  size_t epochs, count, rows; /* epochs, batches and rows of an epoch */
  gg_batches *batches;
  size_t first;         /* batch that this call began the epoch with */
  uint64_t begin, last; /* of the epoch, and when the line was drawn */
  double waited;        /* before the epoch */
} gg__progress;

void gg__progress_start(gg__progress *p, const gg_training *t, size_t count);
/* An epoch begins, at batch `index`. */
void gg__progress_epoch(gg__progress *p, size_t index);
/* Draw the line that moves before the first step, which may compile kernels for
 * seconds. */
void gg__progress_first(gg__progress *p, size_t epoch, size_t index);
/* Nonzero if a terminal wants to see a step. */
int gg__progress_is_due(gg__progress *p);
/* Draw the line that moves, after `index` batches of epoch `epoch`. */
void gg__progress_move(gg__progress *p, size_t epoch, size_t index,
                       double loss);
/* The line of a whole epoch; `value` may be NULL. */
void gg__progress_line(gg__progress *p, size_t epoch, double loss,
                       const double *value);
/* Leave the line that moves. */
void gg__progress_end(gg__progress *p);

#endif
