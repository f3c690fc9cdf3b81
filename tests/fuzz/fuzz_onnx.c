/* SPDX-License-Identifier: BSD-2-Clause */
/* Models in the ONNX format: read, listed and built into a graph, or refused
 * with a message. Nothing is allocated on a device. */
#include <gpuarray/error.h>
#include <gpugraph/onnx.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "fuzz/fuzz.h"

static int load(const uint8_t *bytes, size_t n) {
  gg_onnx *m;
  int err = gg_onnx_open_memory(&m, bytes, n, NULL);

  if (err != GA_NO_ERROR)
    return err;
  for (size_t i = 0; i < gg_onnx_n_inputs(m); i++)
    if (gg_onnx_input(m, i)->name == NULL)
      abort();
  err = gg_onnx_check(m, NULL, NULL);
  gg_onnx_close(m);
  return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  gpuarray_clear_error();
  const long live = ga__alloc_live();
  int err = load(bytes, n);
  fuzz_accepted = err == GA_NO_ERROR;
  if (!fuzz_accepted && gpuarray_error_code() == GA_NO_ERROR)
    abort();              /* refused without a reason */
  gpuarray_clear_error(); /* a long message is memory, too */
  if (ga__alloc_live() != live)
    abort();
  return 0;
}
