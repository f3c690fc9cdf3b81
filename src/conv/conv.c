/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions, prepared and run. */
#include "conv/conv.h"

#include "base/arith.h"
#include "base/dtype.h"

static size_t total(const ga__conv_array *a) {
  return a->n[0] * a->n[1] * a->size[0] * a->size[1] * a->size[2];
}

static void add_cost(GpuLaunch *l, const ga__conv *c) {
  const double size = (double)ga__dtype_size(c->typecode);
  const double elements =
      (double)total(&c->x) + (double)total(&c->w) + (double)total(&c->y);
  const double each =
      (double)(c->w.n[1] * c->w.size[0] * c->w.size[1] * c->w.size[2]);

  ga__launch_cost(l, size * elements, 2 * (double)total(&c->y) * each);
}

int ga__conv_prepare_by(GpuLaunch **out, const GpuConv *g, ga_conv_part part,
                        GpuArray *const given[3], const GpuEpilogue *e,
                        void **args, const ga__provider *by) {
  const GpuArray *const arrays[3] = {given[0], given[1], given[2]};
  ga__conv c;

  *out = NULL;
  (void)args;
  if (e != NULL)
    return ga__fail(GA_UNSUPPORTED_ERROR, "no epilogues yet");
  GA_TRY(ga__conv_describe(&c, g, part, arrays));
  GA_TRY(ga__product_support(c.ctx, c.typecode));
  GpuLaunch *l = ga__launch_open(c.ctx, "conv", GA_EPILOGUE_SLOT);
  for (unsigned int i = 0; i < 3; i++)
    ga__launch_bind_array(l, i, given[i]);
  add_cost(l, &c);
  ga__conv_add(l, &c, part, NULL, by);
  return ga__launch_seal(out, l);
}

int GpuConv_prepare(GpuLaunch **out, const GpuConv *c, ga_conv_part part,
                    GpuArray *a, GpuArray *b, GpuArray *r, const GpuEpilogue *e,
                    void **args) {
  return ga__conv_prepare_by(out, c, part, (GpuArray *[3]){a, b, r}, e, args,
                             NULL);
}

int GpuConv_call(const GpuConv *c, ga_conv_part part, GpuArray *a, GpuArray *b,
                 GpuArray *r) {
  GpuLaunch *l;
  int err;

  GA_TRY(GpuConv_prepare(&l, c, part, a, b, r, NULL, NULL));
  err = GpuLaunch_run(l);
  GpuLaunch_free(l);
  return err;
}
