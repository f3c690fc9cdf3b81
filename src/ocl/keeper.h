/* SPDX-License-Identifier: BSD-2-Clause */
/* The layers above that keep an object in a context (see context.h). */
#ifndef OCL_KEEPER_H
#define OCL_KEEPER_H

typedef enum ga__keeper {
  GA_KEEPER_CLBLAST,
  GA_KEEPER_WISH,
  GA_KEEPER_ARRAY,
  GA_KEEPERS
} ga__keeper;

#endif
