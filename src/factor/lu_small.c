/* SPDX-License-Identifier: BSD-2-Clause */
/* LU factors of small matrices on GPUs: a group has several of them
 * (cl/factor_lu_small.cl). */
#include "base/arith.h"
#include "factor/factor.h"

enum {
  GROUP = 32, /* work-items of a group */
  LEAST = 4,  /* fewest of a matrix, */
  MOST = 32   /* and most, which are its rows and columns */
};

int ga__factor_lu_is_small(const ga__factor *f, const ga__block *a) {
  return !f->is_cpu && !f->is_complex && f->most >= GROUP &&
         ga__at_least(a->m, a->n) <= MOST && ga__at_most(a->m, a->n) > 0;
}

ga__pivots ga__factor_lu_small(ga__factor *f, const ga__block *from,
                               const ga__block *a) {
  const size_t items =
      ga__ceil_pow2(ga__at_least(ga__at_least(a->m, a->n), LEAST));
  const size_t each = ga__at_most(a->m, a->n);
  const size_t ints = ga__times(ga__at_least(f->batch, 1), each);
  const ga__macro macros[] = {{"G", GROUP}, {"P", items}};
  ga__factor all = *f; /* one list of matrices */
  ga__pivots p = {.each = each};

  all.batch = 1;
  ga__launch_rounds(f->l, ga__times(each, items));
  ga__factor_group_kernel(&all, "factor_lu_small", "factor_lu",
                          ga__ceil_div(f->batch, GROUP / items), GROUP,
                          sizeof macros / sizeof *macros, macros);
  ga__factor_arg(f, from);
  ga__factor_arg(f, a);
  ga__launch_size(f->l, a->m);
  ga__launch_size(f->l, a->n);
  ga__launch_size(f->l, f->batch);
  p.work = ga__launch_work(f->l, ga__times(ints, sizeof(int32_t)));
  ga__launch_size(f->l, each);
  ga__factor_info_arg(f, 1);
  return p;
}
