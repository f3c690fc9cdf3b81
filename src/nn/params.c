/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of parameters. The outermost group has all variables, under their
 * whole names; a group within it is a prefix of names. */
#include <gpugraph/params.h>

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/xxh64.h"
#include "nn/nn.h"

int gg__nn_fail(gg_graph *g, const char *what, gg_var *x, int code,
                const char *fmt, ...) {
  gg_var *place = x != NULL ? x : gg_i64(g, 0);
  const gg_op op = {.name = what};
  const gg_apply a = {.op = &op,
                      .n_in = x != NULL ? 1 : 0,
                      .n_out = 1,
                      .in = &place,
                      .out = &place};
  char text[512];
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return gg_op_fail(&a, code, "%s", text);
}

int gg__nn_given(const char *what, unsigned int n, gg_var *const *x) {
  gg_var *other = NULL;
  unsigned int missing = n;

  for (unsigned int i = 0; i < n; i++)
    if (x[i] != NULL)
      other = x[i];
    else if (missing == n)
      missing = i;
  if (missing < n && other != NULL)
    gg__nn_fail(gg_var_graph(other), what, other, GA_VALUE_ERROR,
                "operand %u is NULL", missing);
  return missing == n;
}

/* --- groups --- */

static void group_free(gg_params *p) {
  if (p == NULL)
    return;
  ga__vec_clear(&p->list);
  ga__free(p->prefix);
  ga__free(p);
}

/* A group within `root`, or an outermost one if that is NULL. */
static gg_params *group_new(gg_params *root, char *prefix) {
  gg_params *p = prefix != NULL ? ga__calloc(1, sizeof *p) : NULL;

  if (p == NULL) {
    ga__free(prefix);
    ga__fail_nomem();
    return NULL;
  }
  p->root = root != NULL ? root : p;
  p->prefix = prefix;
  p->is_training = 1;
  return p;
}

gg_params *gg_params_new(gg_graph *g, int dtype, uint64_t seed) {
  if (g == NULL) {
    ga__fail(GA_INVALID_ERROR, "the graph is NULL");
    return NULL;
  }
  if (ga__dtype_kind(dtype) != GA_KIND_FLOAT) {
    gg__nn_fail(g, "params", NULL, GA_VALUE_ERROR,
                "parameters of %s, expected a float dtype",
                ga__dtype_name(dtype));
    return NULL;
  }
  if (seed == 0) {
    gg__nn_fail(g, "params", NULL, GA_VALUE_ERROR, "seeds start at 1");
    return NULL;
  }
  gg_params *p = group_new(NULL, ga__strdup(""));
  if (p == NULL) {
    gg__nn_fail(g, "params", NULL, GA_MEMORY_ERROR, "out of host memory");
    return NULL;
  }
  p->g = g;
  p->dtype = dtype;
  p->seed = seed;
  return p;
}

void gg_params_free(gg_params *p) {
  if (p == NULL || p->root != p)
    return;
  for (size_t i = 0; i < p->groups.n; i++)
    group_free(p->groups.v[i]);
  for (size_t i = 0; i < p->updates.n; i++)
    ga__free(p->updates.v[i]);
  ga__vec_clear(&p->groups);
  ga__vec_clear(&p->updates);
  ga__vec_clear(&p->all);
  ga__map_clear(&p->index);
  gg_random_free(p->random);
  group_free(p);
}

/* The prefix and `name`, with `end` behind it; to be freed. NULL when there is
 * no memory. */
static char *whole_name(const gg_params *p, const char *name, const char *end) {
  const size_t n = strlen(p->prefix) + strlen(name) + strlen(end) + 1;
  char *whole = ga__malloc(n);

  if (whole != NULL)
    snprintf(whole, n, "%s%s%s", p->prefix, name, end);
  return whole;
}

static int check_name(gg_params *p, const char *what, const char *name) {
  if (name != NULL && name[0] != '\0')
    return GA_NO_ERROR;
  return gg__nn_fail(p->root->g, what, NULL, GA_VALUE_ERROR, "the name is %s",
                     name == NULL ? "NULL" : "empty");
}

static gg_params *find_group(const gg_params *p, const char *prefix) {
  for (size_t i = 0; i < p->root->groups.n; i++)
    if (strcmp(p->root->groups.v[i]->prefix, prefix) == 0)
      return p->root->groups.v[i];
  return NULL;
}

