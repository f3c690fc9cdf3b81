/* SPDX-License-Identifier: BSD-2-Clause */
/* Inner graphs. Those with equal content are one object. */
#include "graph/inner.h"

#include <pthread.h>
#include <string.h>

#include "base/sha256.h"

/* All inner graphs of the process, by key. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ga__map known = GA_MAP_INIT;
static size_t n_known;

/* --- contents --- */

static void add(ga__strb *key, const void *p, size_t bytes) {
  ga__strb_append_n(key, p, bytes);
}

static void add_number(ga__strb *key, uint64_t x) {
  add(key, &x, sizeof x);
}

static void add_type(ga__strb *key, const gg_type *t) {
  add_number(key, (uint64_t)t->dtype);
  add_number(key, t->nd);
  add(key, t->dims, t->nd * sizeof t->dims[0]);
}

static void add_constant(ga__strb *key, const gg_var *v) {
  unsigned char digest[GA_SHA256_BYTES];
  ga__sha256 sha;

  ga__sha256_init(&sha);
  ga__sha256_add(&sha, v->data, v->data_bytes);
  ga__sha256_end(&sha, digest);
  add_type(key, &v->type);
  add(key, digest, sizeof digest);
}

/* Append a variable. It refers to others by id. Inner graphs that were built
 * alike have the same ids. */
static void add_variable(ga__strb *key, const gg_var *v) {
  const gg_apply *a = v->owner;

  add_number(key, (uint64_t)v->kind);
  if (v->kind == GG_VAR_INPUT) {
    add_type(key, &v->type);
    add_number(key, v->by_data);
  }
  if (v->kind == GG_VAR_CONST)
    add_constant(key, v);
  if (a == NULL || v->index != 0)
    return;
  add(key, &a->op, sizeof a->op);
  if (a->op->props_bytes != 0)
    add(key, a->props, a->op->props_bytes);
  add_number(key, a->n_in);
  for (unsigned int i = 0; i < a->n_in; i++)
    add_number(key, a->in[i]->id);
}

static void add_list(ga__strb *key, unsigned int n, gg_var *const *v) {
  add_number(key, n);
  for (unsigned int i = 0; i < n; i++)
    add_number(key, v[i]->id);
}

static int make_key(gg__inner *x) {
  ga__strb *key = &x->key;

  add(key, &x->g->ctx, sizeof x->g->ctx);
  add_number(key, x->n_words);
  add(key, x->words, x->n_words * sizeof *x->words);
  add_list(key, x->n_in, x->in);
  add_list(key, x->n_out, x->out);
  for (size_t i = 0; i < x->g->vars.n; i++)
    add_variable(key, x->g->vars.v[i]);
  return key->err;
}

/* --- lifetime --- */

static void inner_free(gg__inner *x) {
  if (x == NULL)
    return;
  gg_graph_free(x->g);
  ga__free(x->in);
  ga__free(x->out);
  ga__free(x->words);
  ga__strb_clear(&x->key);
  ga__free(x);
}

/* Set *out to the inner graph that has the key of `x` already, retained, or
 * else add `x` to the known ones and set *out to it. */
static int intern(gg__inner *x, gg__inner **out) {
  const char *key = ga__strb_text(&x->key);
  int err = GA_NO_ERROR;

  pthread_mutex_lock(&lock);
  *out = ga__map_get(&known, key, x->key.n);
  if (*out != NULL) {
    gg__inner_retain(*out);
  } else {
    err = ga__map_put(&known, key, x->key.n, x);
    n_known += err == GA_NO_ERROR;
    *out = err == GA_NO_ERROR ? x : NULL;
  }
  if (n_known == 0)
    ga__map_clear(&known);
  pthread_mutex_unlock(&lock);
  return err;
}

gg__inner *gg__inner_new(gg_graph *to, gg_graph *g, unsigned int n_in,
                         gg_var *const *in, unsigned int n_out,
                         gg_var *const *out, unsigned int n_words,
                         const int64_t *words) {
  gg__inner *x = ga__calloc(1, sizeof *x), *there = NULL;
  int err = GA_MEMORY_ERROR;

  if (x == NULL) {
    gg_graph_free(g);
    goto done;
  }
  for (unsigned int i = 0; i < n_in; i++)
    GA_ASSERT(in[i]->graph == g && in[i]->kind == GG_VAR_INPUT);
  for (unsigned int i = 0; i < n_out; i++)
    GA_ASSERT(out[i]->graph == g);
  atomic_init(&x->refs, 1);
  x->g = g;
  x->n_in = n_in;
  x->n_out = n_out;
  x->n_words = n_words;
  x->in = ga__memdup(in, n_in * sizeof(gg_var *));
  x->out = ga__memdup(out, n_out * sizeof(gg_var *));
  x->words = ga__memdup(words, n_words * sizeof *words);
  if (x->in != NULL && x->out != NULL && x->words != NULL &&
      make_key(x) == GA_NO_ERROR)
    err = intern(x, &there);
done:
  if (there != x)
    inner_free(x);
  if (err != GA_NO_ERROR)
    gg__fail(to, err, "out of host memory");
  return there;
}

gg__inner *gg__inner_retain(gg__inner *x) {
  atomic_fetch_add(&x->refs, 1);
  return x;
}

/* The lock covers both dropping the last reference and removing the entry, so
 * that a lookup never finds an inner graph that is being freed. */
void gg__inner_release(gg__inner *x) {
  if (x == NULL)
    return;
  pthread_mutex_lock(&lock);
  int last = atomic_fetch_sub(&x->refs, 1) == 1;
  if (last) {
    GA_ASSERT(n_known != 0);
    ga__map_remove(&known, ga__strb_text(&x->key), x->key.n);
    n_known--;
  }
  if (n_known == 0)
    ga__map_clear(&known);
  pthread_mutex_unlock(&lock);
  if (last)
    inner_free(x); /* may release inner graphs inside of it */
}

int gg__inner_expand(const gg__inner *x, gg__subst *s, gg_var *const *in,
                     gg_var **out) {
  for (unsigned int i = 0; i < x->n_in; i++)
    if (in[i] != NULL)
      GA_TRY(gg__subst_put(s, x->in[i], in[i]));
  for (unsigned int i = 0; i < x->n_out; i++) {
    out[i] = gg__subst_apply(s, x->out[i]);
    if (out[i] == NULL)
      return gg_graph_status(s->g);
  }
  return GA_NO_ERROR;
}
