/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses the installed graph library from C; needs no device. */
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("gpugraph %s\n", gpugraph_version());
  return strcmp(gpugraph_version(), GPUGRAPH_VERSION) == 0 ? 0 : 1;
}
