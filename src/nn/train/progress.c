/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a training as text. */
#include "nn/train/progress.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/err.h"

/* A line on a terminal: the bar has what the words leave, the words that say
 * least go first. */
enum { BAR_LEAST = 4, BAR_MOST = 20, USUAL = 80, FIELDS = 5 };

typedef struct line {
  size_t width, n; /* columns there are; words */
  char words[FIELDS][80];
  int rank[FIELDS]; /* 0 stays; the largest goes first */
} line;

#define EVERY_NS 100000000u /* the line moves 10 times a second at most */

/* The columns of a terminal as they are now, without the last one. */
static size_t columns(FILE *f) {
  struct winsize size;
  const int n = ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col > 0
                    ? size.ws_col
                    : USUAL;

  return (size_t)n - 1;
}

GPUARRAY_PRINTF(3, 4)
static void say(line *l, int rank, const char *fmt, ...) {
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(l->words[l->n], sizeof l->words[0], fmt, ap);
  va_end(ap);
  l->rank[l->n++] = rank;
}

/* The columns that the words take, with two between them. */
static size_t taken(const line *l) {
  size_t sum = 0;

  for (size_t i = 0; i < l->n; i++)
    if (l->words[i][0] != '\0')
      sum += strlen(l->words[i]) + (sum > 0 ? 2 : 0);
  return sum;
}

/* Drop words until there is room for `more` columns, or none may go. */
static void shorten(line *l, size_t more) {
  while (taken(l) + more > l->width) {
    size_t worst = 0;
    for (size_t i = 1; i < l->n; i++)
      if (l->words[i][0] != '\0' && l->rank[i] > l->rank[worst])
        worst = i;
    if (l->rank[worst] == 0)
      return;
    l->words[worst][0] = '\0';
  }
}

static void put(const line *l, FILE *f) {
  size_t done = 0;

  for (size_t i = 0; i < l->n; i++) {
    const size_t gap = done > 0 ? 2 : 0, room = l->width - done;
    if (l->words[i][0] == '\0' || room <= gap)
      continue;
    const size_t n = ga__at_most(strlen(l->words[i]), room - gap);
    fprintf(f, "%*s%.*s", (int)gap, "", (int)n, l->words[i]);
    done += gap + n;
  }
}

void gg__progress_start(gg__progress *p, const gg_training *t, size_t count) {
  *p = (gg__progress){.f = t->progress,
                      .epochs = t->epochs,
                      .count = count,
                      .rows = gg_batches_rows(t->batches),
                      .batches = t->batches};
  p->is_terminal = p->f != NULL && isatty(fileno(p->f));
}

void gg__progress_epoch(gg__progress *p, size_t index) {
  p->first = index;
  p->begin = ga__now_ns();
  p->waited = gg_batches_waited(p->batches);
}

int gg__progress_is_due(gg__progress *p) {
  if (!p->is_terminal || ga__now_ns() - p->last < EVERY_NS)
    return 0;
  p->last = ga__now_ns();
  return 1;
}

static double seconds(const gg__progress *p) {
  return 1e-9 * (double)(ga__now_ns() - p->begin);
}

/* Draw a bar behind the first word, which names the epoch. */
static void add_bar(line *l, double part) {
  const size_t used = taken(l), room = l->width > used ? l->width - used : 0;
  char *to = l->words[0];
  const size_t n = strlen(to);

  if (room <= BAR_LEAST)
    return;
  const size_t bar = ga__at_most(room - 1, BAR_MOST);
  to[n] = ' ';
  for (size_t i = 0; i < bar; i++)
    to[n + 1 + i] = (double)i < part * (double)bar - 0.5 ? '#' : '.';
  to[n + 1 + bar] = '\0';
}

/* The line that moves, with how far the epoch is. */
static line begin_line(const gg__progress *p, size_t epoch, size_t index) {
  line l = {.width = columns(p->f)};

  say(&l, 0, "epoch %zu/%zu", epoch + 1, p->epochs);
  say(&l, 1, "%.0f %%", 100.0 * (double)index / (double)p->count);
  return l;
}

static void draw(gg__progress *p, line *l, size_t index) {
  shorten(l, BAR_LEAST + 1);
  add_bar(l, (double)index / (double)p->count);
  fputc('\r', p->f);
  put(l, p->f);
  fputs("\033[K", p->f);
  fflush(p->f);
  p->is_drawn = 1;
}

void gg__progress_first(gg__progress *p, size_t epoch, size_t index) {
  if (!p->is_terminal)
    return;
  line l = begin_line(p, epoch, index);
  say(&l, 2, "compiling");
  draw(p, &l, index);
}

void gg__progress_move(gg__progress *p, size_t epoch, size_t index,
                       double loss) {
  const double each = seconds(p) / (double)(index - p->first); /* batch */
  line l = begin_line(p, epoch, index);

  say(&l, 2, "loss %.4f", loss);
  say(&l, 4, "%.0f rows/s", (double)p->rows / (double)p->count / each);
  say(&l, 3, "%.0f s", each * (double)(p->count - index));
  draw(p, &l, index);
}

void gg__progress_line(gg__progress *p, size_t epoch, double loss,
                       const double *value) {
  if (p->f == NULL)
    return;
  const double now = seconds(p),
               waited = gg_batches_waited(p->batches) - p->waited;
  line l = {.width = p->is_terminal ? columns(p->f) : SIZE_MAX};
  const double share = now > 0 ? 100 * waited / now : 0;

  say(&l, 0, "epoch %zu/%zu", epoch + 1, p->epochs);
  say(&l, 2, "loss %.4f", loss);
  if (value != NULL)
    say(&l, 1, "validation %.4f", *value);
  say(&l, 3, "%.2f s", now);
  say(&l, 4, "%.0f %% waiting", share);
  shorten(&l, 0);
  fputs(p->is_drawn ? "\r\033[K" : "", p->f);
  put(&l, p->f);
  fputc('\n', p->f);
  fflush(p->f);
  p->is_drawn = 0;
}

void gg__progress_end(gg__progress *p) {
  if (p->is_drawn)
    fputc('\n', p->f);
  p->is_drawn = 0;
}
