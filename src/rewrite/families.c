/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the built-in rules. It is alone in its file so that a test can
 * link rules of its own (test_rw_refused.c). */
#include "rewrite/families.h"

const gg_rule_family gg__families[] = {
    {"fold", gg__rules_fold, 0, 1},
    {"shape", gg__rules_shape, 0, 1},
    {"reshape", gg__rules_reshape, 0, 1},
    {"slice", gg__rules_slice, 0, 1},
    {"arith", gg__rules_arith, 0, 0},
    {"function", gg__rules_function, 0, 0},
    {"stable", gg__rules_stable, 0, 0},
    {"erf", gg__rules_erf, 0, 0},
    {"product", gg__rules_product, 0, 0},
    {"sum", gg__rules_sum, 0, 0},
    {"reduce", gg__rules_reduce, 0, 0},
    {"linear", gg__rules_linear, 0, 0},
    {"blas", gg__rules_blas, 0, 0},
    {"conv", gg__rules_conv, 0, 0},
    {"loop", gg__rules_loop, 0, 1},
    {"transfer", gg__rules_transfer, 0, 1},
    {"inspect", gg__rules_inspect, 1, 1},
    {GG_FAMILY_BOUNDS, gg__rules_bounds, 1, 1},
    {NULL, NULL, 0, 0}};
