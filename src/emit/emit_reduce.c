/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of reductions: the map before, the accumulators, the epilogue. */
#include <stdio.h>

#include "base/dtype.h"
#include "emit/emit.h"
#include "ops/ops.h"

/* How many values a step's kernel accumulates. The sum beside a variance needs
 * no accumulator of its own. */
static unsigned int count_accumulators(const gg__reduce_step *x) {
  return gg__reduce_op(x->step.apply) == GA_REDUCE_VAR ? 1 : 1 + x->n_also;
}

/* Append v = the element that is reduced, or v0, v1, ... for several
 * reductions. */
static void append_reduced(gg__emitter *e, const gg__reduce_step *x, int acc) {
  const unsigned int n = count_accumulators(x);
  char name[16];

  gg__emit_reduced(e, x->step.apply, acc, n > 1 ? "v0" : "v");
  for (unsigned int i = 1; i < n; i++) {
    snprintf(name, sizeof name, "v%u", i);
    gg__emit_reduced(e, x->also[i - 1], acc, name);
  }
}

/* Append r1, r2, ... = the results of the other reductions. Beside a variance
 * that is the sum of the same elements. */
static void append_also(gg__emitter *e, const gg__reduce_step *x,
                        unsigned int i) {
  const gg_apply *a = x->also[i];
  const char *s = gg__stem(a->out[0]->type.dtype);

  if (gg__reduce_op(x->step.apply) == GA_REDUCE_VAR)
    ga__strb_appendf(&e->text, "w_%s r1 = w_to_%s(mean * count);\n", s, s);
  else if (gg__is_complex(a->out[0]))
    ga__strb_appendf(&e->text, "w_%s r%u = acc%u;\n", s, i + 1, i + 1);
  else
    ga__strb_appendf(&e->text, "w_%s r%u = w_to_%s(acc%u);\n", s, i + 1, s,
                     i + 1);
  e->local[gg__out(e->p, a, 0)] = GG_LOCAL(GG_LOCAL_REDUCED, i + 1);
}

static int emit_epilogue(gg__emitter *e, const gg__reduce_step *x,
                         gg__arguments *out) {
  gg__emit_names(e, &x->epilogue);
  gg__emit_result(e, x->step.apply, count_accumulators(x) > 1 ? "acc0" : "acc");
  for (unsigned int i = 0; i < x->n_also; i++)
    append_also(e, x, i);
  return gg__emit_epilogue_body(e, &x->epilogue, out);
}

int gg__emit_reduction(gg__kernels *k, const gg__step *s, gg__kernel *to) {
  const gg__reduce_step *x = gg__reduce_of(s);
  gg__emitter map = GG_EMITTER(k, "i", "s", "o"),
              epilogue = GG_EMITTER(k, "p", "q", "o");
  GpuReductionSpec spec = {.op = gg__reduce_op(s->apply),
                           .acc = gg__accumulator(s->apply),
                           .flags = x->map.vector ? GE_VECTOR : 0,
                           .n_acc = count_accumulators(x)};
  gg__arguments in = {{NULL, 0, 0}, NULL}, out = {{NULL, 0, 0}, NULL};
  int err;

  gg__emit_names(&map, &x->map);
  gg__emit_nodes(&map, &x->map);
  append_reduced(&map, x, spec.acc);
  GA_CHECK(gg__list_arguments(&in, &map, &x->map, 0));
  GA_CHECK(map.text.err);
  GA_CHECK(emit_epilogue(&epilogue, x, &out));
  spec.map = ga__strb_text(&map.text);
  spec.post = ga__strb_text(&epilogue.text);
  spec.n_in = (unsigned int)in.list.n;
  spec.in = in.list.v;
  spec.n_post = (unsigned int)out.list.n;
  spec.post_args = out.list.v;
  err = GpuReduction_new(&to->reduction, gg__step_context(k->p, s), &spec);
done:
  gg__arguments_clear(&in);
  gg__arguments_clear(&out);
  ga__strb_clear(&map.text);
  ga__strb_clear(&epilogue.text);
  return err;
}
