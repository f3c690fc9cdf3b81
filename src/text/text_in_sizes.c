/* SPDX-License-Identifier: BSD-2-Clause */
/* Text to a graph: names of sizes of inputs. The caller may give sizes for
 * them; else calls decide, and inputs keep the names. */
#include <string.h>

#include "text/parser.h"

static size_t count(const gg_named_size *list) {
  size_t n = 0;

  while (list != NULL && list[n].name != NULL)
    n++;
  return n;
}

int gg__parse_check_sizes(gg__parser *p) {
  const gg_named_size *s = p->reading->o.sizes;
  const size_t n = count(s);

  for (size_t i = 0; i < n; i++) {
    if (gg__is_missing(s[i].name))
      return gg__fail(p->g, GA_VALUE_ERROR, "%s: the name of size %zu is NULL",
                      p->name, i);
    if (s[i].size < 0)
      return gg__fail(p->g, GA_VALUE_ERROR, "%s: %lld is not a size for \"%s\"",
                      p->name, (long long)s[i].size, s[i].name);
  }
  p->has_size = ga__calloc(n + 1, 1);
  return p->has_size != NULL ? GA_NO_ERROR : gg__fail_nomem(p->g);
}

/* The size that the caller gives for a name, or GG_ANY. */
static int64_t find(gg__parser *p, const char *name) {
  const gg_named_size *s = p->reading->o.sizes;

  for (size_t i = 0; i < count(s); i++)
    if (strcmp(s[i].name, name) == 0) {
      p->has_size[i] = 1;
      return s[i].size;
    }
  return GG_ANY;
}

int gg__parse_named_size(gg__parser *p, int64_t *size) {
  ga__strb name = GA_STRB_INIT;
  const int err = gg__parse_label_key(p, &p->token, &name);

  if (err == GA_NO_ERROR) {
    *size = find(p, ga__strb_text(&name) + 1);
    gg__parse_next(p);
  }
  ga__strb_clear(&name);
  return err;
}

int gg__parse_name_size(gg__parser *p, const gg__token *at, gg_var *input,
                        unsigned int axis) {
  ga__strb name = GA_STRB_INIT;
  int err = GA_NO_ERROR;

  if (!gg__parse_is_name(at) || gg_var_type(input)->dims[axis] != GG_ANY)
    return GA_NO_ERROR;
  GA_CHECK(gg__parse_label_key(p, at, &name));
  if (gg_size_named(input, axis, ga__strb_text(&name) + 1) == NULL)
    err = gg__parse_no_memory(p, at);
done:
  ga__strb_clear(&name);
  return err;
}

int gg__parse_sizes_end(gg__parser *p) {
  const gg_named_size *s = p->reading->o.sizes;

  for (size_t i = 0; i < count(s); i++)
    if (!p->has_size[i])
      return gg__fail(p->g, GA_VALUE_ERROR, "%s: no size has the name \"%s\"",
                      p->name, s[i].name);
  return GA_NO_ERROR;
}
