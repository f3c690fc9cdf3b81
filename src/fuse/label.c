/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of steps, for profiles and prints. */
#include <string.h>

#include "fuse/program.h"

enum { MAX_NAMES = 6 };

/* Names of ops, each once, in the order of their first use. */
typedef struct names {
  const gg_op *seen[MAX_NAMES];
  unsigned int n, more;
} names;

/* Is it the first of its kind, and one that is shown? */
static int is_new(names *x, const gg_op *op) {
  for (unsigned int k = 0; k < x->n; k++)
    if (x->seen[k] == op)
      return 0;
  if (x->n == MAX_NAMES) {
    x->more++;
    return 0;
  }
  x->seen[x->n++] = op;
  return 1;
}

static void append_ops(ga__strb *b, const gg__body *body) {
  names x = {.n = 0};

  ga__strb_append(b, "{");
  for (unsigned int i = 0; i < body->n_nodes; i++)
    if (is_new(&x, body->nodes[i]->op))
      ga__strb_appendf(b, "%s%s", x.n > 1 ? ", " : "",
                       body->nodes[i]->op->name);
  ga__strb_append(b, x.more != 0 ? ", ...}" : "}");
}

/* The same of a row program; reductions by theirs, all that there are. */
static void append_rows(ga__strb *b, const gg__rows *r) {
  const char *between = "";
  names x = {.n = 0};
  char text[128];

  ga__strb_append(b, "rows{");
  for (unsigned int i = 0; i < r->n_items; i++) {
    const gg_apply *a = r->items[i].apply;
    if (r->items[i].kind == GG_ROW_REDUCE) {
      text[0] = '\0';
      a->op->print(a, text, sizeof text);
      ga__strb_appendf(b, "%s%.*s", between, (int)strcspn(text, " "), text);
    } else if (r->items[i].kind != GG_ROW_VIEW && is_new(&x, a->op)) {
      ga__strb_appendf(b, "%s%s", between, a->op->name);
    } else {
      continue;
    }
    between = ", ";
  }
  ga__strb_append(b, x.more != 0 ? ", ...}" : "}");
}

static void append_node(ga__strb *b, const gg_apply *a) {
  char text[128] = "";

  if (a->op->print != NULL)
    a->op->print(a, text, sizeof text);
  if (a->op->kind == GG_OP_REDUCE)
    ga__strb_append(b, text);
  else
    ga__strb_appendf(b, "%s%s%s%s%s", a->op->name, text[0] != '\0' ? " " : "",
                     text, gg__has_floats(a) ? " (float16 by float32)" : "",
                     a->op->on_host ? " (host)" : "");
}

static void append_then(ga__strb *b, const gg__body *body) {
  if (body->n_nodes == 0)
    return;
  ga__strb_append(b, " then ");
  append_ops(b, body);
}

/* What comes with a step's own node. */
static void append_also(ga__strb *b, const gg__step *s) {
  for (unsigned int i = 0; i < s->n_also; i++) {
    ga__strb_append(b, ", ");
    append_node(b, s->also[i]);
  }
}

static void append_step(ga__strb *b, const gg__program *p, const gg__step *s) {
  switch (s->kind) {
  case GG_STEP_MAP:
    ga__strb_append(b, "map");
    append_ops(b, &s->map);
    break;
  case GG_STEP_REDUCE:
    append_node(b, s->apply);
    append_also(b, s);
    if (s->map.n_nodes != 0)
      append_ops(b, &s->map);
    append_then(b, &s->post);
    break;
  case GG_STEP_KERNEL:
  case GG_STEP_INNER:
    append_node(b, s->apply);
    append_then(b, &s->post);
    append_also(b, s);
    append_then(b, &s->beside);
    break;
  case GG_STEP_ROWS:
    append_rows(b, s->rows);
    break;
  case GG_STEP_VIEW:
    append_node(b, s->apply);
    break;
  case GG_STEP_COPY:
    ga__strb_appendf(b, "copy %s", gg__display_name(p->values.v[s->from].var));
    break;
  case GG_STEP_SEND:
    ga__strb_append(b, "send");
    break;
  case GG_STEP_RECEIVE:
    append_node(b, s->apply);
    break;
  }
}

int gg__label_steps(gg__program *p) {
  ga__strb b = GA_STRB_INIT;
  unsigned int number = 0;
  int err = GA_NO_ERROR;

  for (size_t k = 0; k < p->steps.n && err == GA_NO_ERROR; k++) {
    if (p->steps.v[k]->kind != GG_STEP_VIEW)
      p->steps.v[k]->number = ++number;
    ga__strb_reset(&b);
    append_step(&b, p, p->steps.v[k]);
    p->steps.v[k]->label = ga__arena_strdup(&p->arena, ga__strb_text(&b));
    err = b.err;
    if (p->steps.v[k]->label == NULL)
      err = ga__fail_nomem();
  }
  ga__strb_clear(&b);
  return err;
}
