/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/shared_text.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

struct ga__shared_text {
  atomic_uint owners;
  char text[];
};

int ga__shared_text_take(ga__shared_text **out, ga__strb *b) {
  int err = b->err;

  *out = NULL;
  if (err == GA_NO_ERROR) {
    *out = ga__calloc(1, sizeof **out + b->n + 1);
    err = *out != NULL ? GA_NO_ERROR : ga__fail_nomem();
  }
  if (err == GA_NO_ERROR) {
    atomic_init(&(*out)->owners, 1);
    memcpy((*out)->text, ga__strb_text(b), b->n);
  }
  ga__strb_clear(b);
  return err;
}

ga__shared_text *ga__shared_text_retain(ga__shared_text *t) {
  atomic_fetch_add(&t->owners, 1);
  return t;
}

void ga__shared_text_release(ga__shared_text *t) {
  if (t != NULL && atomic_fetch_sub(&t->owners, 1) == 1)
    ga__free(t);
}

const char *ga__shared_text_of(const ga__shared_text *t) {
  return t != NULL ? t->text : NULL;
}
