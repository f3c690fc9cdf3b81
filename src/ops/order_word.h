/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of any real dtype as unsigned numbers of the same order, for what
 * the host computes. */
#ifndef OPS_ORDER_WORD_H
#define OPS_ORDER_WORD_H

#include <stdint.h>

/* The number of the element at p. NaN has the largest one; -0 and 0 have the
 * same. */
uint64_t gg__order_word(int dtype, const void *p);

#endif
