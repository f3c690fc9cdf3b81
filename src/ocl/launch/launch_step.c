/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of launches: kernels with their arguments. */
#include "ocl/launch/launch_step.h"

#include <stdint.h>

#include "base/alloc.h"
#include "base/err.h"

void ga__step_clear(ga__step *s) {
  if (s->kernel != NULL)
    clReleaseKernel(s->kernel);
  ga__shared_text_release(s->source);
  ga__free(s->key);
  ga__vec_clear(&s->values);
  if (s->drop != NULL)
    s->drop(s->state);
  else
    ga__free(s->state);
}

int ga__step_check(const char *label, size_t most, unsigned int nd,
                   const size_t *gs) {
  for (unsigned int i = 0; i < nd; i++)
    if (gs[i] > most || gs[i] == SIZE_MAX) /* of ga__times */
      return ga__fail(GA_DEVSUP_ERROR,
                      "%s: %zu work-items, the device counts up to %zu", label,
                      gs[i], most);
  return GA_NO_ERROR;
}

void ga__step_shape(ga__step *s, unsigned int nd, const size_t *gs,
                    const size_t *ls) {
  s->nd = nd;
  s->has_ls = ls != NULL;
  s->is_empty = 0;
  for (unsigned int i = 0; i < nd; i++) {
    s->gs[i] = gs[i];
    s->ls[i] = ls != NULL ? ls[i] : 0;
    s->is_empty |= gs[i] == 0;
  }
}

int ga__step_has_key(const ga__step *s, const ga__launch_key *key) {
  return s->key != NULL && s->n_key == key->n &&
         memcmp(s->key, key->v, key->n * sizeof *key->v) == 0;
}

int ga__step_set(ga__step *s, unsigned int index, const ga__arg_value *a,
                 int may_keep) {
  ga__arg_value *now = index < s->values.n ? &s->values.v[index] : NULL;
  const int is_local = a->bytes > GA_ARG_BYTES;

  if (may_keep && ga__step_holds(s, index, a))
    return GA_NO_ERROR;
  if (now != NULL)
    now->bytes = 0;
  GA_TRY(GA_CL(clSetKernelArg(s->kernel, index, is_local ? ~a->bytes : a->bytes,
                              is_local ? NULL : a->v)));
  if (now != NULL)
    *now = *a;
  return GA_NO_ERROR;
}
