/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache on disk, with one file per entry.
 *
 * The file of a key (entry.c) is named by its 64 hexadecimal digits and
 * ".cache". Other files in the folder are left alone. The modification time of
 * a file is the time of its last use, to a minute. The size of the folder is
 * estimated by adding up the writes of this process. Reading the folder
 * corrects it: after the first write, when the bound seems exceeded, and every
 * SCAN_EVERY writes, for those of other processes. */
#include "cache/disk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/err.h"
#include "base/file.h"
#include "base/strb.h"
#include "base/vec.h"
#include "cache/entry.h"
#include "cache/journal.h"

#define SUFFIX ".cache"
#define HEX_DIGITS ((size_t)64)                 /* of a key */
#define NAME_BYTES (HEX_DIGITS + sizeof SUFFIX) /* with the NUL */

#define DEFAULT_MB 512
#define SCAN_EVERY 64     /* writes */
#define TOUCH_AGE_S 60    /* hits within a minute count as one */
#define STALE_TEMP_S 3600 /* after this, the writer has died */

struct ga__disk {
  char *path; /* NULL: the cache is off */
  uint64_t max_bytes;
  pthread_mutex_t lock; /* for the fields below */
  char *why;            /* set only once, so that callers can borrow it */
  uint64_t bytes;       /* in the folder, an estimate */
  unsigned n_puts;
  ga__journal journal; /* of entries that are being tried */
};

/* The folder. */

#if defined(__APPLE__)
#define CACHES "Library/Caches"
#else
#define CACHES ".cache"
#endif

/* Append the folder that the environment chooses, or nothing. */
static void append_default_path(ga__strb *b) {
  const char *s = ga__env_text("GPUARRAY_CACHE_PATH");

  if (s != NULL)
    ga__strb_append(b, s);
  else
    ga__env_folder(b, "XDG_CACHE_HOME", CACHES);
}

