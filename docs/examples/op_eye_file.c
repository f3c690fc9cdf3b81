/* SPDX-License-Identifier: BSD-2-Clause */
/* Eye with its kernel in a file, op_eye_file.kernels, which CMake turns into C:
 *
 *   gpugraph_add_kernels(example_op_eye_file op_eye_file.kernels)
 *
 * The same file is then read at run time, for its kernel alone.
 *
 *   op_eye_file [op_eye_file.kernels] */
#include <gpuarray/kernel_file.h>

#include "op_example.h"
#include "op_eye_file.h"

typedef struct eye_props {
  int dtype;
} eye_props;

static int eye_infer(const gg_apply *a, gg_type *out) {
  *out = (gg_type){.dtype = ((const eye_props *)a->props)->dtype,
                   .nd = 2,
                   .dims = {GG_ANY, GG_ANY}};
  return GA_NO_ERROR;
}

static int eye_shape(const gg_apply *a, const gg_dims *in,
                     const double *const *number, gg_dims *out) {
  (void)in;
  if (number[0] == NULL || number[1] == NULL)
    return gg_op_fail(a, GA_VALUE_ERROR, "a size is not known");
  *out = (gg_dims){2, {(size_t)*number[0], (size_t)*number[1]}};
  return GA_NO_ERROR;
}

static const gg_op eye_op = {.name = "eye",
                             .kind = GG_OP_KERNEL,
                             .props_bytes = sizeof(eye_props),
                             .n_out = 1,
                             .number_only = 7,
                             .half_ok = 1,
                             .infer = eye_infer,
                             .shape = eye_shape,
                             .prepare = op_eye_file_prepare};

int main(int argc, char **argv) {
  gg_graph *g = example_open();
  gg_var *in[3] = {gg_i64(g, 2), gg_i64(g, 3), gg_i64(g, -1)};
  gg_var *z = gg_op_apply(g, &eye_op, &(eye_props){GA_FLOAT}, 3, in);
  gg_var *h = gg_op_apply(g, &eye_op, &(eye_props){GA_HALF}, 3, in);
  GpuKernelFile *file;

  example_expect(z, 6, (float[]){0, 0, 0, 1, 0, 0});
  example_expect(gg_cast(h, GA_FLOAT), 6, (float[]){0, 0, 0, 1, 0, 0});
  if (argc > 1) {
    int err = GpuKernelFile_read(&file, 1, (const char *const *)argv + 1);
    if (err != GA_NO_ERROR)
      example_fail("read", gpucontext_error(NULL, err));
    printf("%s", GpuKernelFile_find(file, "eye")->code);
    GpuKernelFile_free(file);
  }
  return example_close(g);
}