gg_params *gg_params_group(gg_params *p, const char *name) {
  if (p == NULL || check_name(p, "params_group", name) != GA_NO_ERROR)
    return NULL;
  char *prefix = whole_name(p, name, ".");
  gg_params *group = prefix != NULL ? find_group(p, prefix) : NULL;
  if (group != NULL) {
    ga__free(prefix);
    return group;
  }
  group = group_new(p->root, prefix);
  if (group == NULL || ga__vec_push(&p->root->groups, group) != GA_NO_ERROR) {
    gg__nn_fail(p->root->g, "params_group", NULL, GA_MEMORY_ERROR,
                "out of host memory");
    group_free(group);
    return NULL;
  }
  group->is_training = p->is_training;
  return group;
}

gg_graph *gg_params_graph(const gg_params *p) {
  return p != NULL ? p->root->g : NULL;
}

int gg_params_dtype(const gg_params *p) {
  return p != NULL ? p->root->dtype : -1;
}

gg_random *gg_params_random(gg_params *p) {
  if (p == NULL)
    return NULL;
  gg_params *root = p->root;
  if (root->random == NULL)
    root->random = gg_random_new(root->g, GG_PHILOX, root->seed);
  return root->random;
}

/* --- variables --- */

static int is_within(const gg_params *p, const char *name) {
  return strncmp(name, p->prefix, strlen(p->prefix)) == 0;
}

int gg__params_has(const gg_params *p, const gg_var *v) {
  return is_within(p, gg_var_name(v));
}

static gg__param *entry_of(const gg_params *p, const char *name) {
  const size_t at =
      (size_t)(uintptr_t)ga__map_get(&p->root->index, name, strlen(name));

  return at != 0 ? &p->root->all.v[at - 1] : NULL;
}

gg__param *gg__params_entry(const gg_params *p, const gg_var *v) {
  gg__param *e = entry_of(p, gg_var_name(v));

  return e != NULL && e->var == v ? e : NULL;
}

/* A variable that exists is what is asked for. */
static int check_same(const gg_params *p, const gg__param *e, gg__role role,
                      int dtype, unsigned int nd, const size_t *dims) {
  const gg_var *v = e->var;
  const gg_type *t = gg_var_type(v);
  gg_type asked = {.dtype = dtype, .nd = nd};
  int same = t->dtype == dtype && t->nd == nd;
  char have[160], want[160];

  for (unsigned int i = 0; i < nd; i++) {
    asked.dims[i] = (int64_t)dims[i];
    same = same && t->dims[i] == asked.dims[i];
  }
  if ((e->role == GG_ROLE_SLOT) != (role == GG_ROLE_SLOT))
    return gg__nn_fail(p->root->g, "param", NULL, GA_VALUE_ERROR,
                       "the name %s is taken", gg_var_name(v));
  if (same)
    return GA_NO_ERROR;
  return gg__nn_fail(p->root->g, "param", NULL, GA_VALUE_ERROR,
                     "%s is %s, and %s is asked for", gg_var_name(v),
                     gg_type_text(t, have, sizeof have),
                     gg_type_text(&asked, want, sizeof want));
}

/* The seed of a parameter's values: of its name, and of the group's seed. */
static uint64_t seed_of(const gg_params *p, const char *whole) {
  unsigned char seed[8];
  ga__xxh64 h;

  for (int i = 0; i < 8; i++)
    seed[i] = (unsigned char)(p->root->seed >> 8 * i);
  ga__xxh64_init(&h);
  ga__xxh64_add(&h, seed, sizeof seed);
  ga__xxh64_add(&h, whole, strlen(whole));
  return ga__xxh64_end(&h);
}

static gg_var *make_variable(gg_params *p, const char *whole, int dtype,
                             unsigned int nd, const size_t *dims,
                             gg_initial how) {
  size_t n = 1;
  gg_var *v = NULL;

  for (unsigned int i = 0; i < nd; i++)
    n = ga__times(n, dims[i]);
  void *values = ga__calloc(n, ga__dtype_size(dtype));
  const int err =
      values == NULL
          ? ga__fail(GA_MEMORY_ERROR, "no memory for its first values")
      : ga__dtype_kind(dtype) != GA_KIND_FLOAT
          ? GA_NO_ERROR /* a counter: zeros */
          : gg_init_fill(values, dtype, nd, dims, how, seed_of(p, whole));
  if (err != GA_NO_ERROR)
    gg__nn_fail(p->root->g, "param", NULL, err, "%s: %s", whole,
                ga__err_text(err));
  else
    v = gg_shared_host(p->root->g, whole, dtype, nd, dims, values);
  ga__free(values);
  return v;
}

