/* SPDX-License-Identifier: BSD-2-Clause */
/* File operations that fail while scenarios run. What a scenario saves is the
 * same in every run, so that a file that differs afterwards, or is gone, was
 * harmed. Programs must be linked for it: see file_fault.h. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/xxh64.h"
#include "torture/file_fault.h"
#include "torture/torture.h"

typedef struct variant {
  int how, always;
  const char *text;
} variant;

static const variant variants_of[] = {
    {EIO, 0, "EIO"},
    {ENOSPC, 0, "ENOSPC"},
    {ENOSPC, 1, "ENOSPC from now on"},
    {EACCES, 0, "EACCES"},
    {EMFILE, 0, "EMFILE"},
    {EROFS, 1, "EROFS from now on"},
    {EINTR, 0, "EINTR"},
    {FILE_SHORT, 0, "cut short"},
    {FILE_SHORT, 1, "cut short from now on"},
    {FILE_END, 0, "at the end"},
    {FILE_END, 1, "at the end from now on"},
};

static long armed_nth;

/* --- what was saved --- */

enum { FILES = 4 };

static struct {
  char path[WORK_PATH];
  uint64_t sum;
} saved[FILES];
static int n_saved;

/* 0 when it cannot be read. */
static uint64_t sum_of(const char *path) {
  unsigned char *bytes;
  size_t n;

  if (ga__file_read(path, &bytes, &n) != GA_NO_ERROR)
    return 0;
  uint64_t sum = ga__xxh64_of(bytes, n);
  ga__free(bytes);
  return sum;
}

static void look_at_saved(void) {
  for (n_saved = 0; n_saved < FILES; n_saved++) {
    const char *path = file_fault_renamed(n_saved);
    if (path == NULL)
      break;
    snprintf(saved[n_saved].path, WORK_PATH, "%s", path);
    saved[n_saved].sum = sum_of(path);
  }
}

static const char *harm(void) {
  for (int i = 0; i < n_saved; i++)
    if (sum_of(saved[i].path) != saved[i].sum)
      return saved[i].path;
  return NULL;
}

/* --- the kind --- */

static void arm(long nth, unsigned int v) {
  armed_nth = nth;
  file_fault_arm(nth, variants_of[v].how, variants_of[v].always);
}

static long disarm(long *calls) {
  long struck;

  *calls = file_fault_disarm(&struck);
  if (armed_nth == 0)
    look_at_saved();
  return struck;
}

static unsigned int variants(long nth) {
  (void)nth;
  return sizeof variants_of / sizeof *variants_of;
}

static int is_first(long nth) {
  return nth == 1;
}

/* Messages name the file. */
static const char *names(long nth, unsigned int v) {
  (void)nth;
  (void)v;
  return "/torture.";
}

static void describe(char *text, size_t bytes, long nth, unsigned int v) {
  snprintf(text, bytes, "file operation %ld: %s", nth, variants_of[v].text);
}

static const torture_kind kind = {.what = "file",
                                  .arm = arm,
                                  .disarm = disarm,
                                  .variants = variants,
                                  .is_first = is_first,
                                  .names = names,
                                  .harm = harm,
                                  .describe = describe,
                                  .live = file_fault_open};

void torture_files(torture_sum *sum, const torture_plan *plan) {
  torture_run(sum, plan, &kind);
}
