/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that want some of the outputs. A copy of the function that has only
 * these outputs runs the call. */
#include <string.h>

#include "func/func.h"

enum { MAX_PARTS = 16 }; /* kept by a function */

struct gg__part {
  unsigned int *outputs; /* owned */
  unsigned int n;
  gg_func *f; /* owned; NULL: the slot is free */
};

static void part_clear(gg__part *x) {
  ga__free(x->outputs);
  gg_func_free(x->f);
  memset(x, 0, sizeof *x);
}

void gg__parts_clear(gg_func *f) {
  for (size_t k = 0; f->parts.v != NULL && k < MAX_PARTS; k++)
    part_clear(&f->parts.v[k]);
  ga__free(f->parts.v);
  f->parts.v = NULL;
}

int gg__wants_all(const gg_func *f, GpuArray *const *out) {
  for (size_t k = 0; out != NULL && k < f->unit.program.n_outputs; k++)
    if (out[k] == NULL)
      return 0;
  return 1;
}

static int make_part(gg_func *f, gg__part *x, const unsigned int *outputs,
                     unsigned int n) {
  const gg_copy_spec spec = {.outputs = outputs, .n_outputs = n};

  part_clear(x);
  x->outputs = ga__memdup(outputs, (n + (size_t)1) * sizeof *outputs);
  if (x->outputs == NULL)
    return ga__fail_nomem();
  x->n = n;
  GA_TRY(gg__func_copy(&x->f, f, &spec));
  gg__monitor_copy(x->f, f);
  return GA_NO_ERROR;
}

/* Find or make the copy with these outputs. A new one replaces the oldest. */
static int find_part(gg_func *f, const unsigned int *outputs, unsigned int n,
                     gg_func **part) {
  if (f->parts.v == NULL)
    f->parts.v = ga__calloc(MAX_PARTS, sizeof *f->parts.v);
  if (f->parts.v == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < MAX_PARTS; k++) {
    gg__part *x = &f->parts.v[k];
    if (x->f != NULL && x->n == n &&
        memcmp(x->outputs, outputs, n * sizeof *outputs) == 0) {
      *part = x->f;
      return GA_NO_ERROR;
    }
  }
  gg__part *x = &f->parts.v[f->parts.next++ % MAX_PARTS];
  GA_TRY(make_part(f, x, outputs, n));
  *part = x->f;
  return GA_NO_ERROR;
}

int gg__run_part(gg_func *f, GpuArray *const *in, GpuArray *const *out) {
  const size_t n = f->unit.program.n_outputs;
  unsigned int *outputs = ga__malloc((n + 1) * sizeof *outputs), wanted = 0;
  GpuArray **some = ga__malloc((n + 1) * sizeof *some);
  gg_func *part = NULL;
  int err;

  if (outputs == NULL || some == NULL)
    GA_CHECK(ga__fail_nomem());
  outputs[n] = 0;
  for (unsigned int k = 0; k < n; k++)
    if (out[k] != NULL) {
      outputs[wanted] = k;
      some[wanted++] = out[k];
    }
  outputs[wanted] = 0;
  GA_CHECK(find_part(f, outputs, wanted, &part));
  GA_CHECK(gg__run(part, in, some));
  f->stats.calls++;
done:
  ga__free(outputs);
  ga__free(some);
  return err;
}
