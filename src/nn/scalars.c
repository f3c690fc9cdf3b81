/* SPDX-License-Identifier: BSD-2-Clause */
#include "nn/scalars.h"

#include "base/alloc.h"
#include "base/dtype.h"

int gg__scalars_init(gg__scalars *s, size_t count, unsigned int out) {
  *s = (gg__scalars){.count = count, .out = out};
  s->each = ga__calloc(count, sizeof *s->each);
  return s->each != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

void gg__scalars_clear(gg__scalars *s) {
  for (size_t i = 0; s->each != NULL && i < s->count; i++)
    GpuArray_clear(&s->each[i]);
  GpuArray_clear(&s->all);
  ga__free(s->each);
  s->each = NULL;
}

int gg__scalars_spread(gg__scalars *s, size_t i, int must_be_float) {
  const GpuArray *first = &s->each[i];
  const size_t size = ga__dtype_size(first->typecode);

  if (s->all.data != NULL)
    return GA_NO_ERROR;
  if (first->nd != 0 || ga__dtype_is_complex(first->typecode) ||
      (must_be_float && ga__dtype_kind(first->typecode) != GA_KIND_FLOAT))
    return ga__fail(GA_VALUE_ERROR,
                    "output %u of the step has %u axes and dtype %s, expected "
                    "a %s scalar",
                    s->out, first->nd, ga__dtype_name(first->typecode),
                    must_be_float ? "float" : "real");
  GA_TRY(GpuArray_empty(&s->all, gpudata_context(first->data), first->typecode,
                        1, &s->count, GA_C_ORDER));
  for (size_t k = 0; k < s->count; k++)
    if (s->each[k].data == NULL)
      GA_TRY(GpuArray_fromdata(&s->each[k], s->all.data,
                               s->all.offset + k * size, first->typecode, 0,
                               NULL, NULL, 1));
  return GA_NO_ERROR;
}

int gg__scalars_read(const gg__scalars *s, size_t i, double *out) {
  const GpuArray *a = &s->each[i];
  double bytes = 0;

  GA_TRY(GpuArray_read(&bytes, ga__dtype_size(a->typecode), a));
  *out = ga__dtype_to_double(a->typecode, &bytes);
  return GA_NO_ERROR;
}
