// SPDX-License-Identifier: BSD-2-Clause
// Uses the installed array library from C++; needs no device.
#include <gpuarray/array.h>
#include <gpuarray/error.h>
#include <gpuarray/util.h>

#include <cstdio>

int main() {
  gpucontext_props *props = nullptr;

  if (gpucontext_props_new(&props) != GA_NO_ERROR)
    return 1;
  gpucontext_props_del(props);
  if (gpuarray_get_elsize(GA_CDOUBLE) != 16)
    return 1;
  std::printf("%s\n", gpuarray_error_str(GA_NO_ERROR));
  return 0;
}
