/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to the properties of an op, field by field. */
#include <stddef.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/literal.h"
#include "text/parser.h"

static const gg_field short_fields[] = {
    {.name = "axes",
     .kind = GG_FIELD_AXES,
     .at = offsetof(gg_reduce_props, axes_mask),
     .optional = 1},
    {.name = "keepdims",
     .kind = GG_FIELD_FLAG,
     .at = offsetof(gg_reduce_props, keepdims),
     .optional = 1}};
const gg_op_form gg__short_form = {
    NULL, "", sizeof short_fields / sizeof *short_fields, short_fields, NULL};

static const gg_field *field_named(const gg_op_form *form, const gg__token *t) {
  for (unsigned int i = 0; i < form->n_fields; i++)
    if (gg__token_is(t, form->fields[i].name))
      return &form->fields[i];
  return NULL;
}

/* --- values --- */

static int set_whole(gg__parser *p, const gg_field *f, void *props,
                     unsigned int i) {
  const gg__token at = p->token;
  int64_t v;

  GA_TRY(gg__parse_whole(p, &v));
  if (gg__field_set(f, props, i, v))
    return GA_NO_ERROR;
  return gg__parse_fail(p, &at, GA_VALUE_ERROR, "%s: %lld does not fit",
                        f->name, (long long)v);
}

/* "[" [whole {"," whole}] "]", at most `most` of them. */
static int parse_whole_list(gg__parser *p, const gg_field *f, void *props,
                            unsigned int most,
                            int (*set)(gg__parser *p, const gg_field *f,
                                       void *props, unsigned int i),
                            unsigned int *n) {
  *n = 0;
  GA_TRY(gg__parse_need(p, "["));
  if (gg__parse_skip(p, "]"))
    return GA_NO_ERROR;
  do {
    if (*n == most)
      return gg__parse_fail(p, &p->token, GA_VALUE_ERROR,
                            "%s: there are at most %u", f->name, most);
    GA_TRY(set(p, f, props, (*n)++));
  } while (gg__parse_skip(p, ","));
  if (gg__parse_skip(p, "]"))
    return GA_NO_ERROR;
  return gg__parse_expected(p, "',' or ']'");
}

static int parse_list(gg__parser *p, const gg_field *f, void *props) {
  unsigned int n;

  GA_TRY(parse_whole_list(p, f, props, f->most, set_whole, &n));
  gg__field_set_count(f, props, n);
  return GA_NO_ERROR;
}

static int add_axis(gg__parser *p, const gg_field *f, void *props,
                    unsigned int i) {
  const gg__token at = p->token;
  const int64_t mask = gg__field_get(f, props, 0);
  int64_t axis;

  (void)i;
  GA_TRY(gg__parse_whole(p, &axis));
  if (axis < 0 || axis >= GG_MAX_ND || (mask >> axis & 1) != 0)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "%s: expected another axis",
                          f->name);
  gg__field_set(f, props, 0, mask | INT64_C(1) << axis);
  return GA_NO_ERROR;
}

static int parse_axes(gg__parser *p, const gg_field *f, void *props) {
  unsigned int n;

  gg__field_set(f, props, 0, 0);
  return parse_whole_list(p, f, props, GG_MAX_ND, add_axis, &n);
}

static int parse_real(gg__parser *p, const gg_field *f, void *props) {
  if (!gg__parse_at_number(p) ||
      !gg__literal_parse(GA_DOUBLE, p->token.text, p->token.n,
                         (char *)props + f->at))
    return gg__parse_expected(p, "a number");
  gg__parse_next(p);
  return GA_NO_ERROR;
}

static int parse_dtype(gg__parser *p, const gg_field *f, void *props) {
  const int dtype = gg__parse_dtype_at(p);

  if (dtype < 0)
    return gg__parse_expected(p, "a dtype such as float32");
  gg__field_set(f, props, 0, dtype);
  gg__parse_next(p);
  return GA_NO_ERROR;
}

static int parse_word(gg__parser *p, const gg_field *f, void *props) {
  for (int i = 0; f->words[i] != NULL; i++)
    if (gg__parse_skip(p, f->words[i])) {
      gg__field_set(f, props, 0, i);
      return GA_NO_ERROR;
    }
  return gg__parse_expected(p, "one of the words for this property");
}

static int parse_flag(gg__parser *p, const gg_field *f, void *props) {
  const int yes = gg__token_is(&p->token, "true");

  if (!yes && !gg__token_is(&p->token, "false"))
    return gg__parse_expected(p, "true or false");
  gg__field_set(f, props, 0, yes);
  gg__parse_next(p);
  return GA_NO_ERROR;
}

