/* SPDX-License-Identifier: BSD-2-Clause */
/* The families of ops in texts and files, and short forms for texts. */
#include "ops/forms.h"

#include "ops/ops.h"

#define FAMILY(name) gg__forms_##name,
const gg_op_form *const gg__families_of_ops[] = {GG_FAMILIES(FAMILY) NULL};

const gg__short gg__shorts[] = {
    {.name = "sum", .reduction = GG_SUM},
    {.name = "prod", .reduction = GG_PROD},
    {.name = "max", .reduction = GG_MAX},
    {.name = "min", .reduction = GG_MIN},
    {.name = "any_of", .reduction = GG_ANY_OF},
    {.name = "all_of", .reduction = GG_ALL_OF},
    {.name = "argmax", .reduction = GG_ARGMAX},
    {.name = "argmin", .reduction = GG_ARGMIN},
    {.name = "variance", .reduction = GG_VARIANCE},
    {.name = "mean", .one = gg_mean},
    {.name = "transpose", .one = gg_transpose},
    {.name = "flatten", .one = gg_flatten},
    {.name = "zeros_like", .one = gg_zeros_like},
    {.name = "ones_like", .one = gg_ones_like},
    {.name = "outer", .two = gg_outer},
    {.name = "clip", .three = gg_clip},
};

const size_t gg__n_shorts = sizeof gg__shorts / sizeof *gg__shorts;
