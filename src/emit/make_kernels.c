/* SPDX-License-Identifier: BSD-2-Clause */
/* Making and caching the kernels of a program. */
#include "emit/program_kernels.h"

#include "emit/emit.h"

/* --- kinds of steps that write source --- */

static void free_map(gg__kernel k) {
  GpuElemwise_free(k.map);
}

static void free_reduction(gg__kernel k) {
  GpuReduction_free(k.reduction);
}

static void free_rows(gg__kernel k) {
  GpuRows_free(k.rows);
}

static void free_epilogue(gg__kernel k) {
  gg__epilogue_free(k.epilogue);
}

static const struct {
  int (*emit)(gg__kernels *k, const gg__step *s, gg__kernel *out);
  void (*free)(gg__kernel k);
} kinds[GG_N_STEP_KINDS] = {
    [GG_STEP_MAP] = {gg__emit_map, free_map},
    [GG_STEP_REDUCE] = {gg__emit_reduction, free_reduction},
    [GG_STEP_ROWS] = {gg__emit_rows, free_rows},
    [GG_STEP_KERNEL] = {gg__emit_epilogue, free_epilogue},
};

int gg__kernel_get(gg__kernels *k, unsigned int step, gg__kernel *out) {
  const gg__step *s = k->p->steps.v[step];

  if (!k->is_made[step] && kinds[s->kind].emit != NULL) {
    GA_TRY(kinds[s->kind].emit(k, s, &k->of[step]));
    k->is_made[step] = 1;
  }
  *out = k->of[step];
  return GA_NO_ERROR;
}

/* --- copies --- */

int gg__copier_get(gg__kernels *k, unsigned int context, int dtype,
                   GpuElemwise **out) {
  gpuelemwise_arg args[2] = {{"i", dtype, GE_READ}, {"o", dtype, GE_WRITE}};
  gg__copier c = {context, dtype, NULL};

  for (size_t i = 0; i < k->copiers.n; i++)
    if (k->copiers.v[i].context == context && k->copiers.v[i].dtype == dtype) {
      *out = k->copiers.v[i].ge;
      return GA_NO_ERROR;
    }
  c.ge = GpuElemwise_new(k->p->contexts.v[context].ctx, NULL, "o = i;", 2, args,
                         1, GE_VECTOR);
  if (c.ge == NULL)
    return gpuarray_error_code();
  int err = ga__vec_push(&k->copiers, c);
  if (err != GA_NO_ERROR)
    GpuElemwise_free(c.ge);
  *out = c.ge;
  return err;
}

/* --- all of them --- */

int gg__kernels_init(gg__kernels *k, gg__program *p) {
  k->p = p;
  k->of = ga__arena_alloc(&p->arena, p->steps.n * sizeof *k->of);
  k->is_made = ga__arena_alloc(&p->arena, p->steps.n);
  k->local = ga__arena_alloc(&p->arena, p->values.n * sizeof *k->local);
  return k->of != NULL && k->is_made != NULL && k->local != NULL
             ? GA_NO_ERROR
             : ga__fail_nomem();
}

void gg__kernels_clear(gg__kernels *k) {
  for (size_t i = 0; k->is_made != NULL && i < k->p->steps.n; i++)
    if (k->is_made[i])
      kinds[k->p->steps.v[i]->kind].free(k->of[i]);
  for (size_t i = 0; i < k->copiers.n; i++)
    GpuElemwise_free(k->copiers.v[i].ge);
  ga__vec_clear(&k->copiers);
}
