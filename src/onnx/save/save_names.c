/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of values, and problems. */
#include <string.h>

#include "base/err.h"
#include "onnx/save/saving.h"

/* Record the error that ends the save. */
static gg__name stop(gg__save *s, int err) {
  if (s->err == GA_NO_ERROR)
    s->err = err;
  return NULL;
}

static gg__name take_name(gg__save *s, const char *text) {
  char *name = ga__arena_strdup(&s->arena, text);

  if (name == NULL)
    return stop(s, ga__fail_nomem());
  int err = ga__map_put(&s->taken, name, strlen(name), name);
  return err == GA_NO_ERROR ? name : stop(s, err);
}

gg__name gg__save_name(gg__save *s, const char *wish) {
  ga__strb text = GA_STRB_INIT;
  gg__name name = NULL;

  if (s->err != GA_NO_ERROR)
    return NULL;
  if (wish[0] != '\0' && ga__map_get(&s->taken, wish, strlen(wish)) == NULL)
    return take_name(s, wish);
  do {
    ga__strb_reset(&text);
    ga__strb_appendf(&text, "%s_%zu", wish[0] != '\0' ? wish : "value",
                     ++s->n_names);
  } while (text.err == GA_NO_ERROR &&
           ga__map_get(&s->taken, text.s, text.n) != NULL);
  name = text.err == GA_NO_ERROR ? take_name(s, text.s) : stop(s, text.err);
  ga__strb_clear(&text);
  return name;
}

static gg__name find(const gg__save *s, const gg_var *v) {
  gg__name name = NULL;

  for (const gg__frame *f = s->frame; f != NULL && name == NULL; f = f->outer)
    name = ga__map_get(&f->names, &v, sizeof v);
  return name;
}

gg__name gg__name_of(gg__save *s, gg_var *v) {
  if (s->err != GA_NO_ERROR)
    return NULL;
  if (v == NULL) /* a decomposition could not be built */
    return gg_graph_status(s->g) == GA_NO_ERROR
               ? NULL
               : stop(s, ga__fail(gg_graph_status(s->g), "%s",
                                  gg_graph_error(s->g)));
  gg__name name = find(s, v);
  return name != NULL ? name : s->write(s, v);
}

gg__name gg__name_in(gg__save *s, const gg_apply *a, unsigned int i) {
  return gg__name_of(s, a->in[i]);
}

void gg__bind(gg__save *s, const gg_var *v, gg__name name) {
  if (name == NULL || s->err != GA_NO_ERROR)
    return;
  stop(s, ga__map_put(&s->frame->names, &v, sizeof v, (void *)(uintptr_t)name));
}

int gg__is_used(const gg__save *s, const gg_var *v) {
  return ga__map_get(&s->used, &v, sizeof v) != NULL;
}

gg__name gg__save_problem(gg__save *s, const gg_apply *a, const char *fmt,
                          ...) {
  va_list ap;

  ga__strb_append(&s->problems, "\n  ");
  if (a != NULL) {
    char type[160];

    ga__strb_appendf(&s->problems, "%s(", a->op->name);
    for (unsigned int i = 0; i < a->n_in; i++)
      ga__strb_appendf(&s->problems, "%s%s", i == 0 ? "" : ", ",
                       gg_type_text(gg_var_type(a->in[i]), type, sizeof type));
    ga__strb_append(&s->problems, "): ");
  }
  va_start(ap, fmt);
  ga__strb_vappendf(&s->problems, fmt, ap);
  va_end(ap);
  s->n_problems++;
  return "?";
}
