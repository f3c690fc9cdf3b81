// SPDX-License-Identifier: BSD-2-Clause
// Kernels from a file, compiled in by the installed package; needs no device.
#include <cstdio>
#include <cstring>

#include "twice.h"

int main() {
  int (*call)(GpuLaunch *, unsigned int, const size_t *, size_t, GpuArray *,
              size_t) = twice_scall;
  std::printf("%s: %u arguments\n", k_twice.name, k_twice.n_types);
  return call == nullptr || k_twice.types[1] != GA_OFFSET ||
         std::strstr(k_twice.code, "// \"twice\", is it\?\?/\n}\n") == nullptr;
}
