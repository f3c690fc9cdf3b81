/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants that are checked. Arguments of public functions are no invariants:
 * they are checked in every build, and give an error. */
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

/* A broken invariant ends the program with a line that names it, in builds with
 * GPUGRAPH_ASSERT: debug builds and those of the tests. Elsewhere the condition
 * is compiled, but not computed. */
#ifdef GA_ASSERTIONS
#define GA_ASSERT(condition)                                                   \
  ((condition) ? (void)0 : ga__assert_failed(#condition, __FILE__, __LINE__))
_Noreturn void ga__assert_failed(const char *condition, const char *file,
                                 int line);
#else
#define GA_ASSERT(condition) ((void)sizeof(!(condition)))
#endif

/* For types that are hashed or compared as bytes: the fields have `bytes`. */
#define GA_NO_PADDING(type, bytes)                                             \
  _Static_assert(sizeof(type) == (bytes), #type " has padding")

#endif
