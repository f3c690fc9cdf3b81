/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile and its sums by group, for reports (profile_text.c, profile_json.c,
 * func_html.c). */
#ifndef REPORT_PROFILE_SHARES_H
#define REPORT_PROFILE_SHARES_H

#include <gpugraph/report.h>

#include "func/func.h"

/* Steps that have something in common. */
typedef struct gg__share {
  const char *name; /* borrowed from a row */
  uint64_t calls;
  double seconds, share;
} gg__share;

/* One way to put steps into groups. */
typedef struct gg__grouping {
  const char *title, *key; /* in text; in JSON */
  const char *(*name)(const gg_profile_row *r);
} gg__grouping;

enum { GG_N_GROUPINGS = 4 };
/* By class of op, op, place and provider. */
extern const gg__grouping gg__groupings[GG_N_GROUPINGS];

/* A function's profile, with its lock held. */
typedef struct gg__profile {
  const gg_func *f;
  gg_profile_row *rows; /* owned; by step, the most expensive first */
  size_t n;
  double seconds;          /* of all steps */
  uint64_t calls;          /* likewise */
  size_t held;             /* bytes of intermediate buffers, of all plans */
  size_t temp, temp_alone; /* bytes of the last plan: see gg_func_stats */
} gg__profile;

/* The groups, the most expensive first; the caller frees them. */
int gg__profile_shares(const gg__profile *p, const gg__grouping *by,
                       gg__share **out, size_t *n);
/* Nonzero if float64, which many devices compute slowly, begins at a value: an
 * input or a shared variable of float64, or a result made from other dtypes.
 * Uniform values do not count. */
int gg__begins_double(const gg__value *x);
/* The rules that were timed, the slowest first; the caller frees them. */
int gg__profile_rules(const gg_func *f, gg__fired **out, size_t *n);
/* Write a report of a function: `put` does, its code is returned. */
int gg__profile_report(gg_func *f, FILE *out,
                       int (*put)(const gg__profile *p, FILE *out));

#endif
