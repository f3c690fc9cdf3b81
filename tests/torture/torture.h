/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs scenarios with one failure at a time, and checks what must hold after
 * each: an error that names the call, results old or new, the same objects fit
 * for the same work, nothing leaked. */
#ifndef TORTURE_TORTURE_H
#define TORTURE_TORTURE_H

#include <stdio.h>

#include "torture/scenario.h"

typedef struct torture_plan {
  int most;          /* failures per scenario and way, 0: all of them */
  int once;          /* beside those, entry points that never failed only */
  int every_code;    /* every plausible code, once and for good; else one */
  unsigned int seed; /* chooses among them */
  const char *only;  /* scenarios whose name holds this, or NULL */
  int with_clblast;
  int count_only; /* nothing fails: `runs` tells how often it would */
} torture_plan;

typedef struct torture_sum {
  long runs;     /* failures injected */
  long reported; /* the work failed and said so */
  long absorbed; /* the work went well all the same */
  long bad;      /* something did not hold */
} torture_sum;

/* OpenCL calls, by the fault layer. */
void torture_calls(torture_sum *sum, const torture_plan *plan);
/* Host allocations, by base/alloc. */
void torture_allocs(torture_sum *sum, const torture_plan *plan);
/* File operations (programs that wrap them only: file_fault.h). */
void torture_files(torture_sum *sum, const torture_plan *plan);
/* Print calls and failures of every entry point; how many of those that the
 * library uses never failed. */
int torture_table(FILE *out);

/* --- for the above --- */

/* One kind of failure. */
typedef struct torture_kind {
  const char *what;                            /* "OpenCL call" */
  void (*arm)(long nth, unsigned int variant); /* 0 counts only */
  long (*disarm)(long *calls);                 /* times struck */
  /* Variants of the nth failure, as counted by the last run without one. */
  unsigned int (*variants)(long nth);
  /* Is the nth one to be looked at however few are chosen? */
  int (*is_first)(long nth);
  /* What the message must hold, and the code if there is but one. */
  int code;
  const char *(*names)(long nth, unsigned int variant);
  void (*describe)(char *text, size_t bytes, long nth, unsigned int variant);
  /* May it show at a later call only? NULL: never. */
  int (*is_late)(long nth, unsigned int variant);
  /* What was harmed besides results, or NULL; the function may be NULL. */
  const char *(*harm)(void);
  /* Objects alive; a scenario must leave as many as it found. */
  long (*live)(void);
} torture_kind;

void torture_run(torture_sum *sum, const torture_plan *plan,
                 const torture_kind *kind);

#endif
