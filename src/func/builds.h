/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds, which are graphs on their way to programs. */
#ifndef FUNC_BUILDS_H
#define FUNC_BUILDS_H

#include "rewrite/compiling.h"

void gg__build_clear(gg__build *b);
/* A build for what is inside of a loop or a choice, without a graph. */
gg__build gg__inside_of(const gg__build *outer);

#endif
