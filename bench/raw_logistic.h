/* SPDX-License-Identifier: BSD-2-Clause */
/* The training step of logistic regression as hand-written OpenCL programs, the
 * references of bench_logistic and bench_client. */
#ifndef BENCH_RAW_LOGISTIC_H
#define BENCH_RAW_LOGISTIC_H

typedef struct raw_logistic raw_logistic;

typedef enum raw_way {
  RAW_FUSED, /* four kernels, whose arguments are set once */
  RAW_CALLS  /* a kernel for each of nine calls, arguments set each time */
} raw_way;

/* x is [n, feats], y [n], w [feats]; b starts at 0. Runs on the device that
 * gpudevice_choose names. NULL and a message on stderr when it cannot. */
raw_logistic *raw_logistic_new(raw_way way, int n, int feats, const float *x,
                               const float *y, const float *w);
/* Enqueue `steps` steps and wait for them. Returns an OpenCL status. */
int raw_logistic_run(raw_logistic *r, int steps);
int raw_logistic_weights(raw_logistic *r, float *w);
void raw_logistic_free(raw_logistic *r);

#endif
