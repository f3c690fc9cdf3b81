/* SPDX-License-Identifier: BSD-2-Clause */
/* A progress bar on a terminal, a line per epoch elsewhere. */
#ifndef FASHION_PROGRESS_H
#define FASHION_PROGRESS_H

typedef struct progress {
  int terminal; /* redraw one line */
  int color;    /* off where NO_COLOR is set */
  int epochs;
} progress;

void progress_start(progress *p, int epochs);
/* Redraw the bar; nothing when the output is not a terminal. */
void progress_step(const progress *p, int epoch, int step, int steps);
/* The line of a finished epoch. `accuracy` in 0 .. 1. */
void progress_epoch(const progress *p, int epoch, double loss, double accuracy,
                    double seconds);

#endif
