/* SPDX-License-Identifier: BSD-2-Clause */
/* A hand-written OpenCL program for the training step of logistic regression:
 * four kernels, arguments set once, nothing but enqueues in the loop. It is
 * the reference of bench_logistic. */
#ifndef BENCH_RAW_LOGISTIC_H
#define BENCH_RAW_LOGISTIC_H

typedef struct raw_logistic raw_logistic;

/* x is [n, feats], y [n], w [feats]; b starts at 0. Runs on the device that
 * gpudevice_choose names. NULL and a message on stderr when it cannot. */
raw_logistic *raw_logistic_new(int n, int feats, const float *x, const float *y,
                               const float *w);
/* Enqueue `steps` steps and wait for them. Returns an OpenCL status. */
int raw_logistic_run(raw_logistic *r, int steps);
int raw_logistic_weights(raw_logistic *r, float *w);
void raw_logistic_free(raw_logistic *r);

#endif
