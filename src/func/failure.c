/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of failed calls. */
#include "func/func.h"

/* This thread's last failed call. */
static _Thread_local struct {
  uint64_t serial; /* of the function */
  int code;
} last;

int gg__func_failed(const gg_func *f, int err) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_appendf(&b, "%s: %s", f->options.name, ga__err_text(err));
  if (b.err == GA_NO_ERROR)
    ga__fail_text(err, ga__strb_text(&b));
  ga__strb_clear(&b);
  last.serial = f->serial;
  last.code = err;
  return err;
}

const char *gg_func_error(const gg_func *f) {
  return f != NULL && last.serial == f->serial ? ga__err_text(last.code) : "";
}
