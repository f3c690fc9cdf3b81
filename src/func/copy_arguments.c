/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of arguments that a call must not overwrite or has to convert. */
#include <string.h>

#include "func/func.h"

static const GpuArray *value_of(const gg_func *f, size_t shared) {
  return &f->unit.program.shared.v[shared].storage->value;
}

static int is_lent_out(const gg_func *f, size_t shared) {
  return f->unit.program.shared.v[shared].storage->lent;
}

/* Does `a` share memory with a shared variable, with `updated` with one that
 * the function updates? */
static int is_shared(const gg_func *f, const GpuArray *a, int updated) {
  for (size_t k = 0; k < f->unit.program.shared.n; k++)
    if (is_lent_out(f, k) &&
        (!updated || f->unit.program.shared.v[k].result != GG_NONE) &&
        GpuArray_share(a, value_of(f, k)))
      return 1;
  return 0;
}

static int is_other(const gg_func *f, GpuArray *const *in, size_t i) {
  for (size_t k = 0; k < f->n_given; k++)
    if (k != i && in[k] != NULL && GpuArray_share(in[i], in[k]))
      return 1;
  return 0;
}

/* Does a call need a copy of argument i, which its kernels might overwrite? */
static int needs_copy(const gg_func *f, GpuArray *const *in, size_t i) {
  const GpuArray *a = in[i];

  if (a == NULL || a->data == NULL)
    return 0; /* gg__check_arguments refuses it */
  if (f->unit.overwrites == NULL || !f->unit.overwrites[i])
    return is_shared(f, a, 1);
  return (f->options.defaults != NULL && a == &f->options.defaults[i]) ||
         !GpuArray_CHKFLAGS(a, GA_WRITEABLE) || is_shared(f, a, 0) ||
         is_other(f, in, i);
}

static int copy_argument(gg_func *f, GpuArray *const **in, size_t i) {
  if (*in != f->call.given) {
    memcpy(f->call.given, *in, f->n_given * sizeof *f->call.given);
    *in = f->call.given;
  }
  f->call.has_copies = 1;
  GA_TRY(gg__copy_input(f, i, f->call.given[i], &f->call.copies[i]));
  f->call.given[i] = &f->call.copies[i];
  return GA_NO_ERROR;
}

int gg__copy_arguments(gg_func *f, GpuArray *const **in) {
  int any = f->unit.overwrites != NULL;

  for (size_t k = 0; k < f->unit.program.shared.n; k++)
    any = any || is_lent_out(f, k);
  for (size_t k = 0; *in != NULL && k < f->n_given; k++)
    if (gg__is_cast(f, k, (*in)[k]) || (any && needs_copy(f, *in, k)))
      GA_TRY(copy_argument(f, in, k));
  return GA_NO_ERROR;
}

void gg__drop_copies(gg_func *f) {
  for (size_t k = 0; f->call.has_copies && k < f->n_given; k++)
    GpuArray_clear(&f->call.copies[k]);
  f->call.has_copies = 0;
}
