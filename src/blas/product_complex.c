/* SPDX-License-Identifier: BSD-2-Clause */
/* What complex products share: kernels behind their text, arguments. */
#include "blas/product_complex.h"

#include "codegen/template.h"

int ga__complex_part(int typecode) {
  return typecode == GA_CDOUBLE ? GA_DOUBLE : GA_FLOAT;
}

void ga__complex_kernel(GpuLaunch *l, const char *name, const char *entry,
                        int typecode, unsigned int lanes, size_t n,
                        const ga__macro *macros, unsigned int nd,
                        const size_t *gs, const size_t *ls) {
  ga__strb text = GA_STRB_INIT;
  const char *parts[3];
  const ga__source src = {.n = 3, .parts = parts, .entry = entry};

  ga__gen_complex(&text, typecode, lanes, n, macros);
  parts[0] = ga__strb_text(&text);
  parts[1] = ga__template("complex_pairs");
  parts[2] = ga__template(name);
  if (text.err != GA_NO_ERROR)
    ga__launch_error(l, ga__fail_nomem());
  else if (parts[2] == NULL)
    ga__launch_error(l, ga__fail(GA_IMPL_ERROR, "no template %s", name));
  else
    ga__launch_kernel(l, &src, nd, gs, ls);
  ga__strb_clear(&text);
}

void ga__complex_factor(GpuLaunch *l, int typecode, ga_complex v) {
  const double d[2] = {v.re, v.im};
  const float f[2] = {(float)v.re, (float)v.im};

  if (typecode == GA_CDOUBLE)
    ga__launch_value(l, -1, sizeof d, d);
  else
    ga__launch_value(l, -1, sizeof f, f);
}

void ga__complex_sign(GpuLaunch *l, int typecode, int conj) {
  ga__product_scalar(l, ga__complex_part(typecode), conj ? -1 : 1);
}

unsigned int ga__complex_lanes(gpucontext *ctx, int typecode) {
  return ga__product_lanes(ctx, ga__complex_part(typecode));
}
