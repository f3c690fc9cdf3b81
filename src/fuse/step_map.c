/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps: one kernel for elementwise nodes of one space. */
#include "fuse/body.h"
#include "fuse/label.h"
#include "fuse/overwrite.h"

int gg__add_map(gg__maker *m, unsigned int group, unsigned int cut,
                size_t *first) {
  const gg__cut t = {.group = group, .index = cut};
  gg__map_step *x = gg__add_step(m, GG_STEP_MAP, NULL, sizeof *x);

  if (x == NULL)
    return GA_MEMORY_ERROR;
  gg__begin_body(m, &x->body);
  GA_TRY(gg__fill_body(m, &x->body, &t, NULL, 0, first));
  GA_TRY(gg__end_body(m, &x->body));
  GA_TRY(gg__step_lists(m, &x->step, 1, x->body.n_in, x->body.n_out));
  gg__step_computes(&x->step, x->body.nodes, x->body.n_nodes);
  gg__step_reads_body(&x->step, &x->body);
  gg__step_writes_body(m, &x->step, &x->body);
  return GA_NO_ERROR;
}

static void label(ga__strb *b, const gg__program *p, const gg__step *s) {
  (void)p;
  ga__strb_append(b, "map");
  gg__label_body(b, &gg__map_of(s)->body);
}

static int overwrites(const gg__program *p, const gg__step *s,
                      const gg__result *r) {
  return gg__body_allows(p, &gg__map_of(s)->body, r->shared,
                         p->values.v[r->value].space);
}

const gg__step_ops gg__map_ops = {
    .name = "map", .has_launch = 1, .label = label, .overwrites = overwrites};
