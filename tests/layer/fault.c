/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting calls and choosing the one that fails. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "layer/state.h"

/* Entries of the calls since the last arming; more than any scenario makes. */
enum { REMEMBERED = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static layer_fault fault;
static int armed;
static long matching;   /* calls since arming that the fault looks at */
static long n_calls;    /* all calls since arming */
static long n_struck;   /* since arming */
static int struck = -1; /* entry */
static int target = -1; /* entry that a persistent fault stays with */
static layer_log build_log;
static unsigned char history[REMEMBERED];
static long total_calls[LAYER_N], total_faults[LAYER_N];
static unsigned int pause_us;

static const char *const names[LAYER_N] = {
#define NAME(name, ...) [LAYER_##name] = #name,
    LAYER_ENTRIES(NAME)};

typedef struct code_list {
  const cl_int *codes;
  int n;
} code_list;

static const code_list lists[LAYER_N] = {
#define CODES(...)                                                             \
  (const cl_int[]) {                                                           \
    __VA_ARGS__                                                                \
  }
#define LIST(name, ...)                                                        \
  [LAYER_##name] = {CODES(__VA_ARGS__),                                        \
                    (int)(sizeof CODES(__VA_ARGS__) / sizeof(cl_int))},
    LAYER_ENTRIES(LIST)};

const char *layer_name(int entry) {
  return entry >= 0 && entry < LAYER_N ? names[entry] : "?";
}

int layer_codes(int entry, const cl_int **codes) {
  *codes = lists[entry].codes;
  return lists[entry].n;
}

void layer_arm(const layer_fault *f) {
  pthread_mutex_lock(&lock);
  fault = *f;
  armed = 1;
  matching = n_calls = n_struck = 0;
  struck = -1;
  target = f->entry;
  build_log = LAYER_LOG_REAL;
  pthread_mutex_unlock(&lock);
}

long layer_disarm(void) {
  pthread_mutex_lock(&lock);
  armed = 0;
  long n = n_struck;
  pthread_mutex_unlock(&lock);
  return n;
}

int layer_struck(void) {
  return struck;
}

long layer_calls(void) {
  return n_calls;
}

int layer_called(long nth) {
  return nth >= 1 && nth <= n_calls && nth <= REMEMBERED ? history[nth - 1]
                                                         : -1;
}

void layer_totals(int entry, long *calls, long *faults) {
  pthread_mutex_lock(&lock);
  *calls = total_calls[entry];
  *faults = total_faults[entry];
  pthread_mutex_unlock(&lock);
}

void layer_slow(unsigned int microseconds) {
  pause_us = microseconds;
}

layer_log layer_build_log(void) {
  return build_log;
}

/* Does the fault strike this call? Lock held. */
static int strikes(int entry) {
  if (fault.nth == 0 || (target != LAYER_ANY && target != entry))
    return 0;
  matching++;
  if (matching != fault.nth && !(fault.persistent && n_struck > 0))
    return 0;
  if (fault.persistent)
    target = entry;
  return 1;
}

static layer_verdict strike(int entry) {
  layer_verdict v = {CL_SUCCESS, 0, fault.code};

  n_struck++;
  struck = entry;
  total_faults[entry]++;
  if (fault.as_event || fault.as_binary)
    v.spoil = 1;
  else
    v.status = fault.code;
  if (entry == LAYER_clBuildProgram)
    build_log = fault.log;
  return v;
}

static void pause_here(void) {
  struct timespec t = {0, (long)pause_us * 1000};

  if (pause_us > 0)
    nanosleep(&t, NULL);
}

layer_verdict layer_enter(int entry) {
  layer_verdict v = {CL_SUCCESS, 0, CL_SUCCESS};

  pause_here();
  pthread_mutex_lock(&lock);
  total_calls[entry]++;
  if (armed) {
    if (n_calls < REMEMBERED)
      history[n_calls] = (unsigned char)entry;
    n_calls++;
    if (strikes(entry))
      v = strike(entry);
  }
  pthread_mutex_unlock(&lock);
  return v;
}
