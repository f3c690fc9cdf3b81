/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses the installed reader of models from C; needs no device. */
#include <gpugraph/onnx.h>
#include <stdio.h>

int main(void) {
  gg_onnx *m;
  int err = gg_onnx_open(&m, "/nowhere/at.onnx");

  printf("%s\n", gpuarray_error_text(err));
  return err == GA_SYS_ERROR && m == NULL ? 0 : 1;
}
