/* SPDX-License-Identifier: BSD-2-Clause */
#include "onnx/ops/op_table.h"

#include <gpugraph/activations.h>
#include <gpugraph/create.h>
#include <gpugraph/linalg.h>
#include <string.h>

#include "base/err.h"
#include "onnx/ops/builders.h"

static int build_one(gg__onnx_call *c) {
  c->out[0] = c->row->one(gg__call_in(c, 0));
  return GA_NO_ERROR;
}

static int build_two(gg__onnx_call *c) {
  c->out[0] = c->row->two(gg__call_in(c, 0), gg__call_in(c, 1));
  return GA_NO_ERROR;
}

/* Before opset 7, b broadcasts if an attribute says so: its first axis is the
 * axis that another attribute gives, or its last axis is the last one. */
static int build_old(gg__onnx_call *c) {
  gg_var *a = gg__call_in(c, 0), *b = gg__call_in(c, 1);
  const unsigned int na = gg__call_rank(c, 0), nb = gg__call_rank(c, 1);
  const gg__onnx_attr *axis = gg__call_attr(c, "axis");
  int pattern[GG_MAX_ND], first = 0;

  if (axis != NULL)
    GA_TRY(gg__call_axis(axis->i, na, &first));
  if (axis != NULL && nb > 0) {
    if ((unsigned int)first + nb > na)
      return ga__fail(GA_VALUE_ERROR, "axis %d, of %u and %u dimensions", first,
                      na, nb);
    for (unsigned int i = 0; i < na - (unsigned int)first; i++)
      pattern[i] = i < nb ? (int)i : -1;
    b = gg_dimshuffle(b, na - (unsigned int)first, pattern);
  }
  c->out[0] = c->row->two(a, b);
  return GA_NO_ERROR;
}

#define MANY SIZE_MAX
#define OP(name, since, until, most, builder, attrs)                           \
  {name, since, until, most, gg__from_##builder, attrs, NULL, NULL, 0},
#define ONE(name, since, function)                                             \
  {name, since, 0, 1, build_one, "", function, NULL, 0},
#define TWO(name, since, function)                                             \
  {name, since, 0, 2, build_two, "", NULL, function, 0},
#define OLD(name, function)                                                    \
  {name, 1,        6, 2, build_old, "axis:i broadcast:i consumed_inputs:I",    \
   NULL, function, 0},
#define SAME(name, since, until, most, builder, attrs, arg)                    \
  {name, since, until, most, gg__from_##builder, attrs, NULL, NULL, arg},
static const gg__onnx_row rows[] = {
#include "onnx/ops/op_table.def"
};

const gg__onnx_row *gg__onnx_row_at(size_t i) {
  return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

static int has_name(const gg__onnx_row *r, const char *domain, const char *op) {
  const size_t n = strlen(domain);

  if (n == 0 || strcmp(domain, "ai.onnx") == 0)
    return strcmp(r->op, op) == 0;
  return strncmp(r->op, domain, n) == 0 && r->op[n] == '.' &&
         strcmp(r->op + n + 1, op) == 0;
}

const gg__onnx_row *gg__onnx_find_op(const char *domain, const char *op,
                                     int64_t version,
                                     const gg__onnx_row **other) {
  const gg__onnx_row *r;

  *other = NULL;
  for (size_t i = 0; (r = gg__onnx_row_at(i)) != NULL; i++) {
    if (!has_name(r, domain, op))
      continue;
    if (*other == NULL || r->since < (*other)->since)
      *other = r;
    if (version >= r->since && (r->until == 0 || version <= r->until))
      return r;
  }
  return NULL;
}

/* --- what a node gives --- */

/* The letter that stands for a kind (GG_ATTR_*) in the table. */
static char letter(int64_t kind) {
  static const char letters[] = "?fistgFISTG";

  return letters[kind >= 0 && kind < (int64_t)sizeof letters - 1 ? kind : 0];
}

/* The letter after a name in `attrs`, or 0 if it is not listed. */
static char find_attr(const char *attrs, const char *name) {
  const size_t n = strlen(name);
  const char *p = attrs;

  while (*p != 0) {
    const size_t word = strcspn(p, " ");

    if (word == n + 2 && strncmp(p, name, n) == 0 && p[n] == ':')
      return p[n + 1];
    p += word + (p[word] == ' ');
  }
  return 0;
}

static int check_count(const gg__onnx_call *c) {
  size_t n = c->n_in;

  while (n > 0 && c->node->in[n - 1][0] == 0)
    n--;
  return n <= c->row->most
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "%zu inputs, expected at most %zu", n,
                        c->row->most);
}

/* The attributes before it are few: they are in the table, each once. */
static int check_first(const gg__onnx_node *n, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (strcmp(n->attrs[i].name, n->attrs[at].name) == 0)
      return ga__fail(GA_VALUE_ERROR,
                      "attributes %zu and %zu have one name, \"%s\"", i, at,
                      n->attrs[i].name);
  return GA_NO_ERROR;
}

int gg__onnx_check_node(const gg__onnx_call *c) {
  GA_TRY(check_count(c));
  for (size_t i = 0; i < c->node->n_attrs; i++) {
    const gg__onnx_attr *a = &c->node->attrs[i];

    GA_TRY(check_first(c->node, i));
    const gg__onnx_attr *value = gg__call_attr(c, a->name);
    const char want = find_attr(c->row->attrs, a->name);

    if (want == 0)
      return ga__fail(GA_UNSUPPORTED_ERROR, "attribute \"%s\" is not supported",
                      a->name);
    if (value != NULL && letter(value->kind) != want)
      return ga__fail(GA_VALUE_ERROR,
                      "attribute \"%s\" has the wrong type %lld", a->name,
                      (long long)value->kind);
  }
  return GA_NO_ERROR;
}
