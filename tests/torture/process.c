/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture/process.h"

#include <stdio.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

double process_heap_mib(void) {
  double bytes = 0;
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 m = mallinfo2();

  bytes = (double)(m.uordblks + m.hblkhd);
#endif
#endif
  return bytes / (1 << 20);
}

double process_resident_mib(void) {
  const double page = (double)sysconf(_SC_PAGESIZE) / (1 << 20);
  FILE *f = fopen("/proc/self/statm", "r");
  long pages = 0, all;

  if (f != NULL && fscanf(f, "%ld %ld", &all, &pages) != 2)
    pages = 0;
  if (f != NULL)
    fclose(f);
  return (double)pages * page;
}
