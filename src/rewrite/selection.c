/* SPDX-License-Identifier: BSD-2-Clause */
/* Which rewrites a function is compiled with. */
#include <string.h>
#include <strings.h>

#include "rewrite/families.h"

static const struct mode_name {
  const char *name;
  gg_mode mode;
} mode_names[] = {
    {"FAST_RUN", GG_FAST_RUN},     {"FAST_COMPILE", GG_FAST_COMPILE},
    {"NO_REWRITE", GG_NO_REWRITE}, {"NONE", GG_NO_REWRITE},
    {"DEBUG", GG_DEBUG},           {"DebugMode", GG_DEBUG},
    {"DEBUG_MODE", GG_DEBUG},      {"Mode", GG_FAST_RUN}};

int gg_mode_from_name(const char *name, gg_mode *mode) {
  for (size_t i = 0; i < sizeof mode_names / sizeof mode_names[0]; i++)
    if (name != NULL && strcasecmp(mode_names[i].name, name) == 0) {
      *mode = mode_names[i].mode;
      return GA_NO_ERROR;
    }
  return ga__fail(GA_VALUE_ERROR, "there is no mode \"%s\"",
                  name != NULL ? name : "");
}

/* Families that make results more accurate, and those whose rules give them the
 * forms that they look for. */
#define STABLE                                                                 \
  "fold", "shape", "arith", "function", "product", "sum", "stable", "erf"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The choices of Theano's optimizers, and modes that are more than a choice of
 * rules. */
static const struct optimizer {
  const char *name;
  gg_mode mode;
  const char *const *include, *const *exclude;
  int flags;
} optimizers[] = {
    {"merge", GG_NO_REWRITE, NULL, NULL, 0},
    {"o1", GG_FAST_COMPILE, NULL, NULL, 0},
    {"o2", GG_FAST_COMPILE, LIST(GG_STAGE_FUSION), NULL, 0},
    {"o3", GG_FAST_RUN, NULL, LIST(GG_STAGE_INPLACE), 0},
    {"o4", GG_FAST_RUN, NULL, NULL, 0},
    {"unsafe", GG_FAST_RUN, LIST("remove assert"), LIST(GG_STAGE_INPLACE), 0},
    {"stabilize", GG_FAST_COMPILE, LIST(STABLE), NULL, 0},
    {"fast_run_stable", GG_FAST_COMPILE,
     LIST(STABLE, GG_STAGE_FUSION, GG_STAGE_INPLACE), NULL, 0},
    {"NanGuardMode", GG_FAST_RUN, NULL, NULL,
     GG_NAN_GUARD | GG_INF_GUARD | GG_BIG_GUARD}};

int gg_func_spec_mode(gg_func_spec *spec, const char *name) {
  for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++)
    if (name != NULL && strcasecmp(optimizers[i].name, name) == 0) {
      spec->mode = optimizers[i].mode;
      spec->include = optimizers[i].include;
      spec->exclude = optimizers[i].exclude;
      spec->flags |= optimizers[i].flags;
      return GA_NO_ERROR;
    }
  GA_TRY(gg_mode_from_name(name, &spec->mode));
  spec->include = spec->exclude = NULL;
  return GA_NO_ERROR;
}

static int is_listed(const char *const *list, const char *name) {
  for (; list != NULL && *list != NULL; list++)
    if (strcmp(*list, name) == 0)
      return 1;
  return 0;
}

static int is_excluded(const gg__build *b, const char *family,
                       const char *rule) {
  return is_listed(b->exclude, family) || is_listed(b->exclude, rule);
}

static int is_flagged(const gg__build *b, const char *family) {
  return b->checks_bounds && strcmp(family, GG_FAMILY_BOUNDS) == 0;
}

int gg__requested(const gg__build *b, const char *family, const char *rule) {
  return (is_listed(b->include, family) || is_listed(b->include, rule) ||
          is_flagged(b, family)) &&
         !is_excluded(b, family, rule);
}

int gg__selected(const gg__build *b, const char *family, const char *rule) {
  return gg__requested(b, family, rule) ||
         (b->mode == GG_FAST_RUN && !is_excluded(b, family, rule));
}

static int check_names(gg_graph *g, const char *what, const char *const *list) {
  for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
    if (gg__is_missing(list[i]))
      return gg__fail(g, GA_VALUE_ERROR, "name %zu to %s is NULL", i, what);
    if (!gg__is_rewrite(list[i]))
      return gg__fail(g, GA_VALUE_ERROR, "there is no rewrite \"%s\"", list[i]);
  }
  return GA_NO_ERROR;
}

int gg__select(gg__build *b, gg_graph *g, const gg_func_spec *spec) {
  GA_TRY(check_names(g, "include", spec->include));
  GA_TRY(check_names(g, "exclude", spec->exclude));
  b->mode = spec->mode == GG_DEBUG ? GG_FAST_RUN : spec->mode;
  b->include = spec->include;
  b->exclude = spec->exclude;
  b->checks_bounds =
      spec->mode == GG_DEBUG || (spec->flags & GG_BOUNDS_GUARD) != 0;
  b->max_passes = spec->max_passes;
  b->trace = spec->trace;
  return GA_NO_ERROR;
}
