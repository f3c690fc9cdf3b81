/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls with arguments and results in host memory. */
#include <gpugraph/args.h>
#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "func/func.h"

/* Bytes of an array; SIZE_MAX if the sizes of the caller overflow. */
static size_t host_bytes(int dtype, unsigned int nd, const size_t *dims) {
  size_t n = ga__dtype_size(dtype);

  for (unsigned int i = 0; i < nd; i++)
    n = ga__times(n, dims[i]);
  return n;
}

static int upload(const gg_func *f, unsigned int i, const gg_host_array *x,
                  GpuArray *a) {
  const size_t bytes =
      x->nd <= GG_MAX_ND ? host_bytes(x->dtype, x->nd, x->dims) : 0;

  if (x->nd > GG_MAX_ND || ga__dtype_kind(x->dtype) == GA_KIND_NONE ||
      (x->data == NULL && bytes != 0))
    return ga__fail(GA_VALUE_ERROR, "input %u (%s): no array", i,
                    f->unit.program.arguments.v[i]->name);
  GA_TRY(GpuArray_empty(a, f->unit.program.arguments.v[i]->type.ctx, x->dtype,
                        x->nd, x->dims, GA_C_ORDER));
  if (bytes == 0)
    return GA_NO_ERROR;
  return GpuArray_write(a, x->data, bytes);
}

static int download(unsigned int k, const GpuArray *a, gg_host_array *x) {
  const size_t bytes = host_bytes(a->typecode, a->nd, a->dimensions);

  x->dtype = a->typecode;
  x->nd = a->nd;
  if (a->nd != 0)
    memcpy(x->dims, a->dimensions, a->nd * sizeof x->dims[0]);
  if (bytes > x->bytes || (bytes != 0 && x->data == NULL))
    return ga__fail(GA_VALUE_ERROR,
                    "output %u: %zu bytes, there is room for "
                    "%zu",
                    k, bytes, x->bytes);
  if (bytes == 0)
    return GA_NO_ERROR;
  return GpuArray_read(x->data, bytes, a);
}

/* Arrays of one call: inputs, then outputs. Of those that are left out, `list`
 * has NULL. */
typedef struct host_call {
  GpuArray *arrays, **list;
} host_call;

/* *called: gg_func_call failed, and has completed the message. */
static int call_host(gg_func *f, const host_call *c,
                     const gg_host_array *const *in, gg_host_array *const *out,
                     int *called) {
  const unsigned int n = (unsigned int)f->n_given;

  for (unsigned int k = 0; in != NULL && k < n; k++)
    if (in[k] != NULL) {
      GA_TRY(upload(f, k, in[k], &c->arrays[k]));
      c->list[k] = &c->arrays[k];
    }
  for (unsigned int k = 0; out != NULL && k < f->unit.program.n_outputs; k++)
    c->list[n + k] = out[k] != NULL ? &c->arrays[n + k] : NULL;
  *called = 1;
  GA_TRY(gg_func_call(f, c->list, c->list + n));
  *called = 0;
  for (unsigned int k = 0; out != NULL && k < f->unit.program.n_outputs; k++)
    if (out[k] != NULL)
      GA_TRY(download(k, &c->arrays[n + k], out[k]));
  return GA_NO_ERROR;
}

int gg_func_call_host(gg_func *f, const gg_host_array *const *in,
                      gg_host_array *const *out) {
  const size_t n = gg_func_n_inputs(f) + gg_func_n_outputs(f);
  host_call c;
  int called = 0;

  if (f == NULL)
    return ga__fail(GA_VALUE_ERROR, "no function");
  c.arrays = ga__calloc(n + 1, sizeof *c.arrays);
  c.list = ga__calloc(n + 1, sizeof *c.list);
  int err = c.arrays != NULL && c.list != NULL
                ? call_host(f, &c, in, out, &called)
                : ga__fail_nomem();
  for (size_t k = 0; c.arrays != NULL && k < n; k++)
    GpuArray_clear(&c.arrays[k]);
  ga__free(c.arrays);
  ga__free(c.list);
  return err == GA_NO_ERROR || called ? err : gg__func_failed(f, err);
}
