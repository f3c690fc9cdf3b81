/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of maps. */
#include "emit/emit.h"

int gg__emit_map(gg__kernels *k, const gg__step *s, gg__kernel *out) {
  const gg__body *b = &gg__map_of(s)->body;
  gg__emitter e = GG_EMITTER(k, "i", "s", "o");
  gg__arguments a = {{NULL, 0, 0}, NULL};
  int err;

  gg__emit_names(&e, b);
  gg__emit_nodes(&e, b);
  gg__emit_stores(&e, b);
  GA_CHECK(gg__list_arguments(&a, &e, b, 1));
  GA_CHECK(e.text.err);
  out->map = GpuElemwise_new(gg__step_context(k->p, s), NULL,
                             ga__strb_text(&e.text), (unsigned int)a.list.n,
                             a.list.v, k->p->values.v[b->out[0]].var->type.nd,
                             b->vector ? GE_VECTOR : GE_CONVERT_F16);
  if (out->map == NULL)
    err = gpuarray_error_code();
done:
  gg__arguments_clear(&a);
  ga__strb_clear(&e.text);
  return err;
}
