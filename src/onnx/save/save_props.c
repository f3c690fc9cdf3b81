/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of nodes by name, and numbers of the format. */
#include <gpugraph/save.h>
#include <string.h>

#include "base/assert.h"
#include "onnx/format/tensor.h"
#include "onnx/save/saving.h"

/* The field of a property, which the op has. */
static const gg_field *field_of(const gg_apply *a, const char *name) {
  const gg_op_form *form = gg_op_form_of(a->op);

  for (unsigned int i = 0; form != NULL && i < form->n_fields; i++)
    if (strcmp(form->fields[i].name, name) == 0)
      return &form->fields[i];
  GA_ASSERT(0); /* the op has all properties that are asked for */
  return NULL;
}

static int64_t read(const gg_field *f, const char *props, unsigned int i) {
  int64_t v64;
  int v;

  if (f->kind == GG_FIELD_INT64) {
    memcpy(&v64, props + f->at + i * sizeof v64, sizeof v64);
    return v64;
  }
  memcpy(&v, props + f->at + i * sizeof v, sizeof v);
  return f->kind == GG_FIELD_UINT || f->kind == GG_FIELD_AXES
             ? (int64_t)(unsigned int)v
             : v;
}

int64_t gg__prop_at(const gg_apply *a, const char *name, unsigned int i) {
  const gg_field *f = field_of(a, name);

  return f == NULL ? 0 : read(f, a->props, i);
}

int64_t gg__prop(const gg_apply *a, const char *name) {
  return gg__prop_at(a, name, 0);
}

unsigned int gg__prop_count(const gg_apply *a, const char *name) {
  const gg_field *f = field_of(a, name);
  gg_field count;

  if (f == NULL)
    return 0;
  count = *f;
  count.at = f->count_at;
  return (unsigned int)read(&count, a->props, 0);
}

double gg__prop_real(const gg_apply *a, const char *name) {
  const gg_field *f = field_of(a, name);
  double v = 0;

  if (f != NULL)
    memcpy(&v, (const char *)a->props + f->at, sizeof v);
  return v;
}

const char *gg__prop_word(const gg_apply *a, const char *name) {
  const gg_field *f = field_of(a, name);

  return f == NULL ? "" : f->words[read(f, a->props, 0)];
}

int64_t gg__onnx_type_of(int dtype) {
  for (int64_t type = 1; type <= 16; type++)
    if (gg__onnx_dtype(type) == dtype)
      return type;
  return 0;
}
