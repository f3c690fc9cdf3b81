/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of ops, field by field. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/form.h"
#include "graph/literal.h"

static size_t element_bytes(const gg_field *f) {
  switch (f->kind) {
  case GG_FIELD_INT64:
    return sizeof(int64_t);
  case GG_FIELD_REAL:
    return sizeof(double);
  default:
    return sizeof(int);
  }
}

static int is_unsigned(const gg_field *f) {
  return f->kind == GG_FIELD_UINT || f->kind == GG_FIELD_AXES;
}

/* An integer of 4 or 8 bytes at `p`. */
static int64_t load(const void *p, size_t bytes, int no_sign) {
  int64_t x;
  uint32_t u;

  if (bytes == sizeof x) {
    memcpy(&x, p, sizeof x);
    return x;
  }
  memcpy(&u, p, sizeof u);
  return no_sign ? (int64_t)u : (int64_t)(int32_t)u;
}

static int store(void *p, size_t bytes, int no_sign, int64_t v) {
  const uint32_t u = (uint32_t)v; /* the same bits, signed or not */

  if (bytes != sizeof v && load(&u, sizeof u, no_sign) != v)
    return 0;
  memcpy(p, bytes == sizeof v ? (const void *)&v : &u, bytes);
  return 1;
}

int64_t gg__field_get(const gg_field *f, const void *props, unsigned int i) {
  const size_t bytes = element_bytes(f);

  return load((const char *)props + f->at + i * bytes, bytes, is_unsigned(f));
}

int gg__field_set(const gg_field *f, void *props, unsigned int i, int64_t v) {
  const size_t bytes = element_bytes(f);

  return store((char *)props + f->at + i * bytes, bytes, is_unsigned(f), v);
}

unsigned int gg__field_count(const gg_field *f, const void *props) {
  const int64_t n =
      load((const char *)props + f->count_at, element_bytes(f), 0);

  return n < 0 ? 0 : n > f->most ? f->most : (unsigned int)n;
}

void gg__field_set_count(const gg_field *f, void *props, unsigned int n) {
  store((char *)props + f->count_at, element_bytes(f), 0, n);
}

void gg__props_clear(const gg_op_form *form, void *props) {
  if (form->op->props_bytes != 0)
    memset(props, 0, form->op->props_bytes);
  for (unsigned int k = 0; k < form->n_fields; k++) {
    const gg_field *f = &form->fields[k];
    double real = (double)f->otherwise;
    if (f->kind == GG_FIELD_REAL)
      memcpy((char *)props + f->at, &real, sizeof real);
    else if (f->kind != GG_FIELD_TEXT)
      for (unsigned int i = 0; i < (f->most != 0 ? f->most : 1); i++)
        gg__field_set(f, props, i, f->otherwise);
  }
}

/* --- as text --- */

static int is_otherwise(const gg_field *f, const void *props) {
  const double otherwise = (double)f->otherwise;

  if (!f->optional)
    return 0;
  if (f->kind == GG_FIELD_TEXT)
    return *((const char *)props + f->at) == '\0';
  if (f->most != 0)
    return gg__field_count(f, props) == 0;
  if (f->kind == GG_FIELD_REAL)
    return memcmp((const char *)props + f->at, &otherwise, sizeof otherwise) ==
           0;
  return gg__field_get(f, props, 0) == f->otherwise;
}

static void print_list(const gg_field *f, const void *props, ga__strb *out) {
  const unsigned int n = gg__field_count(f, props);

  for (unsigned int i = 0; i < n; i++)
    ga__strb_appendf(out, "%s%lld", i != 0 ? ", " : "",
                     (long long)gg__field_get(f, props, i));
}

static void print_axes(const gg_field *f, const void *props, ga__strb *out) {
  const int64_t mask = gg__field_get(f, props, 0);
  const char *between = "";

  for (int i = 0; i < 32; i++)
    if (mask >> i & 1) {
      ga__strb_appendf(out, "%s%d", between, i);
      between = ", ";
    }
}

static const char *word_at(const gg_field *f, int64_t i) {
  for (int64_t k = 0; f->words[k] != NULL; k++)
    if (k == i)
      return f->words[k];
  return "?";
}

static void print_value(const gg_field *f, const void *props, ga__strb *out) {
  const int64_t v = gg__field_get(f, props, 0);

  switch (f->kind) {
  case GG_FIELD_REAL:
    gg__literal_print(GA_DOUBLE, (const char *)props + f->at, out);
    break;
  case GG_FIELD_DTYPE:
    ga__strb_append(out, ga__dtype_name((int)v));
    break;
  case GG_FIELD_FLAG:
    ga__strb_append(out, v != 0 ? "true" : "false");
    break;
  case GG_FIELD_WORD:
    ga__strb_append(out, word_at(f, v));
    break;
  default:
    ga__strb_appendf(out, "%lld", (long long)v);
    break;
  }
}

static void print_field(const gg_field *f, const void *props, ga__strb *out) {
  const int is_list =
      (f->most != 0 && f->kind != GG_FIELD_TEXT) || f->kind == GG_FIELD_AXES;

  ga__strb_appendf(out, "%s=%s", f->name, is_list ? "[" : "");
  if (f->kind == GG_FIELD_TEXT)
    gg__quoted_print((const char *)props + f->at, f->most, out);
  else if (f->most != 0)
    print_list(f, props, out);
  else if (f->kind == GG_FIELD_AXES)
    print_axes(f, props, out);
  else
    print_value(f, props, out);
  ga__strb_append(out, is_list ? "]" : "");
}

void gg__form_print(const gg_op_form *form, const void *props, ga__strb *out) {
  const char *before = "{";

  for (unsigned int k = 0; k < form->n_fields; k++)
    if (!is_otherwise(&form->fields[k], props)) {
      ga__strb_append(out, before);
      print_field(&form->fields[k], props, out);
      before = ", ";
    }
  if (before[0] != '{')
    ga__strb_append(out, "}");
}
