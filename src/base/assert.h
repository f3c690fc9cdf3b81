/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of invariants. Arguments of public functions are not invariants: they
 * are checked in every build, and wrong ones give an error. */
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

/* In builds with GPUGRAPH_ASSERT (debug builds and those of the tests), a
 * broken invariant ends the program with a line that names it. In others the
 * condition is compiled but not computed. */
#ifdef GA_ASSERTIONS
#define GA_ASSERT(condition)                                                   \
  ((condition) ? (void)0 : ga__assert_failed(#condition, __FILE__, __LINE__))
_Noreturn void ga__assert_failed(const char *condition, const char *file,
                                 int line);
#else
#define GA_ASSERT(condition) ((void)sizeof(!(condition)))
#endif

/* For types that are hashed or compared as bytes: the fields together have
 * `bytes` bytes. */
#define GA_NO_PADDING(type, bytes)                                             \
  _Static_assert(sizeof(type) == (bytes), #type " has padding")

#endif
