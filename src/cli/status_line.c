/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread draws the line: while a driver compiles, or a model is read, nobody
 * else could. (The line of a training, src/nn/train/progress.c, is drawn
 * between its steps.) There is one only while something goes on. */
#include "cli/status_line.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"

static struct {
  pthread_mutex_t lock; /* for all but `is_on` */
  pthread_cond_t changed;
  pthread_t thread;
  int is_on; /* there is a thread */
  int is_drawn;
  const char *what; /* NULL: the thread ends */
  uint64_t begin;
} now = {.lock = PTHREAD_MUTEX_INITIALIZER,
         .changed = PTHREAD_COND_INITIALIZER};

static void draw(unsigned int seconds) {
  char line[128];

  snprintf(line, sizeof line, "%s: %u s", now.what, seconds);
  fprintf(stderr, "\r%.*s\033[K", (int)cli_columns(stderr) - 1, line);
  fflush(stderr);
  now.is_drawn = 1;
}

static void erase(void) {
  if (now.is_drawn)
    fputs("\r\033[K", stderr);
  fflush(stderr);
  now.is_drawn = 0;
}

/* Wait for a second, or until something changes. */
static void wait_a_second(void) {
  struct timespec until;

  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  pthread_cond_timedwait(&now.changed, &now.lock, &until);
}

static void *work(void *none) {
  pthread_mutex_lock(&now.lock);
  while (now.what != NULL) {
    const unsigned int s =
        (unsigned int)((ga__now_ns() - now.begin) / 1000000000u);

    if (s > 0)
      draw(s);
    wait_a_second();
  }
  pthread_mutex_unlock(&now.lock);
  return none;
}

/* Without a thread nothing is shown. */
static void start(void) {
  if (isatty(STDERR_FILENO))
    now.is_on = pthread_create(&now.thread, NULL, work, NULL) == 0;
}

void cli_progress(const char *what) {
  if (!now.is_on && what == NULL)
    return;
  pthread_mutex_lock(&now.lock);
  erase();
  now.what = what;
  now.begin = ga__now_ns();
  pthread_cond_signal(&now.changed);
  pthread_mutex_unlock(&now.lock);
  if (!now.is_on)
    start();
  else if (what == NULL) {
    pthread_join(now.thread, NULL);
    now.is_on = 0;
  }
}