static int parse_text(gg__parser *p, const gg_field *f, void *props) {
  ga__strb b = GA_STRB_INIT;
  int err;

  if (p->token.kind != GG_TOKEN_NAME)
    return gg__parse_expected(p, "a text in quotes");
  if (!gg__token_name(&p->token, &b))
    GA_CHECK(gg__parse_fail(p, &p->token, GA_VALUE_ERROR,
                            "expected \\\", \\\\ or \\xHH in a text"));
  if (b.err != GA_NO_ERROR)
    GA_CHECK(gg__parse_no_memory(p, &p->token));
  if (b.n >= f->most)
    GA_CHECK(gg__parse_fail(p, &p->token, GA_VALUE_ERROR,
                            "%s: there are at most %u bytes", f->name,
                            f->most - 1));
  memcpy((char *)props + f->at, ga__strb_text(&b), b.n);
  gg__parse_next(p);
  err = GA_NO_ERROR;
done:
  ga__strb_clear(&b);
  return err;
}

static int parse_field(gg__parser *p, const gg_field *f, void *props) {
  if (f->kind == GG_FIELD_TEXT)
    return parse_text(p, f, props);
  switch (f->kind) {
  case GG_FIELD_REAL:
    return parse_real(p, f, props);
  case GG_FIELD_DTYPE:
    return parse_dtype(p, f, props);
  case GG_FIELD_FLAG:
    return parse_flag(p, f, props);
  case GG_FIELD_WORD:
    return parse_word(p, f, props);
  case GG_FIELD_AXES:
    return parse_axes(p, f, props);
  default:
    return set_whole(p, f, props, 0);
  }
}

/* --- all properties --- */

/* A list among the fields `seen` that has its length in the place where that of
 * list `f` is, or NULL. */
static const gg_field *list_beside(const gg_op_form *form, uint64_t seen,
                                   const gg_field *f) {
  for (unsigned int i = 0; i < form->n_fields; i++) {
    const gg_field *g = &form->fields[i];

    if (g != f && (seen >> i & 1u) != 0 && g->most != 0 &&
        g->kind != GG_FIELD_TEXT && g->count_at == f->count_at)
      return g;
  }
  return NULL;
}

/* parse_field() for a list, which may have to be as long as another one. */
static int parse_list_beside(gg__parser *p, const gg_field *f,
                             const gg_field *other, void *props) {
  const unsigned int want = gg__field_count(f, props);
  const gg__token at = p->token;

  GA_TRY(parse_list(p, f, props));
  const unsigned int n = gg__field_count(f, props);
  if (other != NULL && n != want)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR,
                          "%s has length %u, %s has length %u", f->name, n,
                          other->name, want);
  return GA_NO_ERROR;
}

/* name "=" value; `seen` has a bit for each field. */
static int parse_one(gg__parser *p, const gg_op_form *form, void *props,
                     uint64_t *seen) {
  const gg__token at = p->token;
  const gg_field *f = field_named(form, &at);

  if (f == NULL)
    return gg__parse_expected(p, "a property of the op");
  uint64_t bit = UINT64_C(1) << (f - form->fields);
  if ((*seen & bit) != 0)
    return gg__parse_fail(p, &at, GA_VALUE_ERROR, "%s is there twice", f->name);
  *seen |= bit;
  gg__parse_next(p);
  GA_TRY(gg__parse_need(p, "="));
  return f->most != 0 && f->kind != GG_FIELD_TEXT
             ? parse_list_beside(p, f, list_beside(form, *seen, f), props)
             : parse_field(p, f, props);
}

static int check_seen(gg__parser *p, const gg__token *at,
                      const gg_op_form *form, uint64_t seen) {
  for (unsigned int i = 0; i < form->n_fields; i++)
    if ((seen >> i & 1u) == 0 && !form->fields[i].optional)
      return gg__parse_fail(p, at, GA_VALUE_ERROR, "expected {%s=...}",
                            form->fields[i].name);
  return GA_NO_ERROR;
}

int gg__parse_props(gg__parser *p, const gg_op_form *form, void *props) {
  const gg__token at = p->token;
  uint64_t seen = 0;

  GA_ASSERT(form->n_fields <= GG_MOST_FIELDS);
  if (form->op != NULL)
    gg__props_clear(form, props);
  if (gg__parse_skip(p, "{") && !gg__parse_skip(p, "}")) {
    do
      GA_TRY(parse_one(p, form, props, &seen));
    while (gg__parse_skip(p, ","));
    if (!gg__parse_skip(p, "}"))
      return gg__parse_expected(p, "',' or '}'");
  }
  return check_seen(p, &at, form, seen);
}
