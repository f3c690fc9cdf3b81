// SPDX-License-Identifier: BSD-2-Clause
// Uses the installed graph library from C++; needs no device.
#include <gpugraph/gpugraph.h>

#include <cstdio>
#include <cstring>

int main() {
  gg_graph_free(nullptr);
  std::printf("gpugraph %s\n", gpugraph_version());
  return std::strcmp(gpugraph_version(), GPUGRAPH_VERSION) == 0 ? 0 : 1;
}
