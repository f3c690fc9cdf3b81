/* SPDX-License-Identifier: BSD-2-Clause */
/* Literals, and the code of nodes with its operands filled in. */
#include "ops/code_text.h"

#include <math.h>
#include <string.h>

#include "ops/ops.h"

/* --- literals --- */

static void append_float(ga__strb *b, double v, int is_double) {
  if (isnan(v)) {
    ga__strb_append(b, "NAN");
  } else if (isinf(v)) {
    ga__strb_append(b, v < 0 ? "-INFINITY" : "INFINITY");
  } else {
    ga__strb_append_real(b, v);
    if (!is_double)
      ga__strb_append(b, "f");
  }
}

static void append_integer(ga__strb *b, int dtype, const void *data) {
  uint64_t u = 0;
  int64_t i;

  if (dtype == GA_ULONG) {
    memcpy(&u, data, sizeof u);
    ga__strb_appendf(b, "%lluUL", (unsigned long long)u);
    return;
  }
  if (dtype == GA_LONG)
    memcpy(&i, data, sizeof i);
  else
    i = (int64_t)ga__dtype_to_double(dtype, data);
  if (i == INT64_MIN) /* OpenCL C has no literal for it */
    ga__strb_append(b, "-9223372036854775807L - 1");
  else
    ga__strb_appendf(b, "%lld%s", (long long)i, dtype == GA_LONG ? "L" : "");
}

static void append_complex(ga__strb *b, int dtype, const void *data) {
  const int real = ga__dtype_real(dtype);

  ga__strb_appendf(b, "%s_make(", gg__stem(dtype));
  append_float(b, ga__dtype_to_double(real, data), real == GA_DOUBLE);
  ga__strb_append(b, ", ");
  append_float(
      b, ga__dtype_to_double(real, (const char *)data + ga__dtype_size(real)),
      real == GA_DOUBLE);
  ga__strb_append(b, ")");
}

void gg__literal_append(ga__strb *b, int dtype, const void *data) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_BOOL:
    ga__strb_appendf(b, "w_to_bool((w_bool)(%d))",
                     *(const unsigned char *)data != 0);
    break;
  case GA_KIND_FLOAT:
    ga__strb_appendf(b, "(w_%s)(", gg__stem(dtype));
    append_float(b, ga__dtype_to_double(dtype, data), dtype == GA_DOUBLE);
    ga__strb_append(b, ")");
    break;
  case GA_KIND_COMPLEX:
    append_complex(b, dtype, data);
    break;
  default:
    ga__strb_appendf(b, "(w_%s)(", gg__stem(dtype));
    append_integer(b, dtype, data);
    ga__strb_append(b, ")");
  }
}

/* --- code --- */

void gg__code_append(ga__strb *b, const gg_apply *a,
                     void (*operand)(void *arg, const gg_apply *a,
                                     unsigned int i),
                     void *arg) {
  const int out = gg_var_type(a->out[0])->dtype;
  const int in = gg_var_type(a->in[0])->dtype;

  for (const char *s = gg_apply_code(a)->text; *s != '\0'; s++) {
    if (*s != '%' || s[1] == '\0') {
      ga__strb_append_n(b, s, 1);
      continue;
    }
    switch (*++s) {
    case 'T':
      ga__strb_appendf(b, "w_%s", gg__stem(out));
      break;
    case 't':
      ga__strb_append(b, gg__stem(out));
      break;
    case 'I':
      ga__strb_appendf(b, "w_%s", gg__stem(in));
      break;
    case 'i':
      ga__strb_append(b, gg__stem(in));
      break;
    case '%':
      ga__strb_append(b, "%");
      break;
    default:
      GA_ASSERT(*s >= '0' && (unsigned int)(*s - '0') < a->n_in);
      operand(arg, a, (unsigned int)(*s - '0'));
    }
  }
}
