/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry of ops by name, and what operands they take. */
#include "graph/form.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "base/vec.h"

/* --- the registry --- */

/* Forms registered by the user. They come after the built-in ones and are
 * never removed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  const gg_op_form **v;
  size_t n, cap;
} added;

static int is_named(const char *own, const char *name, size_t n) {
  return strlen(own) == n && memcmp(own, name, n) == 0;
}

/* Nonzero if `f` is the form of `op` or, if `op` is NULL, of the op with that
 * name. */
static int fits(const gg_op_form *f, const gg_op *op, const char *name,
                size_t n) {
  return op != NULL ? f->op == op : is_named(f->op->name, name, n);
}

/* The caller holds the lock. */
static const gg_op_form *find(const gg_op *op, const char *name, size_t n) {
  for (const gg_op_form *const *all = gg__families_of_ops; *all != NULL; all++)
    for (const gg_op_form *f = *all; f->op != NULL; f++)
      if (fits(f, op, name, n))
        return f;
  for (size_t i = 0; i < added.n; i++)
    if (fits(added.v[i], op, name, n))
      return added.v[i];
  return NULL;
}

static const gg_op_form *look_up(const gg_op *op, const char *name, size_t n) {
  pthread_mutex_lock(&lock);
  const gg_op_form *f = find(op, name, n);
  pthread_mutex_unlock(&lock);
  return f;
}

const gg_op_form *gg__form_of(const gg_op *op) {
  return look_up(op, NULL, 0);
}

const gg_op_form *gg_op_form_of(const gg_op *op) {
  return op != NULL ? gg__form_of(op) : NULL;
}

const gg_op_form *gg__form_named(const char *name, size_t n) {
  return look_up(NULL, name, n);
}

const gg__short *gg__short_named(const char *name, size_t n) {
  for (size_t i = 0; i < gg__n_shorts; i++)
    if (is_named(gg__shorts[i].name, name, n))
      return &gg__shorts[i];
  return NULL;
}

static int is_word(const char *s) {
  return islower((unsigned char)s[0]) &&
         strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

/* Nonzero if the name has another meaning in texts. */
static int is_taken(const char *name) {
  static const char *const words[] = {"input", "shared", "function",
                                      "scan",  "ifelse", "row",
                                      "state", "fixed",  "transfer"};

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i]) == 0)
      return 1;
  return ga__dtype_from_name(name) >= 0 ||
         gg__short_named(name, strlen(name)) != NULL;
}

static int add(const gg_op_form *form) {
  const char *name = form->op->name;

  if (find(form->op, NULL, 0) != NULL)
    return GA_NO_ERROR;
  if (find(NULL, name, strlen(name)) != NULL)
    return ga__fail(GA_VALUE_ERROR, "there is another op called %s", name);
  if (ga__vec_push(&added, form) != GA_NO_ERROR)
    return ga__fail_nomem();
  return GA_NO_ERROR;
}

int gg_op_register(const gg_op_form *form) {
  if (form == NULL || form->op == NULL || form->op->name == NULL ||
      form->takes == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_op_register: the %s is NULL",
                    form == NULL             ? "form"
                    : form->op == NULL       ? "op"
                    : form->op->name == NULL ? "op's name"
                                             : "list of operands");
  if (!is_word(form->op->name) || is_taken(form->op->name))
    return ga__fail(GA_VALUE_ERROR, "an op cannot be registered as '%s'",
                    form->op->name);
  if (form->op->props_bytes != 0 && form->n_fields == 0)
    return ga__fail(GA_VALUE_ERROR, "%s: its properties are not described",
                    form->op->name);
  if (form->n_fields > GG_MOST_FIELDS)
    return ga__fail(GA_VALUE_ERROR, "%s: %u properties are more than %d",
                    form->op->name, form->n_fields, GG_MOST_FIELDS);
  pthread_mutex_lock(&lock);
  int err = add(form);
  pthread_mutex_unlock(&lock);
  return err;
}

/* --- operands --- */

/* Read one letter of `takes` and its suffixes. Returns the position of the
 * next letter, or of a '+'. */
static const char *read_operand(const char *p, gg__operand *out) {
  out->letter = (char)tolower((unsigned char)*p);
  out->is_shared = isupper((unsigned char)*p) != 0;
  out->rank = -1;
  p++;
  if (isdigit((unsigned char)*p))
    out->rank = *p++ - '0';
  out->is_repeated = *p == '+';
  out->is_optional = *p == '?';
  return p + out->is_optional;
}

gg__operand gg__form_operand(const gg_op_form *form, unsigned int i) {
  gg__operand x = {0, 0, -1, 0, 0};
  const char *p = form->takes;

  for (unsigned int k = 0; *p != '\0' && *p != '+'; k++) {
    p = read_operand(p, &x);
    if (k == i || x.is_repeated)
      return x;
  }
  return (gg__operand){0, 0, -1, 0, 0};
}

int gg__letter_takes(char letter, int dtype) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_FLOAT:
  case GA_KIND_COMPLEX:
    return strchr("xnf", letter) != NULL;
  case GA_KIND_INT:
  case GA_KIND_UINT:
    return strchr("xnil", letter) != NULL;
  case GA_KIND_BOOL:
    return strchr("xlb", letter) != NULL;
  default:
    return 0;
  }
}

const char *gg__letter_text(char letter) {
  static const char *const texts[128] = {['n'] = "a number",
                                         ['f'] = "a float",
                                         ['i'] = "an integer",
                                         ['l'] = "an integer or bool",
                                         ['b'] = "a bool"};
  const char *text = texts[letter & 127];

  return text != NULL ? text : "anything";
}

static int check_operand(const gg_op_form *form, const gg_apply *a,
                         unsigned int i, int *dtype) {
  const gg__operand want = gg__form_operand(form, i);
  const gg_type *t = gg_var_type(a->in[i]);

  if (want.letter == 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected %u operands, got %u", i,
                      a->n_in);
  if (!gg__letter_takes(want.letter, t->dtype))
    return gg_op_fail(a, GA_VALUE_ERROR, "operand %u: expected %s", i,
                      gg__letter_text(want.letter));
  if (want.rank >= 0 && (unsigned int)want.rank != t->nd)
    return gg_op_fail(a, GA_VALUE_ERROR, "operand %u: expected rank %d", i,
                      want.rank);
  if (want.is_shared && *dtype >= 0 && *dtype != t->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR, "operand %u: expected %s", i,
                      ga__dtype_name(*dtype));
  if (want.is_shared)
    *dtype = t->dtype;
  return GA_NO_ERROR;
}

/* Nonzero if operand `n_in` is required. */
static int lacks_operand(const gg_op_form *form, unsigned int n_in) {
  const gg__operand next = gg__form_operand(form, n_in);

  if (next.letter == 0 || next.is_optional)
    return 0;
  return !next.is_repeated || n_in == 0 ||
         !gg__form_operand(form, n_in - 1).is_repeated;
}

int gg__form_check(const gg_op_form *form, const gg_apply *a) {
  int dtype = -1;

  for (unsigned int i = 0; i < a->n_in; i++)
    GA_TRY(check_operand(form, a, i, &dtype));
  if (lacks_operand(form, a->n_in))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected more than %u operands",
                      a->n_in);
  for (unsigned int i = 1; i < a->n_in && a->op->kind == GG_OP_ELEMWISE; i++)
    if (gg_var_type(a->in[i])->nd != gg_var_type(a->in[0])->nd)
      return gg_op_fail(a, GA_VALUE_ERROR, "operands 0 and %u differ in rank",
                        i);
  return form->check != NULL ? form->check(a) : GA_NO_ERROR;
}
