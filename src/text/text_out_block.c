/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions to text, one per line. The block of a loop has a line for each
 * row, state and fixed input, then the definitions of the body, then its next
 * values, outputs and condition. */
#include <limits.h>
#include <string.h>

#include "loop/loop.h"
#include "text/block.h"
#include "text/printer.h"

typedef struct writer {
  const gg__printer *outer;
  gg__printer in; /* of the body */
  const gg_apply *a;
  gg__loop l;
  unsigned int *first; /* first tap of each state, or NO_TAP */
  unsigned int *next;  /* by tap: the next tap of the same state, or NO_TAP */
} writer;

#define NO_TAP UINT_MAX

static int list_taps(writer *w) {
  const size_t n = (size_t)w->l.h->n_states, n_taps = (size_t)w->l.h->n_taps;

  w->first = ga__calloc(n, sizeof *w->first);
  w->next = ga__calloc(n_taps, sizeof *w->next);
  if (w->first == NULL || w->next == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    w->first[i] = NO_TAP;
  for (size_t i = n_taps; i-- > 0;) {
    unsigned int *first = &w->first[w->l.taps[i].state];
    w->next[i] = *first;
    *first = (unsigned int)i;
  }
  return GA_NO_ERROR;
}

/* --- values passed in --- */

/* Nonzero if the type equals that of the operand without its first `from`
 * dimensions. It is then left out. */
static int is_plain(const gg_type *t, const gg_type *outer, unsigned int from) {
  if (t->dtype != outer->dtype || t->nd + from != outer->nd)
    return 0;
  return t->nd == 0 ||
         memcmp(t->dims, outer->dims + from, t->nd * sizeof t->dims[0]) == 0;
}

static void begin_line(const writer *w) {
  gg__print_indent(&w->in);
}

/* Print "=" and what follows: "row{reversed=true} float32[3](operand)". */
static int print_incoming(const writer *w, const gg_op_form *form,
                          const void *props, const gg_type *t,
                          const gg_var *outer, unsigned int from) {
  ga__strb *out = w->in.out;

  ga__strb_append(out, " = ");
  ga__strb_append(out, form->op->name);
  gg__form_print(form, props, out);
  if (!is_plain(t, &outer->type, from)) {
    ga__strb_append(out, " ");
    gg__print_type(&w->in, t);
  }
  ga__strb_append(out, "(");
  GA_TRY(gg__print_operand(w->outer, outer));
  ga__strb_append(out, ")\n");
  return GA_NO_ERROR;
}

static int print_row(const writer *w, unsigned int i) {
  const gg__row_props props = {(int)w->l.reversed[i]};
  const gg_var *v = w->l.inner->in[i];

  begin_line(w);
  gg__print_target(&w->in, v);
  return print_incoming(w, &gg__row_form, &props, &v->type,
                        w->a->in[gg__loop_seq(&w->l, i)], 1);
}

static int print_fixed(const writer *w, unsigned int i) {
  const gg_var *v = w->l.inner->in[gg__body_fixed(&w->l, i)];

  begin_line(w);
  gg__print_target(&w->in, v);
  return print_incoming(w, &gg__fixed_form, NULL, &v->type,
                        w->a->in[gg__loop_fixed(&w->l, i)], 0);
}

/* Print the targets of a state, one for each tap, and set `props`. */
static int print_taps(const writer *w, unsigned int state,
                      gg__state_props *props) {
  int64_t furthest = 1;

  for (unsigned int i = w->first[state]; i != NO_TAP; i = w->next[i]) {
    if (props->n_back == GG_MOST_TAPS)
      return gg__fail(w->in.root, GA_UNSUPPORTED_ERROR,
                      "scan: a text has no more than %d earlier values of a "
                      "state",
                      GG_MOST_TAPS);
    ga__strb_append(w->in.out, props->n_back != 0 ? ", " : "");
    gg__print_target(&w->in, w->l.inner->in[gg__body_tap(&w->l, i)]);
    props->back[props->n_back++] = w->l.taps[i].back;
    if (w->l.taps[i].back > furthest)
      furthest = w->l.taps[i].back;
  }
  if (props->n_back == 0)
    ga__strb_append(w->in.out, "_");
  if (props->n_back == 1 && props->back[0] == 1)
    props->n_back = 0;
  props->is_resized = w->l.depth[state] == 0;
  if (!props->is_resized && w->l.depth[state] != furthest)
    props->depth = w->l.depth[state];
  return GA_NO_ERROR;
}

static int print_state(const writer *w, unsigned int i) {
  const gg_var *init = w->a->in[gg__loop_init(&w->l, i)];
  gg__state_props *props = ga__calloc(1, sizeof *props);
  const unsigned int tap = w->first[i], from = w->l.depth[i] != 0;
  gg_type row = {.dtype = init->type.dtype, .nd = init->type.nd - from};
  int err;

  if (props == NULL)
    return ga__fail_nomem();
  memcpy(row.dims, init->type.dims + from, row.nd * sizeof row.dims[0]);
  begin_line(w);
  GA_CHECK(print_taps(w, i, props));
  /* The type of a state's rows is that of its first tap. */
  GA_CHECK(print_incoming(
      w, &gg__state_form, props,
      tap != NO_TAP ? &w->l.inner->in[gg__body_tap(&w->l, tap)]->type : &row,
      init, from));

done:
  ga__free(props);
  return err;
}

static int print_inputs(const writer *w) {
  for (unsigned int i = 0; i < w->l.h->n_seqs; i++)
    GA_TRY(print_row(w, i));
  for (unsigned int i = 0; i < w->l.h->n_states; i++)
    GA_TRY(print_state(w, i));
  for (unsigned int i = 0; i < w->l.h->n_fixed; i++)
    GA_TRY(print_fixed(w, i));
  return GA_NO_ERROR;
}

/* --- values passed out --- */

/* Print "next (a, b)", or nothing if n is 0. */
static void print_clause(const writer *w, const char *word, unsigned int first,
                         unsigned int n) {
  if (n == 0)
    return;
  begin_line(w);
  ga__strb_appendf(w->in.out, "%s ", word);
  gg__print_labels(&w->in, n, w->l.inner->out + first);
  ga__strb_append(w->in.out, "\n");
}

static void print_output(const writer *w, unsigned int i) {
  const gg__loop_out *x = &w->l.outs[i];
  ga__strb *out = w->in.out;

  gg__print_label(&w->in, w->l.inner->out[gg__body_out(&w->l, i)]);
  ga__strb_append(out, x->reversed ? " reversed" : "");
  if (x->like < 0)
    return;
  ga__strb_append(out, " like ");
  gg__print_label(&w->in, w->l.inner->in[x->like]);
}

static void print_outputs(const writer *w) {
  if (w->l.h->n_outs == 0)
    return;
  begin_line(w);
  ga__strb_append(w->in.out, "output (");
  for (unsigned int i = 0; i < w->l.h->n_outs; i++) {
    ga__strb_append(w->in.out, i != 0 ? ", " : "");
    print_output(w, i);
  }
  ga__strb_append(w->in.out, ")\n");
}

static int print_body(writer *w) {
  const gg__inner *x = w->l.inner;

  for (unsigned int i = 0; i < x->n_in; i++)
    gg__print_want(&w->in, x->in[i]);
  for (unsigned int i = 0; i < x->n_out; i++)
    gg__print_want(&w->in, x->out[i]);
  GA_TRY(gg__print_prepare(&w->in));
  GA_TRY(print_inputs(w));
  GA_TRY(gg__print_definitions(&w->in));
  print_clause(w, "next", 0, (unsigned int)w->l.h->n_states);
  print_outputs(w);
  print_clause(w, "until", gg__body_until(&w->l),
               (unsigned int)w->l.h->has_until);
  return GA_NO_ERROR;
}

/* --- a loop --- */

static int print_head(const writer *w) {
  const gg__scan_props props = {w->l.h->most, w->l.h->truncate,
                                (int)w->l.h->is_exact};
  ga__strb *out = w->in.out;

  ga__strb_append(out, "scan");
  gg__form_print(&gg__scan_form, &props, out);
  ga__strb_append(out, "(");
  GA_TRY(gg__print_count(w->outer, w->a->in[GG_LOOP_STEPS]));
  if (w->l.h->is_limited) {
    ga__strb_append(out, ", ");
    GA_TRY(gg__print_count(w->outer, w->a->in[GG_LOOP_LIMIT]));
  }
  ga__strb_append(out, ") {\n");
  return GA_NO_ERROR;
}

static int print_loop(const gg__printer *p, const gg_apply *a) {
  writer w = {.outer = p, .a = a, .l = gg__loop_of(a)};
  int err;

  if (p->depth == GG_MOST_LOOPS)
    return gg__fail(p->root, GA_UNSUPPORTED_ERROR,
                    "scan: a text has loops nested at most %d deep",
                    GG_MOST_LOOPS);
  w.in = (gg__printer){.root = p->root,
                       .flags = p->flags,
                       .blocks = p->blocks,
                       .out = p->out,
                       .version = p->version,
                       .labels = p->labels,
                       .depth = p->depth + 1};
  gg__print_needs(p, GG_VERSION_LOOPS);
  GA_CHECK(gg__printer_init(&w.in, w.l.inner->g));
  GA_CHECK(list_taps(&w));
  GA_CHECK(print_head(&w));
  GA_CHECK(print_body(&w));
  gg__print_indent(p);
  ga__strb_append(p->out, "}");

done:
  gg__printer_clear(&w.in);
  ga__free(w.first);
  ga__free(w.next);
  return err;
}

/* --- definitions --- */

static int print_definition(const gg__printer *p, const gg_var *v) {
  const unsigned int n_out = v->owner != NULL ? v->owner->n_out : 1;

  gg__print_indent(p);
  gg__print_target(p, v);
  for (unsigned int i = 1; i < n_out; i++) {
    ga__strb_append(p->out, ", ");
    gg__print_target(p, v->owner->out[i]);
  }
  ga__strb_append(p->out, " = ");
  if (v->owner != NULL && v->owner->op == &gg__op_scan)
    GA_TRY(print_loop(p, v->owner));
  else
    GA_TRY(gg__print_value(p, v));
  ga__strb_append(p->out, "\n");
  return GA_NO_ERROR;
}

/* Recurses for the bodies of loops. */
int gg__print_definitions(const gg__printer *p) {
  for (size_t id = 0; id < p->g->vars.n; id++) {
    const gg_var *v = p->g->vars.v[id];
    if (p->told[id].needed && !p->told[id].is_inner && v->index == 0 &&
        (p->depth == 0 || v->kind != GG_VAR_INPUT))
      GA_TRY(print_definition(p, v));
  }
  return GA_NO_ERROR;
}
