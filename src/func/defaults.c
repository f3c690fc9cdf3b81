/* SPDX-License-Identifier: BSD-2-Clause */
/* Defaults of arguments. */
#include <gpugraph/args.h>

#include "func/func.h"

static int set_default(gg_func *f, size_t i, const GpuArray *value,
                       int borrow) {
  GpuArray copy = {0};

  if (i >= f->n_given)
    return ga__fail(GA_VALUE_ERROR, "there is no input %zu", i);
  if (f->options.defaults == NULL)
    f->options.defaults =
        ga__calloc(f->n_given + 1, sizeof *f->options.defaults);
  if (f->options.defaults == NULL)
    return ga__fail_nomem();
  if (value != NULL) {
    if (borrow || !gg__is_cast(f, i, value))
      GA_TRY(gg__check_input(f, (unsigned int)i, value));
    GA_TRY(borrow ? GpuArray_view(&copy, value)
                  : gg__copy_input(f, i, value, &copy));
  }
  GpuArray_clear(&f->options.defaults[i]);
  f->options.defaults[i] = copy;
  return GA_NO_ERROR;
}

static int set_locked(gg_func *f, size_t i, const GpuArray *value, int borrow) {
  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  pthread_mutex_lock(&f->locks.own);
  int err = set_default(f, i, value, borrow);
  pthread_mutex_unlock(&f->locks.own);
  return err == GA_NO_ERROR ? err : gg__func_failed(f, err);
}

int gg_func_set_default(gg_func *f, size_t i, const GpuArray *value) {
  return set_locked(f, i, value, 0);
}

int gg_func_borrow_default(gg_func *f, size_t i, const GpuArray *value) {
  return set_locked(f, i, value, 1);
}

GpuArray *const *gg__with_defaults(gg_func *f, GpuArray *const *in) {
  for (size_t i = 0; i < f->n_given; i++) {
    f->call.given[i] = in != NULL ? in[i] : NULL;
    if (f->call.given[i] == NULL && f->options.defaults[i].data != NULL)
      f->call.given[i] = &f->options.defaults[i];
  }
  return f->call.given;
}

void gg__defaults_clear(gg_func *f) {
  for (size_t i = 0; f->options.defaults != NULL && i < f->n_given; i++)
    GpuArray_clear(&f->options.defaults[i]);
  ga__free(f->options.defaults);
}
