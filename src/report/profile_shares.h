/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile and its sums by group, for reports (profile_text.c, profile_json.c,
 * func_html.c). */
#ifndef REPORT_PROFILE_SHARES_H
#define REPORT_PROFILE_SHARES_H

#include <gpugraph/report.h>

#include "func/func.h"

/* A group of steps. */
typedef struct gg__share {
  const char *name; /* borrowed from a row */
  uint64_t calls;
  double seconds, share;
} gg__share;

/* A way to divide steps into groups. `name` gives the group of a row. */
typedef struct gg__grouping {
  const char *title, *key; /* in text; in JSON */
  const char *(*name)(const gg_profile_row *r);
} gg__grouping;

enum { GG_N_GROUPINGS = 4 };
/* By class of op, op, place and provider. */
extern const gg__grouping gg__groupings[GG_N_GROUPINGS];

/* A function's profile. The function's lock is held while it exists. */
typedef struct gg__profile {
  const gg_func *f;
  gg_profile_row *rows; /* owned; by step, the most expensive first */
  size_t n;
  gg_profile_wait *waits; /* owned; the longest first */
  size_t n_waits;
  double seconds;          /* of all steps */
  uint64_t calls;          /* likewise */
  size_t held;             /* bytes of intermediate buffers, of all plans */
  size_t temp, temp_alone; /* bytes of the last plan: see gg_func_stats */
} gg__profile;

/* Sum up the groups, the most expensive first. The caller frees *out. */
int gg__profile_shares(const gg__profile *p, const gg__grouping *by,
                       gg__share **out, size_t *n);
/* Nonzero if a value is where float64 begins, which many devices compute
 * slowly: an input or a shared variable of float64, or a float64 result of
 * other dtypes. Uniform values do not count. */
int gg__begins_double(const gg__value *x);
/* List the rules that were tried, the slowest first. The caller frees *out. */
int gg__profile_rules(const gg_func *f, gg__fired **out, size_t *n);
/* Write a report of a function by `put`, with the function's lock held.
 * Returns the code of `put`, or GA_SYS_ERROR if writing failed. */
int gg__profile_report(gg_func *f, FILE *out,
                       int (*put)(const gg__profile *p, FILE *out));

#endif
