/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of a training as text. */
#include "nn/progress.h"

#include <unistd.h>

#include "base/clock.h"

enum { WIDTH = 20 };

#define EVERY_NS 100000000u /* the line moves 10 times a second at most */

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

void gg__progress_move(gg__progress *p, size_t epoch, size_t index,
                       double loss) {
  char bar[WIDTH + 1] = "....................";
  const double part = (double)index / (double)p->count, now = seconds(p);
  const double each = now / (double)(index - p->first); /* batch */

  for (int i = 0; i < WIDTH && i < (int)(part * WIDTH); i++)
    bar[i] = '#';
  fprintf(p->f,
          "\repoch %zu/%zu %s %3.0f %%  loss %.4f  %.0f rows/s  %.0f s\033[K",
          epoch + 1, p->epochs, bar, 100 * part, loss,
          (double)p->rows / (double)p->count / each,
          each * (double)(p->count - index));
  fflush(p->f);
  p->is_drawn = 1;
}

void gg__progress_line(gg__progress *p, size_t epoch, double loss,
                       const double *value) {
  const double now = seconds(p),
               waited = gg_batches_waited(p->batches) - p->waited;

  if (p->f == NULL)
    return;
  fprintf(p->f, "%sepoch %zu/%zu  loss %.4f", p->is_drawn ? "\r\033[K" : "",
          epoch + 1, p->epochs, loss);
  if (value != NULL)
    fprintf(p->f, "  validation %.4f", *value);
  fprintf(p->f, "  %.2f s, %.0f %% waiting\n", now,
          now > 0 ? 100 * waited / now : 0);
  fflush(p->f);
  p->is_drawn = 0;
}

void gg__progress_end(gg__progress *p) {
  if (p->is_drawn)
    fputc('\n', p->f);
  p->is_drawn = 0;
}
