/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts and the process: which there are, what happens to them when it ends,
 * and in a copy that fork() makes.
 *
 * A driver whose threads still compile or run when the process takes itself
 * apart crashes, so the process waits for what was enqueued before it ends.
 *
 * In a copy the driver's threads do not exist, and calls that wait for them
 * would wait for ever. There contexts lose their queues, so that calls fail. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ocl/objects.h"

#define EXIT_SECONDS 60    /* that the end of a process waits at most */
#define POLL_NS 10000000   /* between two looks at most */
#define FIRST_POLL_NS 2000 /* after the first look */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static gpucontext *list;
static atomic_int is_copy; /* of a process that has used a device */

/* --- the end of the process --- */

static int has_ended(cl_event ev) {
  cl_int status;

  return clGetEventInfo(ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                        &status, NULL) != CL_SUCCESS ||
         status <= CL_COMPLETE;
}

/* Not for ever: the queue may wait for an event that nobody will set now. */
static void await_queue(gpucontext *ctx) {
  struct timespec pause = {0, FIRST_POLL_NS};
  const time_t start = time(NULL);
  cl_event end;

  if (clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, &end) != CL_SUCCESS)
    return;
  clFlush(ctx->queue);
  while (!has_ended(end) && time(NULL) - start < EXIT_SECONDS) {
    nanosleep(&pause, NULL);
    pause.tv_nsec = pause.tv_nsec < POLL_NS / 2 ? 2 * pause.tv_nsec : POLL_NS;
  }
  clReleaseEvent(end);
}

/* A borrowed queue may have gone already. Another thread may be in a call, and
 * stay there. */
static void end_context(gpucontext *ctx) {
  if (ctx->how.hold == GPU_BORROW && ctx->has_foreign_queue)
    return;
  await_queue(ctx);
  if (pthread_mutex_trylock(&ctx->lock) != 0)
    return;
  ga__programs_trust(ctx);
  pthread_mutex_unlock(&ctx->lock);
}

/* A handler of such a signal runs with the signal blocked. What crashed may be
 * the driver, with its locks held, and would be waited for in vain. */
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
  for (gpucontext *ctx = list; ctx != NULL; ctx = ctx->next)
    end_context(ctx);
  pthread_mutex_unlock(&list_lock);
}

/* --- fork --- */

static void before_fork(void) {
  pthread_mutex_lock(&list_lock);
}

static void after_fork(void) {
  pthread_mutex_unlock(&list_lock);
}

/* Locks may have been held by threads that are not here. */
static void in_copy(void) {
  is_copy = 1;
  for (gpucontext *ctx = list; ctx != NULL; ctx = ctx->next) {
    ctx->queue = NULL;
    memset(&ctx->stage, 0, sizeof ctx->stage);
    memset(&ctx->relay, 0, sizeof ctx->relay);
    ga__ctx_init_lock(ctx);
  }
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

/* --- being told --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_watched;

/* Handlers run in reverse order, and a compiler that runs for the first time
 * after watch_process() has its own run before end_process(). What glibc does
 * for the thread that calls exit() comes before all of them. */
#if defined(__GNUC__) && defined(__linux__)
extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *dso)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static pthread_t main_thread; /* that has loaded the library */

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

int ga__process_enter(gpucontext *ctx) {
  pthread_once(&once, watch_process);
  ga__process_watch();
  if (!is_watched)
    return ga__fail_nomem();
  pthread_mutex_lock(&list_lock);
  ctx->next = list;
  list = ctx;
  pthread_mutex_unlock(&list_lock);
  return GA_NO_ERROR;
}

void ga__process_leave(const gpucontext *ctx) {
  gpucontext **at = &list;

  pthread_mutex_lock(&list_lock);
  while (*at != NULL && *at != ctx)
    at = &(*at)->next;
  if (*at != NULL)
    *at = ctx->next;
  pthread_mutex_unlock(&list_lock);
}

int gpucontext_alive(const gpucontext *ctx) {
  const gpucontext *at;

  pthread_mutex_lock(&list_lock);
  for (at = list; at != NULL && at != ctx; at = at->next)
    ;
  pthread_mutex_unlock(&list_lock);
  return at != NULL;
}
