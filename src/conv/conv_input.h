/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradients of convolutions by input as products. */
#ifndef CONV_CONV_INPUT_H
#define CONV_CONV_INPUT_H

#include "conv/conv_work.h"

void ga__conv_add_input(ga__conv_work *s);

#endif
