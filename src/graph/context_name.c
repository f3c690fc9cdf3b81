/* SPDX-License-Identifier: BSD-2-Clause */
/* Registered names of contexts. They are valid in the whole process, as
 * contexts are. */
#include <gpuarray/buffer.h>
#include <gpuarray/device.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "graph/context_label.h"
#include "graph/graph.h"

/* An entry owns its name and anchor. The anchor, a buffer of 0 bytes, retains
 * the context. */
typedef struct entry {
  char *name;
  gpucontext *ctx;
  gpudata *anchor;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GA_VEC(entry) entries;

/* The index of the first entry with this name or this context, or entries.n.
 * The caller holds the lock. */
static size_t find(const char *name, const gpucontext *ctx) {
  size_t k;

  for (k = 0; k < entries.n; k++)
    if ((name != NULL && strcmp(entries.v[k].name, name) == 0) ||
        (ctx != NULL && entries.v[k].ctx == ctx))
      break;
  return k;
}

static void entry_clear(entry *e) {
  ga__free(e->name);
  gpudata_release(e->anchor);
}

static int check_new(const char *name, gpucontext *ctx) {
  if (name == NULL || name[0] == '\0')
    return ga__fail(GA_VALUE_ERROR, "a context needs a name");
  if (!gpucontext_alive(ctx))
    return ga__fail(GA_VALUE_ERROR, "the context to be named %s is gone", name);
  if (find(name, NULL) < entries.n)
    return ga__fail(GA_VALUE_ERROR, "there is a context named %s already",
                    name);
  size_t k = find(NULL, ctx);
  if (k < entries.n)
    return ga__fail(GA_VALUE_ERROR, "context %s cannot be named %s as well",
                    entries.v[k].name, name);
  return GA_NO_ERROR;
}

static int add(const char *name, gpucontext *ctx) {
  entry e = {.ctx = ctx};
  int err;

  GA_TRY(check_new(name, ctx));
  e.name = ga__strdup(name);
  if (e.name == NULL)
    return ga__fail_nomem();
  e.anchor = gpudata_alloc(ctx, 0, NULL, 0, &err);
  if (e.anchor != NULL)
    err = ga__vec_push(&entries, e);
  if (err != GA_NO_ERROR)
    entry_clear(&e);
  return err;
}

int gg_context_register(const char *name, gpucontext *ctx) {
  pthread_mutex_lock(&lock);
  int err = add(name, ctx);
  pthread_mutex_unlock(&lock);
  return err;
}

static int fail_unknown(const char *name) {
  ga__strb names = GA_STRB_INIT;

  for (size_t k = 0; k < entries.n; k++)
    ga__strb_appendf(&names, "%s%s", k != 0 ? ", " : "", entries.v[k].name);
  int err =
      ga__fail(GA_VALUE_ERROR, "no context is named %s; there are: %s",
               name != NULL ? name : "(null)",
               names.n != 0 && names.err == GA_NO_ERROR ? ga__strb_text(&names)
                                                        : "none");
  ga__strb_clear(&names);
  return err;
}

int gg__context_name(gpucontext *ctx, ga__strb *out) {
  pthread_mutex_lock(&lock);
  size_t k = find(NULL, ctx);
  int is_named = k < entries.n;
  if (is_named)
    ga__strb_append(out, entries.v[k].name);
  pthread_mutex_unlock(&lock);
  return is_named;
}

int gg_context_unregister(const char *name) {
  entry e = {NULL, NULL, NULL};
  int err = GA_NO_ERROR;

  pthread_mutex_lock(&lock);
  size_t k = name != NULL ? find(name, NULL) : entries.n;
  if (k < entries.n) {
    e = entries.v[k];
    entries.v[k] = entries.v[--entries.n];
    if (entries.n == 0)
      ga__vec_clear(&entries);
  } else {
    err = fail_unknown(name);
  }
  pthread_mutex_unlock(&lock);
  entry_clear(&e); /* may free the context */
  return err;
}

gpucontext *gg_context_get(const char *name) {
  gpucontext *ctx = NULL;

  pthread_mutex_lock(&lock);
  size_t k = name != NULL ? find(name, NULL) : entries.n;
  if (k < entries.n)
    ctx = entries.v[k].ctx;
  else
    fail_unknown(name);
  pthread_mutex_unlock(&lock);
  return ctx;
}

char *gg_context_text(gpucontext *ctx, char *buf, size_t bytes) {
  char device[256], id[16];
  int is_named = 0;

  if (bytes == 0)
    return buf;
  pthread_mutex_lock(&lock);
  size_t k = ctx != NULL ? find(NULL, ctx) : entries.n;
  is_named = k < entries.n;
  if (is_named)
    snprintf(buf, bytes, "%s", entries.v[k].name);
  pthread_mutex_unlock(&lock);
  if (is_named)
    return buf;
  if (ctx == NULL)
    snprintf(buf, bytes, "no context");
  else if (!gpucontext_alive(ctx))
    snprintf(buf, bytes, "a context that is gone");
  else if (gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, device) ==
               GA_NO_ERROR &&
           gpucontext_property(ctx, GA_CTX_PROP_UNIQUE_ID, id) == GA_NO_ERROR)
    snprintf(buf, bytes, "%s (%s)", device, id);
  else
    snprintf(buf, bytes, "a context");
  return buf;
}
