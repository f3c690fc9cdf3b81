/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries of the system that are loaded when they are first used. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

typedef struct ga__symbol {
  const char *name;
  void *function; /* the address of a pointer to a function, which is set */
} ga__symbol;

typedef struct ga__library {
  const char *files[2];      /* the second one, if any, replaces the first */
  const ga__symbol *symbols; /* the last one has no name */
  int was_tried, is_there;
} ga__library;

/* Load a library, unless that was tried before. Returns nonzero if it is there
 * with all its symbols. It stays loaded. */
int ga__library_load(ga__library *library);

#endif
