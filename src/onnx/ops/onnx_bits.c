/* SPDX-License-Identifier: BSD-2-Clause */
/* The bits of elements as another dtype of the same size. */
#include <gpuarray/array.h>
#include <gpugraph/op.h>
#include <string.h>

#include "base/dtype.h"
#include "base/err.h"
#include "onnx/ops/builders.h"

/* The only property: the dtype of the result. */
typedef struct bits_props {
  int dtype;
} bits_props;

static int infer(const gg_apply *a, gg_type *out) {
  const bits_props *p = a->props;

  *out = *gg_var_type(a->in[0]);
  out->dtype = p->dtype;
  return GA_NO_ERROR;
}

static int shape(const gg_apply *a, const gg_dims *in,
                 const double *const *host, gg_dims *out) {
  (void)a;
  (void)host;
  *out = in[0];
  return GA_NO_ERROR;
}

static int copy(const gg_prepare *p) {
  GpuArray bits;

  GA_TRY(GpuArray_view(&bits, p->in[0]));
  bits.typecode = p->out[0]->typecode;
  const int err = GpuArray_move(p->out[0], &bits);
  GpuArray_clear(&bits);
  return err;
}

static int copy_on_host(const gg_prepare *p) {
  size_t bytes = ga__dtype_size(p->in[0]->typecode);

  for (unsigned int i = 0; i < p->in[0]->nd; i++)
    bytes *= p->in[0]->dimensions[i];
  memcpy(p->to[0], p->from[0], bytes);
  return GA_NO_ERROR;
}

static const gg_op bits_op = {.name = "onnx_bits",
                              .kind = GG_OP_PERFORM,
                              .props_bytes = sizeof(bits_props),
                              .n_out = 1,
                              .infer = infer,
                              .shape = shape,
                              .perform = copy,
                              .reference = copy_on_host,
                              .half_ok = 1};

/* Casts keep the bits of integers. */
int gg__from_bit_cast(gg__onnx_call *c) {
  const int64_t to = gg__call_int(c, "to", 0);
  const bits_props p = {.dtype = gg__onnx_dtype(to)};
  gg_var *x = gg__call_in(c, 0);
  const int from = gg__dtype_of(x);

  if (p.dtype < 0)
    return ga__fail(GA_UNSUPPORTED_ERROR, "a cast to %s (%lld)",
                    gg__onnx_type_name(to), (long long)to);
  if (x == NULL)
    return GA_NO_ERROR;
  if (ga__dtype_size(from) != ga__dtype_size(p.dtype))
    return ga__fail(GA_VALUE_ERROR, "%zu bytes as %zu", ga__dtype_size(from),
                    ga__dtype_size(p.dtype));
  if (from == p.dtype)
    c->out[0] = x;
  else if (ga__dtype_kind(from) == GA_KIND_FLOAT ||
           ga__dtype_kind(p.dtype) == GA_KIND_FLOAT)
    c->out[0] = gg_op_apply(c->g, &bits_op, &p, 1, &x);
  else
    c->out[0] = gg_cast(x, p.dtype);
  return GA_NO_ERROR;
}
