/* SPDX-License-Identifier: BSD-2-Clause */
/* Labels of steps, for profiles and messages. */
#include "fuse/label.h"

#include <string.h>

enum { MAX_NAMES = 6 };

/* Names of ops, each once, in the order of their first use. */
typedef struct names {
  const gg_op *seen[MAX_NAMES];
  unsigned int n, more;
} names;

/* Is the op new, and is there space for its name? Enters it, or counts it in
 * x->more. */
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

void gg__label_body(ga__strb *b, const gg__body *body) {
  names x = {.n = 0};

  ga__strb_append(b, "{");
  for (unsigned int i = 0; i < body->n_nodes; i++)
    if (is_new(&x, body->nodes[i]->op))
      ga__strb_appendf(b, "%s%s", x.n > 1 ? ", " : "",
                       body->nodes[i]->op->name);
  ga__strb_append(b, x.more != 0 ? ", ...}" : "}");
}

void gg__label_rows(ga__strb *b, const gg__rows_step *r) {
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

void gg__label_node(ga__strb *b, const gg_apply *a) {
  char text[128] = "";

  if (a->op->print != NULL)
    a->op->print(a, text, sizeof text);
  if (a->op->kind == GG_OP_REDUCE) {
    ga__strb_append(b, text);
    return;
  }
  const char *narrow = gg__widened_from(a);
  ga__strb_appendf(b, "%s%s%s", a->op->name, text[0] != '\0' ? " " : "", text);
  if (narrow != NULL)
    ga__strb_appendf(b, " (%s by float32)", narrow);
  ga__strb_append(b, a->op->on_host ? " (host)" : "");
}

void gg__label_then(ga__strb *b, const gg__body *body) {
  if (body->n_nodes == 0)
    return;
  ga__strb_append(b, " then ");
  gg__label_body(b, body);
}
