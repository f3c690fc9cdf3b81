/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules that users register. */
#include <pthread.h>
#include <string.h>

#include "graph/form.h"
#include "rewrite/families.h"

/* Families in the order of their registration. They are never removed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GA_VEC(const gg_rule_family *) added;

/* The caller holds the lock. */
static const gg_rule_family *at(size_t i) {
  return i < added.n ? added.v[i] : NULL;
}

const gg_rule_family *gg__registered(size_t i) {
  pthread_mutex_lock(&lock);
  const gg_rule_family *f = at(i);
  pthread_mutex_unlock(&lock);
  return f;
}

/* --- names --- */

static int is_in_family(const gg_rule_family *f, const char *name) {
  if (strcmp(f->name, name) == 0)
    return 1;
  for (const gg_rule *r = f->rules; r->name != NULL; r++)
    if (strcmp(r->name, name) == 0)
      return 1;
  return 0;
}

static int is_built_in(const char *name) {
  /* Stages after rewriting that a spec can exclude. */
  if (strcmp(name, GG_STAGE_FUSION) == 0 || strcmp(name, GG_STAGE_INPLACE) == 0)
    return 1;
  for (const gg_rule_family *f = gg__families; f->name != NULL; f++)
    if (is_in_family(f, name))
      return 1;
  return 0;
}

int gg__is_rewrite(const char *name) {
  const gg_rule_family *f;

  if (is_built_in(name))
    return 1;
  for (size_t i = 0; (f = gg__registered(i)) != NULL; i++)
    if (is_in_family(f, name))
      return 1;
  return 0;
}

/* Fail if another family has the name, a rule or a family's. "refused" and
 * "unsettled" are counted among rules. The caller holds the lock. */
static int check_name(const char *name) {
  int taken = name[0] == '\0' || is_built_in(name) ||
              strcmp(name, "refused") == 0 || strcmp(name, "unsettled") == 0;

  for (size_t i = 0; i < added.n && !taken; i++)
    taken = is_in_family(added.v[i], name);
  return taken ? ga__fail(GA_VALUE_ERROR,
                          "gg_rules_register: the name \"%s\" is taken", name)
               : GA_NO_ERROR;
}

/* --- checks --- */

static int check_roots(const gg_rule *r) {
  for (size_t i = 0; r->root_names != NULL && r->root_names[i] != NULL; i++)
    if (gg__form_named(r->root_names[i], strlen(r->root_names[i])) == NULL)
      return ga__fail(GA_VALUE_ERROR, "rule \"%s\": there is no op \"%s\"",
                      r->name, r->root_names[i]);
  return GA_NO_ERROR;
}

static int check_rule(const gg_rule_family *f, const gg_rule *r) {
  const unsigned int all = GG_CANON | GG_STABLE | GG_SHIFT | GG_EARLY | GG_LATE;

  if (r->phases == 0 || (r->phases & ~all) != 0)
    return ga__fail(GA_VALUE_ERROR,
                    "rule \"%s\": its phases are %u, but they are a "
                    "combination of GG_CANON and its like",
                    r->name, r->phases);
  if ((r->apply != NULL) == (r->counted != NULL))
    return ga__fail(GA_VALUE_ERROR,
                    "rule \"%s\": %s of apply and counted is set", r->name,
                    r->apply != NULL ? "each" : "none");
  for (const gg_rule *other = f->rules; other != r; other++)
    if (strcmp(other->name, r->name) == 0)
      return ga__fail(GA_VALUE_ERROR, "family \"%s\" has two rules \"%s\"",
                      f->name, r->name);
  GA_TRY(check_name(r->name));
  return check_roots(r);
}

/* The caller holds the lock. */
static int add(const gg_rule_family *f) {
  for (size_t i = 0; i < added.n; i++)
    if (added.v[i] == f)
      return GA_NO_ERROR;
  GA_TRY(check_name(f->name));
  for (const gg_rule *r = f->rules; r->name != NULL; r++)
    GA_TRY(check_rule(f, r));
  return ga__vec_push(&added, f) == GA_NO_ERROR ? GA_NO_ERROR
                                                : ga__fail_nomem();
}

int gg_rules_register(const gg_rule_family *family) {
  if (family == NULL || family->name == NULL || family->rules == NULL)
    return ga__fail(GA_VALUE_ERROR, "gg_rules_register: the %s NULL",
                    family == NULL         ? "family is"
                    : family->name == NULL ? "family's name is"
                                           : "rules are");
  if (family->rules->name == NULL)
    return ga__fail(GA_VALUE_ERROR, "family \"%s\" has no rules", family->name);
  pthread_mutex_lock(&lock);
  int err = add(family);
  pthread_mutex_unlock(&lock);
  return err;
}
