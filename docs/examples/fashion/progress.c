/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress on standard output. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WIDTH = 32 };

void progress_start(progress *p, int epochs) {
  const char *plain = getenv("NO_COLOR");
  p->terminal = isatty(STDOUT_FILENO);
  p->color = p->terminal && (plain == NULL || plain[0] == '\0');
  p->epochs = epochs;
}

void progress_step(const progress *p, int epoch, int step, int steps) {
  char bar[WIDTH + 1];
  if (!p->terminal)
    return;
  int full = (int)((long)WIDTH * step / steps);
  for (int i = 0; i < WIDTH; i++)
    bar[i] = i < full ? '#' : '.';
  bar[WIDTH] = '\0';
  printf("\repoch %2d/%d %s%s%s %3d%%", epoch, p->epochs,
         p->color ? "\033[36m" : "", bar, p->color ? "\033[0m" : "",
         100 * step / steps);
  fflush(stdout);
}

void progress_epoch(const progress *p, int epoch, double loss, double accuracy,
                    double seconds) {
  printf("%sepoch %2d/%d  loss %.4f  test accuracy %s%.4f%s  %.3f s\n",
         p->terminal ? "\r\033[K" : "", epoch, p->epochs, loss,
         p->color ? "\033[1m" : "", accuracy, p->color ? "\033[0m" : "",
         seconds);
  fflush(stdout);
}