static int enter(gg_params *p, gg_var *v, gg__role role) {
  const char *name = gg_var_name(v);
  gg_params *root = p->root;
  const gg__param e = {.var = v, .role = role, .decay = NAN, .rate = 1};

  GA_TRY(ga__vec_push(&root->all, e));
  const int err = ga__map_put(&root->index, name, strlen(name),
                              (void *)(uintptr_t)root->all.n);
  if (err != GA_NO_ERROR)
    root->all.n--;
  return err;
}

gg_var *gg__params_make(gg_params *p, const char *name, gg__role role,
                        int dtype, unsigned int nd, const size_t *dims,
                        gg_initial how) {
  if (p == NULL || check_name(p, "param", name) != GA_NO_ERROR)
    return NULL;
  if (nd > GG_MAX_ND || (nd > 0 && dims == NULL)) {
    gg__nn_fail(p->root->g, "param", NULL, GA_VALUE_ERROR,
                "%s%s: %u sizes at %p", p->prefix, name, nd, (void *)dims);
    return NULL;
  }
  char *whole = whole_name(p, name, "");
  const gg__param *e = whole != NULL ? entry_of(p, whole) : NULL;
  gg_var *v = e != NULL ? e->var : NULL;
  if (e != NULL && check_same(p, e, role, dtype, nd, dims) != GA_NO_ERROR)
    v = NULL;
  if (whole != NULL && e == NULL)
    v = make_variable(p, whole, dtype, nd, dims, how);
  if (whole == NULL ||
      (e == NULL && v != NULL && enter(p, v, role) != GA_NO_ERROR)) {
    gg__nn_fail(p->root->g, "param", NULL, GA_MEMORY_ERROR,
                "out of host memory");
    v = NULL;
  }
  ga__free(whole);
  return v;
}

gg_var *gg_param(gg_params *p, const char *name, unsigned int nd,
                 const size_t *dims, gg_initial how) {
  return gg__params_make(p, name, GG_ROLE_TRAINED, gg_params_dtype(p), nd, dims,
                         how);
}

gg_var *gg_param_state(gg_params *p, const char *name, unsigned int nd,
                       const size_t *dims, gg_initial how) {
  return gg__params_make(p, name, GG_ROLE_STATE, gg_params_dtype(p), nd, dims,
                         how);
}

gg_var *gg_params_find(const gg_params *p, const char *name) {
  if (p == NULL || name == NULL)
    return NULL;
  char *whole = whole_name(p, name, "");
  const gg__param *e = whole != NULL ? entry_of(p, whole) : NULL;
  ga__free(whole);
  return e != NULL && e->role != GG_ROLE_SLOT ? e->var : NULL;
}

int gg_params_update(gg_params *p, gg_var *state, gg_var *value) {
  if (p == NULL || state == NULL || value == NULL)
    return GA_VALUE_ERROR;
  gg__param *e = gg__params_entry(p, state);
  if (e == NULL || e->role != GG_ROLE_STATE)
    return gg__nn_fail(p->root->g, "params_update", state, GA_VALUE_ERROR,
                       "\"%s\" is no state of the group", gg_var_name(state));
  e->next = value;
  return GA_NO_ERROR;
}

/* --- how layers are built --- */

int gg_params_freeze(gg_params *p, int frozen) {
  if (p == NULL)
    return GA_VALUE_ERROR;
  for (size_t i = 0; i < p->root->all.n; i++)
    if (gg__params_has(p, p->root->all.v[i].var))
      p->root->all.v[i].is_frozen = frozen != 0;
  return GA_NO_ERROR;
}

int gg_params_training(gg_params *p, int training) {
  if (p == NULL)
    return GA_VALUE_ERROR;
  p->is_training = training != 0;
  for (size_t i = 0; i < p->root->groups.n; i++)
    if (is_within(p, p->root->groups.v[i]->prefix))
      p->root->groups.v[i]->is_training = training != 0;
  return GA_NO_ERROR;
}

int gg_params_is_training(const gg_params *p) {
  return p != NULL && p->is_training;
}
