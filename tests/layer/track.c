/* SPDX-License-Identifier: BSD-2-Clause */
/* Every object by its handle: who made it, how often it was retained, whether
 * it is still there, and which thread has set a kernel's arguments.
 *
 * An open hash table that never forgets: a released object stays as a dead
 * entry, so that its use can be seen, until the driver gives the address to
 * another. */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/state.h"

typedef struct object {
  void *handle;
  layer_kind kind;
  int creator; /* entry */
  long count;  /* 0: dead */
  size_t bytes;
  cl_int code; /* of a spoiled event */
  /* Kernels: who set arguments since the last launch. */
  pthread_t setter;
  int is_set, is_mixed;
} object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object *table;
static size_t room, taken; /* entries, dead ones too */
static long live, violations;
static size_t live_bytes;
static char first_violation[512];

static const char *const kinds[] = {"context", "queue",  "memory object",
                                    "program", "kernel", "event"};

/* --- the table; lock held --- */

static size_t place_of(const void *handle) {
  return (size_t)(((uintptr_t)handle >> 4) * UINT64_C(0x9E3779B97F4A7C15) >>
                  20) &
         (room - 1);
}

static object *find(const void *handle) {
  if (room == 0)
    return NULL;
  for (size_t i = place_of(handle); table[i].handle != NULL;
       i = (i + 1) & (room - 1))
    if (table[i].handle == handle)
      return &table[i];
  return NULL;
}

static object *insert(void *handle) {
  size_t i = place_of(handle);

  while (table[i].handle != NULL && table[i].handle != handle)
    i = (i + 1) & (room - 1);
  taken += table[i].handle == NULL;
  table[i].handle = handle;
  return &table[i];
}

static void grow(void) {
  object *old = table;
  size_t n = room;

  room = n != 0 ? 2 * n : 1024;
  table = calloc(room, sizeof *table);
  if (table == NULL)
    abort(); /* the test bench is out of memory: nothing it says would hold */
  taken = 0;
  for (size_t i = 0; i < n; i++)
    if (old[i].handle != NULL)
      *insert(old[i].handle) = old[i];
  free(old);
}

size_t layer_own_bytes(void) {
  return room * sizeof *table;
}

/* --- complaints --- */

static void complain_locked(const char *fmt, va_list ap) {
  if (violations++ == 0 || first_violation[0] == '\0')
    vsnprintf(first_violation, sizeof first_violation, fmt, ap);
}

void layer_complain(const char *fmt, ...) {
  va_list ap;

  va_start(ap, fmt);
  pthread_mutex_lock(&lock);
  complain_locked(fmt, ap);
  pthread_mutex_unlock(&lock);
  va_end(ap);
}

long layer_violations(void) {
  return violations;
}

const char *layer_violation(void) {
  return first_violation;
}

void layer_forgive(void) {
  pthread_mutex_lock(&lock);
  violations = 0;
  first_violation[0] = '\0';
  pthread_mutex_unlock(&lock);
}

/* --- life --- */

void layer_created(void *handle, layer_kind kind, int entry) {
  int was_alive = 0;

  if (handle == NULL)
    return;
  pthread_mutex_lock(&lock);
  if (2 * (taken + 1) > room)
    grow();
  object *o = insert(handle);
  was_alive = o->count > 0;
  *o = (object){.handle = handle, .kind = kind, .creator = entry, .count = 1};
  live += !was_alive;
  pthread_mutex_unlock(&lock);
  if (was_alive)
    layer_complain("%s gave out a %s that is alive", layer_name(entry),
                   kinds[kind]);
}

void layer_sized(void *handle, size_t bytes) {
  pthread_mutex_lock(&lock);
  object *o = find(handle);
  if (o != NULL) {
    o->bytes = bytes;
    live_bytes += bytes;
  }
  pthread_mutex_unlock(&lock);
}

/* Change the count of a live object; 0 when there is none such. */
static int add(void *handle, long n) {
  pthread_mutex_lock(&lock);
  object *o = find(handle);
  int found = o != NULL && o->count > 0;
  if (found) {
    o->count += n;
    live -= o->count == 0;
    live_bytes -= o->count == 0 ? o->bytes : 0;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void layer_retained(void *handle, int entry) {
  if (!add(handle, 1))
    layer_complain("%s: no such object", layer_name(entry));
}

void layer_released(void *handle, int entry) {
  if (!add(handle, -1))
    layer_complain("%s: released before, or never made", layer_name(entry));
}

void layer_used(void *handle, int entry) {
  if (handle != NULL && !add(handle, 0))
    layer_complain("%s: uses an object after its release", layer_name(entry));
}

long layer_live(void) {
  return live;
}

size_t layer_live_bytes(void) {
  return live_bytes;
}

void layer_live_text(char *text, size_t bytes) {
  size_t n = 0;

  text[0] = '\0';
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < room && n < bytes; i++)
    if (table[i].handle != NULL && table[i].count > 0)
      n += (size_t)snprintf(text + n, bytes - n, "%s of %s (%ld); ",
                            kinds[table[i].kind], layer_name(table[i].creator),
                            table[i].count);
  pthread_mutex_unlock(&lock);
}

/* --- events that fail, kernels of two threads --- */

void layer_spoil(void *event, cl_int code) {
  pthread_mutex_lock(&lock);
  object *o = find(event);
  if (o != NULL)
    o->code = code;
  pthread_mutex_unlock(&lock);
}

cl_int layer_spoiled(void *event) {
  pthread_mutex_lock(&lock);
  object *o = find(event);
  cl_int code = o != NULL ? o->code : CL_SUCCESS;
  pthread_mutex_unlock(&lock);
  return code;
}

void layer_kernel_set(void *kernel) {
  pthread_mutex_lock(&lock);
  object *o = find(kernel);
  if (o != NULL) {
    if (o->is_set && !pthread_equal(o->setter, pthread_self()))
      o->is_mixed = 1;
    o->setter = pthread_self();
    o->is_set = 1;
  }
  pthread_mutex_unlock(&lock);
}

void layer_kernel_launched(void *kernel) {
  int is_mixed = 0;

  pthread_mutex_lock(&lock);
  object *o = find(kernel);
  if (o != NULL) {
    is_mixed = o->is_mixed;
    o->is_set = o->is_mixed = 0;
  }
  pthread_mutex_unlock(&lock);
  if (is_mixed)
    layer_complain("two threads set arguments of one kernel for one launch");
}
