/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a part of a test in a process of its own, with another environment:
 * what the OpenCL loader and the caches read once cannot be changed later. */
#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

/* Start the running program again as "<program> <role>" with the variables
 * "NAME=value" of `env` (up to NULL) set, and wait. Returns its exit status,
 * -1 when it did not exit. The test's main() dispatches on argv[1]. */
int test_child(const char *role, const char *const *env);

/* The path $TEST_DIR/<name>; static, for one use at a time. An existing folder
 * of this name is emptied of files first. Without TEST_DIR a new folder is made
 * and put there, for children too. */
const char *test_path(const char *name);

#endif
