/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of cumulations, written as expressions. */
#include "order/cumulate_op.h"

#include "base/dtype.h"
#include "codegen/gen_arg.h"
#include "codegen/gen_combine.h"

enum {
  BOOLS = 1 << GA_KIND_BOOL,
  FLOATS = 1 << GA_KIND_FLOAT,
  REALS = 1 << GA_KIND_INT | 1 << GA_KIND_UINT | FLOATS,
  NUMBERS = REALS | 1 << GA_KIND_COMPLEX
};

/* On a CPU a total of n elements takes `total_time` hundredths of the time
 * of n results, which combine each vector with itself a few times. */
static const struct {
  const char *name, *expected;
  int kinds;
  unsigned int total_time;
} ops[] = {[GA_CUMULATE_EXPR] = {"cumulate", "", NUMBERS | BOOLS, 80},
           [GA_CUMULATE_SUM] = {"cumsum", "numbers", NUMBERS, 55},
           [GA_CUMULATE_PROD] = {"cumprod", "numbers", NUMBERS, 55},
           [GA_CUMULATE_MAX] = {"cummax", "real numbers", REALS, 30},
           [GA_CUMULATE_MIN] = {"cummin", "real numbers", REALS, 30},
           [GA_CUMULATE_ANY] = {"cumany", "bool", BOOLS, 55},
           [GA_CUMULATE_ALL] = {"cumall", "bool", BOOLS, 55},
           [GA_CUMULATE_LOGADDEXP] = {"cumlogaddexp", "floats", FLOATS, 20}};

unsigned int ga__cumulate_op_total_time(ga_cumulate_op op) {
  return ops[op].total_time;
}

const char *ga__cumulate_op_name(ga_cumulate_op op) {
  return ops[op].name;
}

int ga__cumulate_check_op(const char *name, ga_cumulate_op op, int typecode) {
  if ((int)op < 0 || op > GA_CUMULATE_LOGADDEXP)
    return ga__fail(GA_VALUE_ERROR, "%s: no operation has the number %d", name,
                    (int)op);
  if (ops[op].kinds >> ga__dtype_kind(typecode) & 1)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "%s: %s in %s, expected %s", name,
                  ops[op].name, ga__dtype_name(typecode), ops[op].expected);
}

static void write_complex(ga__strb *combine, ga__strb *neutral,
                          ga_cumulate_op op, const char *v) {
  if (op == GA_CUMULATE_SUM)
    ga__strb_appendf(combine, "%s.r = %s_a.r + %s_b.r; %s.i = %s_a.i + %s_b.i",
                     v, v, v, v, v, v);
  else
    ga__strb_appendf(combine,
                     "%s.r = %s_a.r * %s_b.r - %s_a.i * %s_b.i; "
                     "%s.i = %s_a.r * %s_b.i + %s_a.i * %s_b.r",
                     v, v, v, v, v, v, v, v, v, v);
  ga__strb_appendf(neutral, "%s.r = %d; %s.i = 0", v, op != GA_CUMULATE_SUM, v);
}

static void write_extreme(ga__strb *b, const gpuelemwise_arg *a, int is_max) {
  const char *v = a->name, *sign = is_max ? ">" : "<";

  if (ga__dtype_kind(a->typecode) == GA_KIND_FLOAT)
    ga__strb_appendf(b, "%s = ((%s_b %s %s_a) | (%s_b != %s_b)) ? %s_b : %s_a",
                     v, v, sign, v, v, v, v, v);
  else
    ga__strb_appendf(b, "%s = %s(%s_a, %s_b)", v, is_max ? "max" : "min", v, v);
}

/* The case of equal values avoids inf - inf, which is NaN. */
static void write_logaddexp(ga__strb *b, const gpuelemwise_arg *a) {
  const char *v = a->name, *w = ga__arg_w_name(a->typecode);

  ga__strb_appendf(b,
                   "%s = %s_a == %s_b ? %s_a + log((w_%s)(2)) : "
                   "fmax(%s_a, %s_b) + log1p(exp(-fabs(%s_a - %s_b)))",
                   v, v, v, v, w, v, v, v, v);
}

static void write_combine(ga__strb *b, ga_cumulate_op op,
                          const gpuelemwise_arg *a) {
  const char *v = a->name;

  switch (op) {
  case GA_CUMULATE_SUM:
    ga__strb_appendf(b, "%s = %s_a + %s_b", v, v, v);
    break;
  case GA_CUMULATE_PROD:
    ga__strb_appendf(b, "%s = %s_a * %s_b", v, v, v);
    break;
  case GA_CUMULATE_ANY:
    ga__strb_appendf(b, "%s = %s_a | %s_b", v, v, v);
    break;
  case GA_CUMULATE_ALL:
    ga__strb_appendf(b, "%s = %s_a & %s_b", v, v, v);
    break;
  case GA_CUMULATE_LOGADDEXP:
    write_logaddexp(b, a);
    break;
  default:
    write_extreme(b, a, op == GA_CUMULATE_MAX);
  }
}

static const char *neutral_of(ga_cumulate_op op, int typecode) {
  switch (op) {
  case GA_CUMULATE_PROD:
    return "1";
  case GA_CUMULATE_MAX:
    return ga__reduce_neutral(GA_REDUCE_MAX, typecode);
  case GA_CUMULATE_MIN:
    return ga__reduce_neutral(GA_REDUCE_MIN, typecode);
  case GA_CUMULATE_LOGADDEXP:
    return "-INFINITY";
  default:
    return "0";
  }
}

void ga__cumulate_write_op(ga__strb *combine, ga__strb *neutral,
                           ga_cumulate_op op, const gpuelemwise_arg *v) {
  if (ga__dtype_is_complex(v->typecode)) {
    write_complex(combine, neutral, op, v->name);
    return;
  }
  write_combine(combine, op, v);
  ga__strb_appendf(neutral, "%s = %s(w_%s)(%s)", v->name,
                   op == GA_CUMULATE_ALL ? "!" : "",
                   ga__arg_w_name(v->typecode), neutral_of(op, v->typecode));
}
