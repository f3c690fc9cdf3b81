/* SPDX-License-Identifier: BSD-2-Clause */
/* Eye: ones on the k-th diagonal of an n by m matrix. No input is an array: the
 * dtype is a property, and n, m, k are numbers known before anything runs. */
#include "op_example.h"

static const int types[] = {GA_BUFFER, GA_SIZE, GA_SIZE, GA_SSIZE};
static const GpuKernelSpec eye = {
    .name = "eye",
    .code = "KERNEL void eye(GLOBAL_MEM DTYPE_OUTPUT_0 *a, ga_size n,\n"
            "                ga_size m, ga_ssize k) {\n"
            "  ga_ssize i = GID_0 * LDIM_0 + LID_0, c = m;\n"
            "  if (i < n * m) a[i] = WRITE_OUTPUT_0(i % c - i / c == k);}",
    .n_types = 4,
    .types = types};

static int eye_infer(const gg_apply *a, gg_type *out) {
  *out = (gg_type){
      .dtype = *(const int *)a->props, .nd = 2, .dims = {GG_ANY, GG_ANY}};
  return GA_NO_ERROR;
}

static int eye_shape(const gg_apply *a, const gg_dims *in,
                     const double *const *number, gg_dims *out) {
  (void)in;
  if (number[0] == NULL || number[1] == NULL || number[2] == NULL)
    return gg_op_fail(a, GA_VALUE_ERROR, "a size is not known");
  *out = (gg_dims){2, {(size_t)*number[0], (size_t)*number[1]}};
  return GA_NO_ERROR;
}

static int eye_prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  size_t n = example_count(p->out[0]), *dims = p->out[0]->dimensions;
  ssize_t k = (ssize_t)*p->number[2];

  GpuLaunch_scall(l, &eye, 1, &n, 0,
                  (void *[]){p->out[0], &dims[0], &dims[1], &k});
  return GpuLaunch_close(out, l);
}

static const gg_op eye_op = {.name = "eye",
                             .kind = GG_OP_KERNEL,
                             .props_bytes = sizeof(int), /* the dtype */
                             .n_out = 1,
                             .number_only = 7, /* inputs 0, 1, 2 */
                             .half_ok = 1,
                             .infer = eye_infer,
                             .shape = eye_shape,
                             .prepare = eye_prepare};

int main(void) {
  gg_graph *g = example_open();
  gg_var *in[3] = {gg_i64(g, 2), gg_i64(g, 3), gg_i64(g, 1)};
  gg_var *z = gg_op_apply(g, &eye_op, &(int){GA_FLOAT}, 3, in);
  gg_var *h = gg_op_apply(g, &eye_op, &(int){GA_HALF}, 3, in);

  example_expect(z, 6, (float[]){0, 1, 0, 0, 0, 1});
  example_expect(gg_cast(h, GA_FLOAT), 6, (float[]){0, 1, 0, 0, 0, 1});
  return example_close(g);
}
