/* SPDX-License-Identifier: BSD-2-Clause */
/* A Kalman filter: position and speed of something that moves evenly, from
 * positions that are measured with noise. A loop goes through the measurements;
 * its states are the estimate and its covariance. */
#include "op_example.h"

enum { STEPS = 50 };

/* The model: x <- F x with covariance Q, measured as H x with covariance R. */
typedef struct model {
  gg_var *f, *q, *h, *r;
} model;

static gg_var *turned(gg_var *x) {
  return gg_transpose(x);
}

/* Estimates after each measurement in z [steps, measured]. */
static gg_var *filter(const model *m, gg_var *z, gg_var *x0, gg_var *p0) {
  gg_scan *s = gg_scan_open(gg_var_graph(z));
  gg_var *now = gg_scan_sequence(s, z, 0);
  gg_var *x = gg_scan_state(s, x0), *p = gg_scan_state(s, p0);
  /* predict */
  gg_var *ahead = gg_dot(m->f, x);
  gg_var *spread =
      gg_add(gg_multi_dot(3, (gg_var *[]){m->f, p, turned(m->f)}), m->q);
  /* the gain K = P H^T S^-1, from S K^T = H P, where S = H P H^T + R */
  gg_var *hp = gg_dot(m->h, spread);
  gg_var *sum = gg_add(gg_dot(hp, turned(m->h)), m->r);
  gg_var *gain = turned(gg_solve(sum, hp, GA_FACTOR_POSITIVE));
  /* correct */
  gg_var *surprise = gg_sub(now, gg_dot(m->h, ahead));

  gg_scan_next(s, x, gg_add(ahead, gg_dot(gain, surprise)));
  gg_scan_next(s, p, gg_sub(spread, gg_dot(gain, hp)));
  gg_scan_close(s);
  gg_var *all = gg_scan_all(s, x);
  gg_scan_free(s);
  return all;
}

/* A position that grows by 0.5 in each step, measured with an error of about
 * 1. */
static float measured(int i) {
  return 0.5f * (float)i + 1.4f * sinf(1.7f * (float)i * (float)i);
}

int main(void) {
  gg_graph *g = example_open();
  const model m = {example_shared(g, 2, 2, (float[]){1, 1, 0, 1}),
                   example_shared(g, 2, 2, (float[]){1e-4f, 0, 0, 1e-4f}),
                   example_shared(g, 1, 2, (float[]){1, 0}),
                   example_shared(g, 1, 1, (float[]){1})};
  float z[STEPS], got[STEPS][2], raw = 0, error = 0;

  for (int i = 0; i < STEPS; i++)
    z[i] = measured(i);
  example_read(filter(&m, example_shared(g, STEPS, 1, z),
                      example_shared(g, 0, 2, (float[]){0, 0}),
                      example_shared(g, 2, 2, (float[]){9, 0, 0, 9})),
               got, sizeof got);
  for (int i = STEPS / 2; i < STEPS; i++) {
    raw = fmaxf(raw, fabsf(z[i] - 0.5f * (float)i));
    error = fmaxf(error, fabsf(got[i][0] - 0.5f * (float)i));
  }
  printf("speed %g; errors up to %g, of measurements %g\n",
         (double)got[STEPS - 1][1], (double)error, (double)raw);
  if (!(error < 0.5f * raw && fabsf(got[STEPS - 1][1] - 0.5f) < 0.1f))
    example_fail("wrong estimates", "see above");
  return example_close(g);
}
