/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of CLBlast's kernels for devices that its database does not have,
 * found by a search on the device. */
#include "blas/product_provider.h"

#include <string.h>

typedef struct entry {
  const char *device; /* a part of the device's name */
  const char *kernel; /* CLBlast's name */
  int bits;           /* precision */
  size_t n;
  const char *names[GA_TUNED_MAX];
  size_t values[GA_TUNED_MAX];
} entry;

static const entry entries[] = {
    {"H200",
     "Xgemm",
     32,
     16,
     {"GEMMK", "KREG", "KWG", "KWI", "MDIMA", "MDIMC", "MWG", "NDIMB", "NDIMC",
      "NWG", "SA", "SB", "STRM", "STRN", "VWM", "VWN"},
     {0, 1, 32, 2, 32, 16, 128, 16, 8, 128, 1, 1, 0, 1, 4, 2}},
};

void ga__tuned_each(const char *device, ga__tuned_fn fn, void *arg) {
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    const entry *e = &entries[i];

    if (strstr(device, e->device) != NULL)
      fn(e->kernel, e->bits, e->n, e->names, e->values, arg);
  }
  ga__tuned_files(device, fn, arg); /* the last parameters of a kernel count */
}
