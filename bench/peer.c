/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer.h"

#include <stdarg.h>
#include <stdio.h>

#include "bench.h"

static int read_numbers(double *to, int n, const char *format, va_list list) {
  char script[128], command[1024];
  int got = 0;

  vsnprintf(script, sizeof script, format, list);
  snprintf(command, sizeof command,
           "PYTHONDONTWRITEBYTECODE=1 " BENCH_PYTHON " " BENCH_DIR
           "/%s 2>/dev/null",
           script);
  FILE *const f = popen(command, "r");
  if (f == NULL)
    return 0;
  while (got < n && fscanf(f, "%lf", &to[got]) == 1)
    got++;
  pclose(f);
  return got;
}

int peer_numbers(double *to, int n, const char *format, ...) {
  va_list list;

  va_start(list, format);
  const int got = read_numbers(to, n, format, list);
  va_end(list);
  return got;
}

double peer_us(const char *format, ...) {
  double us = 0;
  va_list list;

  va_start(list, format);
  read_numbers(&us, 1, format, list);
  va_end(list);
  return us;
}

void peer_print(const char *name, double value, const char *unit, double work,
                double us) {
  char line[96];

  snprintf(line, sizeof line, "%s, PyTorch", name);
  bench_print(line, value, unit, us > 0 ? work / us : 0);
}
