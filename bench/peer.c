/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer.h"

#include <stdarg.h>
#include <stdio.h>

#include "bench.h"

double peer_us(const char *format, ...) {
  char script[128], command[1024];
  double us = 0;
  va_list list;
  FILE *f;

  va_start(list, format);
  vsnprintf(script, sizeof script, format, list);
  va_end(list);
  snprintf(command, sizeof command,
           "PYTHONDONTWRITEBYTECODE=1 " BENCH_PYTHON " " BENCH_DIR
           "/%s 2>/dev/null",
           script);
  f = popen(command, "r");
  if (f == NULL)
    return 0;
  if (fscanf(f, "%lf", &us) != 1)
    us = 0;
  pclose(f);
  return us;
}

void peer_print(const char *name, double value, const char *unit, double work,
                double us) {
  char line[96];

  snprintf(line, sizeof line, "%s, PyTorch", name);
  bench_print(line, value, unit, us > 0 ? work / us : 0);
}
