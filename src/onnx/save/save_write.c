/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes of a graph as nodes of a model. */
#include "onnx/save/save_write.h"

#include <gpugraph/walk.h>
#include <string.h>

#include "base/err.h"
#include "onnx/save/save_inner.h"
#include "onnx/save/savers.h"

static gg__name lower(gg__save *s, const gg_apply *a) {
  gg_var **out = ga__arena_alloc(&s->arena, a->n_out * sizeof(gg_var *));

  if (out == NULL) {
    s->err = ga__fail_nomem();
    return NULL;
  }
  s->err = a->op->lower(a, out);
  for (unsigned int i = 0; i < a->n_out; i++)
    gg__bind(s, a->out[i], gg__name_of(s, out[i]));
  return NULL;
}

static gg__name same(gg__save *s, const gg_apply *a, const char *op) {
  gg__name *in = ga__arena_alloc(&s->arena, (a->n_in + 1) * sizeof *in);

  if (in == NULL) {
    s->err = ga__fail_nomem();
    return NULL;
  }
  for (unsigned int i = 0; i < a->n_in; i++)
    in[i] = gg__name_of(s, a->in[i]);
  return gg__node(s, op, a->n_in, in, NULL);
}

/* Complex numbers are pairs to transforms, to what makes them and reads their
 * parts, and to what passes values on. Other ops are composed of ops on the
 * parts. */
static int takes_pairs(const gg__save_row *row) {
  return row->write == gg__save_complex || row->write == gg__save_part_of ||
         row->write == gg__save_fft || row->write == gg__save_rfft ||
         row->write == gg__save_irfft || row->write == gg__save_first;
}

/* How a node is written: by a row, or as another variable, or neither. */
static const gg__save_row *row_of(const gg_apply *a, gg_var **composed) {
  const gg__save_row *row = gg__save_find(a->op);

  *composed = NULL;
  if (!gg__has_complex(a) || (row != NULL && takes_pairs(row)))
    return row;
  *composed = gg__compose_complex(a);
  return NULL;
}

static void write_apply(gg__save *s, const gg_apply *a) {
  gg_var *composed;
  const gg__save_row *row = row_of(a, &composed);

  if (composed != NULL)
    gg__bind(s, a->out[0], gg__name_of(s, composed));
  else if (row != NULL && row->same != NULL)
    gg__bind(s, a->out[0], same(s, a, row->same));
  else if (row != NULL && row->write != NULL)
    gg__bind(s, a->out[0], row->write(s, a));
  else if (row != NULL)
    gg__bind(s, a->out[0], gg__name_of(s, row->compose(a)));
  else if (a->op->kind == GG_OP_TRANSFER)
    gg__bind(s, a->out[0], gg__name_of(s, a->in[0]));
  else if (a->op->kind == GG_OP_INNER && !gg__has_complex(a))
    gg__save_inner(s, a);
  else if (a->op->lower != NULL)
    lower(s, a);
  else
    for (unsigned int i = 0; i < a->n_out; i++)
      gg__bind(s, a->out[i],
               i != 0 ? "?"
               : gg__has_complex(a)
                   ? gg__save_problem(s, a, "models have no complex numbers")
                   : gg__save_problem(s, a, "models have no such op"));
}

/* Constants and weights stand in the main graph. */
static gg__name write_leaf(gg__save *s, const gg_var *v) {
  gg__frame *inner = s->frame;
  gg__name name = gg__save_leaf(s, v);

  while (s->frame->outer != NULL)
    s->frame = s->frame->outer;
  gg__bind(s, v, name);
  s->frame = inner;
  return name;
}

gg__name gg__save_value(gg__save *s, gg_var *v) {
  if (gg_var_owner(v) == NULL)
    return write_leaf(s, v);
  write_apply(s, gg_var_owner(v));
  gg__name name = ga__map_get(&s->frame->names, &v, sizeof v);
  if (name == NULL && s->err == GA_NO_ERROR)
    s->err = gg_graph_status(s->g) != GA_NO_ERROR
                 ? ga__fail(gg_graph_status(s->g), "%s", gg_graph_error(s->g))
                 : ga__fail_nomem();
  return name;
}

/* --- many nodes --- */

static int has_known_sizes(const gg_var *v) {
  const gg_type *t = gg_var_type(v);

  for (unsigned int k = 0; k < t->nd; k++)
    if (t->dims[k] == GG_ANY)
      return 0;
  return 1;
}

/* Mark `v`, and what it is computed by. */
static int mark(gg__save *s, ga__map *needed, const gg_var *v) {
  gg_apply *a = gg_var_owner(v);

  GA_TRY(ga__map_put(&s->used, &v, sizeof v, (void *)(uintptr_t)v));
  return a == NULL ? GA_NO_ERROR : ga__map_put(needed, &a, sizeof a, a);
}

/* Mark what a node reads of its input i: the value; or the sizes, which are
 * known, or operands of what makes the input, or those of the value. */
static int mark_input(gg__save *s, ga__map *needed, const gg_apply *a,
                      unsigned int i) {
  const gg_apply *owner = gg_var_owner(a->in[i]);

  if (!gg_apply_shape_only(a, i))
    return mark(s, needed, a->in[i]);
  if (has_known_sizes(a->in[i]))
    return GA_NO_ERROR;
  if (owner == NULL || strcmp(owner->op->name, "extent") != 0)
    return mark(s, needed, a->in[i]);
  for (unsigned int k = 0; k < owner->n_in; k++)
    GA_TRY(mark(s, needed, owner->in[k]));
  return GA_NO_ERROR;
}

/* Mark the nodes among nodes[0 .. n - 1], inputs before users, that the model
 * needs. */
static int mark_all(gg__save *s, ga__map *needed, size_t n,
                    gg_apply *const *nodes, gg_var *const *outputs) {
  for (; *outputs != NULL; outputs++)
    GA_TRY(mark(s, needed, *outputs));
  for (size_t k = n; k-- > 0;) {
    if (ga__map_get(needed, &nodes[k], sizeof nodes[k]) == NULL)
      continue;
    for (unsigned int i = 0; i < nodes[k]->n_in; i++)
      GA_TRY(mark_input(s, needed, nodes[k], i));
  }
  return GA_NO_ERROR;
}

/* Write the weights, before nodes take their names. */
static void save_weights(gg__save *s, size_t n, gg_apply *const *nodes) {
  for (size_t k = 0; k < n; k++)
    for (unsigned int i = 0; i < nodes[k]->n_in; i++) {
      gg_var *v = nodes[k]->in[i];

      if (gg_var_owner(v) == NULL && gg_var_data(v) == NULL &&
          gg__is_used(s, v))
        gg__name_of(s, v);
    }
}

int gg__save_all(gg__save *s, gg_var *const *outputs, gg_var *const *until) {
  ga__map needed = GA_MAP_INIT;
  gg_apply **nodes = NULL;
  size_t n;
  int err;

  GA_CHECK(gg_toposort(&nodes, &n, outputs, until));
  GA_CHECK(mark_all(s, &needed, n, nodes, outputs));
  save_weights(s, n, nodes);
  for (size_t i = 0; i < n && s->err == GA_NO_ERROR; i++)
    if (ga__map_get(&needed, &nodes[i], sizeof nodes[i]) != NULL)
      write_apply(s, nodes[i]);
  err = s->err;
done:
  ga__map_clear(&needed);
  gg_list_free(nodes);
  return err;
}
