/* SPDX-License-Identifier: BSD-2-Clause */
/* Source of conversions between dtypes. */
#include "codegen/gen_cast.h"

#include <gpuarray/types.h>

#include "base/dtype.h"
#include "codegen/gen_arg.h"

static int is_bool(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_BOOL;
}

/* Expressions compute with narrow floats as floats. What float does not hold is
 * first converted to it with "round to odd", after which rounding to the narrow
 * type gives the same as one rounding. Halfs have no integers that float does
 * not hold. */
static int is_narrowed_twice(int to_type, int from_type) {
  return ga__dtype_is_narrow(to_type) &&
         !ga__dtype_holds(GA_FLOAT, from_type) &&
         (to_type == GA_BFLOAT || from_type == GA_DOUBLE);
}

/* Append such a conversion; `part` is ".r" of complex numbers. */
static void write_odd(ga__strb *b, const char *to, const char *from,
                      const char *part, int from_type) {
  ga__strb_appendf(b,
                   "const float odd_ = convert_float_rtz(%s%s); "
                   "%s = as_float(as_int(odd_) | ((%s)odd_ != %s%s))",
                   from, part, to, ga__dtype_cl(from_type), from, part);
}

static void write_complex(ga__strb *b, const char *to, int to_type,
                          const char *from, int from_type) {
  const int real = ga__dtype_real(from_type);

  if (ga__dtype_is_complex(to_type))
    ga__strb_appendf(b, "%s.r = %s.r; %s.i = %s.i", to, from, to, from);
  else if (is_bool(to_type))
    ga__strb_appendf(b, "%s = %s.r != 0 || %s.i != 0", to, from, from);
  else if (is_narrowed_twice(to_type, real))
    write_odd(b, to, from, ".r", real);
  else
    ga__strb_appendf(b, "%s = %s.r", to, from);
}

void ga__gen_cast(ga__strb *b, const char *to, int to_type, const char *from,
                  int from_type) {
  const char *name = ga__arg_w_name(to_type);

  if (ga__dtype_is_complex(from_type))
    write_complex(b, to, to_type, from, from_type);
  else if (ga__dtype_is_complex(to_type))
    ga__strb_appendf(b, "%s.r = %s; %s.i = 0", to, from, to);
  else if (to_type == from_type)
    ga__strb_appendf(b, "%s = %s", to, from);
  else if (is_narrowed_twice(to_type, from_type))
    write_odd(b, to, from, "", from_type);
  else if (is_bool(from_type))
    ga__strb_appendf(b, "%s = w_from_bool_%s(%s)", to, name, from);
  else if (ga__dtype_kind(from_type) == GA_KIND_FLOAT)
    ga__strb_appendf(b, "%s = w_sat_%s(%s, w_%s)", to, name, from,
                     ga__arg_w_name(from_type));
  else
    ga__strb_appendf(b, "%s = w_to_%s(%s)", to, name, from);
}

int ga__gen_cast_is_vector(int to_type, int from_type) {
  return !ga__dtype_is_complex(to_type) && !ga__dtype_is_complex(from_type) &&
         !is_narrowed_twice(to_type, from_type);
}