static int set_why(ga__disk *d, const char *why) {
  if (d->why == NULL)
    d->why = ga__strdup(why);
  return d->why != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

/* Set d->path, or d->why if there is no folder. */
static int choose_path(ga__disk *d, const char *path) {
  ga__strb b = GA_STRB_INIT;

  if (ga__env_on("GPUARRAY_NO_CACHE"))
    return set_why(d, "GPUARRAY_NO_CACHE is set");
  if (path != NULL)
    ga__strb_append(&b, path);
  else
    append_default_path(&b);
  if (b.err == GA_NO_ERROR && b.n == 0)
    return set_why(d, "no folder: HOME is not set");
  GA_TRY(ga__strb_take(&b, &d->path));

  int err = ga__dir_make(d->path);
  if (err == GA_NO_ERROR)
    err = ga__dir_check_own(d->path);
  if (err == GA_SYS_ERROR) {
    ga__free(d->path);
    d->path = NULL;
    err = set_why(d, ga__err_text(GA_SYS_ERROR));
  }
  return err;
}

int ga__disk_is_on(const ga__disk *d) {
  return d->path != NULL;
}

/* Names. */

static int is_hex_name(const char *name) {
  return strspn(name, "0123456789abcdef") == HEX_DIGITS;
}

static int is_entry(const char *name) {
  return is_hex_name(name) && strcmp(name + HEX_DIGITS, SUFFIX) == 0;
}

/* Nonzero for the temporary file of an interrupted write. */
static int is_stale_temp(const ga__dir_entry *e) {
  static const char mark[] = SUFFIX ".tmp.";

  return is_hex_name(e->name) &&
         strncmp(e->name + HEX_DIGITS, mark, sizeof mark - 1) == 0 &&
         (int64_t)time(NULL) - e->mtime_ns / 1000000000 > STALE_TEMP_S;
}

/* The path of a name in the folder, or NULL; the caller frees it. */
static char *path_of(const ga__disk *d, const char *name) {
  ga__strb b = GA_STRB_INIT;
  char *path;

  ga__strb_appendf(&b, "%s/%s", d->path, name);
  ga__strb_take(&b, &path);
  return path;
}

static char *path_of_key(const ga__disk *d, const unsigned char *key) {
  char name[NAME_BYTES];

  ga__sha256_hex(key, name);
  memcpy(name + HEX_DIGITS, SUFFIX, sizeof SUFFIX);
  return path_of(d, name);
}

static int remove_name(const ga__disk *d, const char *name) {
  char *path = path_of(d, name);
  int err = path != NULL ? ga__file_remove(path) : GA_MEMORY_ERROR;

  ga__free(path);
  return err;
}

/* Reading the folder. */

typedef struct seen {
  char name[NAME_BYTES];
  uint64_t bytes;
  int64_t mtime_ns;
} seen;

typedef struct scan {
  const ga__disk *d;
  GA_VEC(seen) found; /* entries */
  uint64_t bytes;     /* of all of them */
} scan;

static int scan_one(void *arg, const ga__dir_entry *e) {
  scan *s = arg;
  seen one;

  if (is_stale_temp(e))
    remove_name(s->d, e->name);
  if (!is_entry(e->name))
    return GA_NO_ERROR;
  memcpy(one.name, e->name, sizeof one.name);
  one.bytes = e->bytes;
  one.mtime_ns = e->mtime_ns;
  s->bytes += e->bytes;
  return ga__vec_push(&s->found, one);
}

/* Read the folder. Failures leave the list incomplete. */
static void scan_folder(scan *s, const ga__disk *d) {
  *s = (scan){.d = d};
  ga__dir_each(d->path, scan_one, s);
}

static int older_first(const void *pa, const void *pb) {
  const seen *a = pa, *b = pb;

  return (a->mtime_ns > b->mtime_ns) - (a->mtime_ns < b->mtime_ns);
}

/* Remove entries until the folder is a tenth below its bound. The newest entry
 * always stays. If another process trims at the same time, more entries are
 * removed than necessary. */
static void trim(ga__disk *d) {
  const uint64_t goal = d->max_bytes / 10 * 9;
  scan s;

  scan_folder(&s, d);
  if (s.bytes > d->max_bytes) {
    qsort(s.found.v, s.found.n, sizeof *s.found.v, older_first);
    for (size_t i = 0; i + 1 < s.found.n && s.bytes > goal; i++)
      if (remove_name(d, s.found.v[i].name) == GA_NO_ERROR)
        s.bytes -= s.found.v[i].bytes;
  }
  d->bytes = s.bytes;
  ga__vec_clear(&s.found);
}

/* Opening and closing. */

/* Replace an entry by an empty one, which tells readers that it was bad. */
static void empty_tried(void *d, const unsigned char *key) {
  char *path = path_of_key(d, key);

  if (path != NULL)
    ga__entry_write(path, key, "", 0);
  ga__free(path);
}

int ga__disk_open(ga__disk **out, const char *path) {
  ga__disk *d = ga__calloc(1, sizeof *d);

  *out = NULL;
  if (d == NULL)
    return ga__fail_nomem();
  if (pthread_mutex_init(&d->lock, NULL) != 0) {
    ga__free(d);
    return ga__fail_nomem();
  }
  d->journal = (ga__journal)GA_JOURNAL_INIT;
  d->max_bytes = ga__env_mib("GPUARRAY_CACHE_MB", DEFAULT_MB);
  int err = choose_path(d, path);
  if (err != GA_NO_ERROR) {
    ga__disk_close(d);
    return err;
  }
  if (d->path != NULL)
    ga__journal_recover(d->path, empty_tried, d);
  *out = d;
  return GA_NO_ERROR;
}

void ga__disk_close(ga__disk *d) {
  if (d == NULL)
    return;
  ga__journal_close(&d->journal);
  pthread_mutex_destroy(&d->lock);
  ga__free(d->path);
  ga__free(d->why);
  ga__free(d);
}

/* Calls. */

int ga__disk_get(ga__disk *d, const unsigned char key[GA_SHA256_BYTES],
                 unsigned char **bytes, size_t *n) {
  *bytes = NULL;
  *n = 0;
  if (d->path == NULL)
    return 0;
  char *path = path_of_key(d, key);
  if (path != NULL)
    *bytes = ga__entry_read(path, key, d->max_bytes, n);
  if (*bytes != NULL)
    ga__file_touch(path, TOUCH_AGE_S);
  ga__free(path);
  return *bytes != NULL;
}

size_t ga__disk_begin(ga__disk *d, const unsigned char key[GA_SHA256_BYTES]) {
  if (d->path == NULL)
    return 0;
  pthread_mutex_lock(&d->lock);
  size_t attempt = ga__journal_begin(&d->journal, d->path, key);
  pthread_mutex_unlock(&d->lock);
  return attempt;
}

void ga__disk_end(ga__disk *d, size_t attempt) {
  pthread_mutex_lock(&d->lock);
  ga__journal_end(&d->journal, attempt);
  pthread_mutex_unlock(&d->lock);
}

static int write_entry(ga__disk *d, const unsigned char *key, const void *bytes,
                       size_t n) {
  char *path = path_of_key(d, key);

  if (path == NULL)
    return ga__fail_nomem();
  int err = ga__entry_write(path, key, bytes, n);
  /* The folder may have been removed. */
  if (err == GA_SYS_ERROR && ga__dir_make(d->path) == GA_NO_ERROR)
    err = ga__entry_write(path, key, bytes, n);
  ga__free(path);
  return err;
}

void ga__disk_put(ga__disk *d, const unsigned char key[GA_SHA256_BYTES],
                  const void *bytes, size_t n) {
  if (d->path == NULL || n > d->max_bytes || d->max_bytes - n < GA_ENTRY_HEADER)
    return;
  int err = write_entry(d, key, bytes, n);
  pthread_mutex_lock(&d->lock);
  if (err == GA_NO_ERROR) {
    d->bytes += GA_ENTRY_HEADER + n;
    if (d->n_puts++ % SCAN_EVERY == 0 || d->bytes > d->max_bytes)
      trim(d);
  } else {
    set_why(d, ga__err_text(err));
  }
  pthread_mutex_unlock(&d->lock);
}

void ga__disk_drop(ga__disk *d, const unsigned char key[GA_SHA256_BYTES]) {
  if (d->path == NULL)
    return;
  char *path = path_of_key(d, key);
  if (path != NULL)
    ga__file_remove(path);
  ga__free(path);
}

void ga__disk_stat(ga__disk *d, ga__disk_info *out) {
  scan s;

  *out = (ga__disk_info){.path = d->path, .max_bytes = d->max_bytes};
  pthread_mutex_lock(&d->lock);
  out->why = d->why;
  if (d->path != NULL) {
    scan_folder(&s, d);
    out->bytes = d->bytes = s.bytes;
    out->files = s.found.n;
    ga__vec_clear(&s.found);
  }
  pthread_mutex_unlock(&d->lock);
}

size_t ga__disk_wipe(ga__disk *d) {
  size_t n = 0;
  scan s;

  if (d->path == NULL)
    return 0;
  pthread_mutex_lock(&d->lock);
  scan_folder(&s, d);
  for (size_t i = 0; i < s.found.n; i++)
    n += remove_name(d, s.found.v[i].name) == GA_NO_ERROR;
  d->bytes = 0;
  ga__vec_clear(&s.found);
  pthread_mutex_unlock(&d->lock);
  return n;
}
