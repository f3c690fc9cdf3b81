/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of all contexts, and what happens to them at the end of the process
 * and in a copy that fork() makes.
 *
 * Drivers crash if their threads still compile or run while the process ends,
 * so the process first waits for what was enqueued.
 *
 * In a copy the driver's threads do not exist, and calls that wait for them
 * would never return. Contexts lose their queues there, so that calls fail. */
#include "ocl/process.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/err.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static ga__member *list;
static atomic_int is_copy; /* of a process that had opened a context */

/* --- the end of the process --- */

/* Nonzero in the handler of a fatal signal, which runs with that signal
 * blocked. If the driver crashed, it may hold its locks, so waiting for it
 * might never end. */
static int is_crashing(void) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  sigset_t blocked;

  if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0)
    return 0;
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    if (sigismember(&blocked, fatal[i]) == 1)
      return 1;
  return 0;
}

static void end_process(void) {
  if (is_copy || is_crashing())
    return;
  pthread_mutex_lock(&list_lock);
  for (ga__member *m = list; m != NULL; m = m->next)
    m->end(m->ctx);
  pthread_mutex_unlock(&list_lock);
}

/* --- fork --- */

static void before_fork(void) {
  pthread_mutex_lock(&list_lock);
}

static void after_fork(void) {
  pthread_mutex_unlock(&list_lock);
}

static void in_copy(void) {
  is_copy = 1;
  for (ga__member *m = list; m != NULL; m = m->next)
    m->copy(m->ctx);
  pthread_mutex_unlock(&list_lock);
}

int ga__process_is_copy(void) {
  return is_copy;
}

int ga__process_check(void) {
  if (!is_copy)
    return GA_NO_ERROR;
  return ga__fail(GA_INVALID_ERROR,
                  "this process is a copy that fork() made of one that had "
                  "opened a device: fork before that, or call exec");
}

/* --- hooks of the process --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_watched;

/* Handlers of atexit() run in reverse order. A compiler that is first used
 * after watch_process() registers its own later, which thus runs before
 * end_process(). But glibc runs the destructors of the thread that calls exit()
 * before all handlers. */
#if defined(__GNUC__) && defined(__linux__)
extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *dso)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static pthread_t main_thread; /* the thread that loaded the library */

__attribute__((constructor)) static void note_main_thread(void) {
  main_thread = pthread_self();
}

static void end_main_thread(void *unused) {
  (void)unused;
  end_process();
}

void ga__process_watch(void) {
  static atomic_int is_done;

  if (__cxa_thread_atexit_impl != NULL &&
      pthread_equal(pthread_self(), main_thread) &&
      !atomic_exchange(&is_done, 1))
    __cxa_thread_atexit_impl(end_main_thread, NULL, &__dso_handle);
}
#else
void ga__process_watch(void) {
}
#endif

static void watch_process(void) {
  is_watched = atexit(end_process) == 0 &&
               pthread_atfork(before_fork, after_fork, in_copy) == 0;
}

/* --- the list --- */

int ga__process_enter(ga__member *m) {
  pthread_once(&once, watch_process);
  ga__process_watch();
  if (!is_watched)
    return ga__fail(GA_SYS_ERROR,
                    "cannot register what to do when the process ends or "
                    "forks");
  pthread_mutex_lock(&list_lock);
  m->next = list;
  list = m;
  pthread_mutex_unlock(&list_lock);
  return GA_NO_ERROR;
}

void ga__process_leave(const ga__member *m) {
  ga__member **at = &list;

  pthread_mutex_lock(&list_lock);
  while (*at != NULL && *at != m)
    at = &(*at)->next;
  if (*at != NULL)
    *at = m->next;
  pthread_mutex_unlock(&list_lock);
}

int gpucontext_alive(const gpucontext *ctx) {
  const ga__member *at;

  pthread_mutex_lock(&list_lock);
  for (at = list; at != NULL && at->ctx != ctx; at = at->next)
    ;
  pthread_mutex_unlock(&list_lock);
  return at != NULL;
}
