/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of gen_pooling.c: the macros that go through windows. */
#ifndef CODEGEN_GEN_POOLING_WINDOWS_H
#define CODEGEN_GEN_POOLING_WINDOWS_H

#include "base/strb.h"
#include "codegen/gen_pooling_form.h"

void ga__gen_pooling_windows(ga__strb *b, const ga__gen_pooling *g);

#endif
