/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of bench_client as a hand-written OpenCL program: a kernel for each
 * call, its arguments set anew each time, buffers that stay. */
#ifndef BENCH_RAW_CLIENT_H
#define BENCH_RAW_CLIENT_H

typedef struct raw_client raw_client;

/* x is [n, feats], y [n], w [feats]; b starts at 0. Runs on the device that
 * gpudevice_choose names. NULL and a message on stderr when it cannot. */
raw_client *raw_client_new(int n, int feats, const float *x, const float *y,
                           const float *w);
/* Enqueue `steps` steps and wait for them. Returns an OpenCL status. */
int raw_client_run(raw_client *r, int steps);
int raw_client_weights(raw_client *r, float *w);
void raw_client_free(raw_client *r);

#endif
