/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of the kernels for random numbers. */
#include "codegen/gen_random.h"

#include "base/dtype.h"
#include "codegen/gen_arg.h"

/* Turn an integer z from 1 to 2^31 - 1 into a number above 0 and below 1. The
 * factors are Theano's: that for float is the largest for which all results are
 * below 1. Narrow floats use 15 bits of z; the factor for bfloat
 * makes the largest of them the number below 1. */
static const char *uniform_of(int typecode) {
  switch (ga__dtype_canon(typecode)) {
  case GA_HALF:
    return "(w_to_float((z & 0x7FFFu) + 1u) * 3.0458e-05f)";
  case GA_BFLOAT:
    return "(w_to_float((z & 0x7FFFu) + 1u) * 0x1.fep-16f)";
  case GA_FLOAT:
    return "(w_to_float(z) * 0x1.fffffep-32f)";
  default:
    return "(w_to_double(z) * 0x1p-31)";
  }
}

static const char *what_of(ga_random what) {
  return what == GA_RANDOM_UNIFORM  ? "DRAW_UNIFORM"
         : what == GA_RANDOM_NORMAL ? "DRAW_NORMAL"
                                    : "DRAW_BITS";
}

void ga__gen_random_mrg(ga__strb *b, ga_random what, int typecode,
                        unsigned int lanes) {
  const char *work = ga__dtype_cl(ga__dtype_work(typecode));

  if (lanes > 1)
    ga__strb_appendf(b, "#define W_LANES %u\n", lanes);
  else
    ga__strb_append(b, "#define W_LANES\n");
  ga__strb_appendf(b, "#define LANES %u\n", lanes);
  ga__strb_appendf(b, "#define STORED %s\n", ga__arg_value_type(typecode));
  ga__strb_appendf(b, "#define WORK %s\n", work);
  if (ga__dtype_is_narrow(typecode))
    ga__strb_appendf(b, "#define PUT(v) ga_to_%s(v)\n", ga__dtype_cl(typecode));
  else
    ga__strb_append(b, "#define PUT(v) (v)\n");
  if (what == GA_RANDOM_BITS)
    ga__strb_appendf(b, "#define NEXT_BITS next_%d\n",
                     ga__dtype_size(typecode) == 8 ? 64 : 32);
  else
    ga__strb_appendf(b, "#define UNIFORM(z) %s\n", uniform_of(typecode));
  ga__strb_appendf(b, "#define WHAT %s\n", what_of(what));
}

void ga__gen_random_sample(ga__strb *b, int real, int stored) {
  const int code = ga__dtype_canon(stored);

  ga__strb_appendf(b, "#define REAL %s\n", ga__dtype_cl(real));
  if (ga__dtype_is_narrow(code))
    ga__strb_appendf(b,
                     "#define STORED ushort\n"
                     "#define PUT(v) ga_to_%s((float)(v))\n",
                     ga__dtype_cl(code));
  else if (code == GA_BOOL)
    ga__strb_append(b, "#define STORED uchar\n#define PUT(v) ((v) != 0)\n");
  else
    ga__strb_appendf(b, "#define STORED %s\n#define PUT(v) (%s)(v)\n",
                     ga__dtype_cl(code), ga__dtype_cl(code));
}
