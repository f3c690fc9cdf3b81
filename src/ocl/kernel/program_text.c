/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a program: what stands in front of the caller's source, and that
 * source. */
#include "ocl/kernel/program_text.h"

#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "codegen/builtins.h"
#include "codegen/functions.h"
#include "codegen/template.h"
#include "ocl/objects.h"

/* --- what stands in front --- */

/* Work-items that run in lockstep, at least 1. Kernels written for warps rely
 * on it. */
static unsigned int warp_size(const ga__device *d) {
  const cl_device_info nvidia = 0x4003, amd = 0x4043;
  cl_uint n = 0;

  if (d->caps.is_cpu ||
      (clGetDeviceInfo(d->cl, nvidia, sizeof n, &n, NULL) != CL_SUCCESS &&
       clGetDeviceInfo(d->cl, amd, sizeof n, &n, NULL) != CL_SUCCESS))
    return 1;
  return n > 0 ? n : 1;
}

static const char *prelude_text(ga__prelude p) {
  const char *text = NULL;

  if (p == GA_PRELUDE_OWN)
    text = ga__template("prelude");
  else if (p == GA_PRELUDE_CLUDA)
    text = ga__template("cluda");
  return text != NULL ? text : "";
}

static const char *names_text(ga__prelude p) {
  return p != GA_PRELUDE_NONE ? ga__template("c_names") : "";
}

void ga__program_text_hash(ga__sha256 *s, const gpucontext *ctx,
                           ga__prelude p) {
  ga__sha256_add_str(s, prelude_text(p));
  ga__sha256_add_str(s, names_text(p));
  if (p == GA_PRELUDE_OWN)
    ga__sha256_add_str(s, ga__template("narrow"));
  for (unsigned int i = 0; p == GA_PRELUDE_OWN && ga__functions(i); i++)
    ga__sha256_add_str(s, ga__functions(i));
  if (ctx->is_pocl) {
    ga__sha256_add_str(s, ga__template("builtins"));
    ga__sha256_add_str(s, ga__template("pocl"));
  }
}

static int mentions(const ga__source *t, const char *word) {
  for (unsigned int i = 0; i < t->n; i++)
    if (strstr(t->parts[i], word) != NULL)
      return 1;
  return 0;
}

/* --- functions of vectors that PoCL computes wrongly --- */

static const struct {
  const char *name, *name_in_c, *instead; /* a line for cl/pocl.cl */
} repaired[] = {{"sin", "sinf", "V_TURN(ga_sin, sin, V_SIN)"},
                {"cos", "cosf", "V_TURN(ga_cos, cos, V_COS)"},
                {"tan", "tanf", "V_TURN(ga_tan, tan, V_TAN)"},
                {"pow", "powf", "V_PAIR(ga_pow, pow)"},
                {"fmod", "fmodf", "V_PAIR(ga_fmod, fmod)"},
                {"remainder", "remainderf", "V_PAIR(ga_remainder, remainder)"}};
enum { REPAIRED = sizeof repaired / sizeof repaired[0] };

static int is_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static int has_word(const char *text, const char *word) {
  const size_t n = strlen(word);

  for (const char *s = text; (s = strstr(s, word)) != NULL; s += n)
    if ((s == text || !is_word_char(s[-1])) && !is_word_char(s[n]))
      return 1;
  return 0;
}

static int calls(const char *text, unsigned int i) {
  return has_word(text, repaired[i].name) ||
         has_word(text, repaired[i].name_in_c);
}

/* Append what the source and the `functions` in front of it need. */
static void write_repaired(ga__strb *b, const ga__source *t,
                           const char *functions) {
  int is_written = 0;

  for (unsigned int i = 0; i < REPAIRED; i++) {
    int is_called = calls(functions, i);
    for (unsigned int k = 0; k < t->n; k++)
      is_called |= calls(t->parts[k], i);
    if (!is_called)
      continue;
    const char *name = repaired[i].name;
    ga__strb_appendf(b, "%s\n%s\n#undef %s\n#define %s ga_%s\n",
                     is_written ? "" : ga__template("pocl"),
                     repaired[i].instead, name, name, name);
    is_written = 1;
  }
}

/* Append all that stands in front of the caller's source. Ends with a whole
 * line. */
static void assemble_head(ga__strb *b, const gpucontext *ctx,
                          const ga__source *t) {
  if (t->prelude == GA_PRELUDE_CLUDA)
    ga__strb_appendf(b, "#define GA_WARP_SIZE %u\n", warp_size(&ctx->dev));
  ga__strb_append(b, prelude_text(t->prelude));
  ga__strb_append(b, names_text(t->prelude));
  ga__strb_append(b, "\n");
  if (t->prelude == GA_PRELUDE_OWN &&
      (mentions(t, "half") || mentions(t, "bfloat")))
    ga__strb_append(b, ga__template("narrow"));
  ga__strb functions = GA_STRB_INIT;
  if (t->prelude == GA_PRELUDE_OWN)
    ga__functions_write(&functions, t->n, t->parts);
  if (ctx->is_pocl && t->prelude != GA_PRELUDE_NONE)
    write_repaired(b, t, ga__strb_text(&functions));
  ga__strb_append(b, ga__strb_text(&functions));
  b->err = functions.err != GA_NO_ERROR ? functions.err : b->err;
  ga__strb_clear(&functions);
}

/* --- the whole --- */

/* The driver's own cache may have the bad binary, too, so the source is made
 * different from it. PoCL's cache compares preprocessed source, so a comment
 * would not do. */
void ga__program_text(ga__strb *b, const gpucontext *ctx, const ga__source *t,
                      int *declares, int is_again) {
  ga__strb head = GA_STRB_INIT;

  assemble_head(&head, ctx, t);
  if (*declares &&
      !ga__builtins_write(b, ga__strb_text(&head), t->n, t->parts)) {
    ga__strb_reset(b);
    *declares = 0;
  }
  ga__strb_append(b, ga__strb_text(&head));
  b->err = head.err != GA_NO_ERROR ? head.err : b->err;
  ga__strb_clear(&head);
  for (unsigned int i = 0; i < t->n; i++)
    ga__strb_append(b, t->parts[i]);
  if (is_again)
    ga__strb_appendf(b, "\ntypedef int ga_again_%llx;\n",
                     (unsigned long long)ga__now_ns());
}

/* --- in messages --- */

/* The line on which the caller's source starts. Not every compiler obeys a
 * #line directive, so messages use the line numbers of the whole source. */
static unsigned int first_line(const gpucontext *ctx, const ga__source *t) {
  ga__strb head = GA_STRB_INIT;
  unsigned int line = 1;

  assemble_head(&head, ctx, t);
  for (const char *s = ga__strb_text(&head); *s != '\0'; s++)
    line += *s == '\n';
  ga__strb_clear(&head);
  return line;
}

void ga__program_text_number(ga__strb *b, const gpucontext *ctx,
                             const ga__source *t) {
  unsigned int line = first_line(ctx, t);
  int at_start = 1;

  for (unsigned int i = 0; i < t->n; i++) {
    const char *s = t->parts[i], *end = s + strlen(s);

    while (s < end) {
      const char *nl = memchr(s, '\n', (size_t)(end - s));
      const char *stop = nl != NULL ? nl + 1 : end;

      if (at_start)
        ga__strb_appendf(b, "%4u  ", line++);
      ga__strb_append_n(b, s, (size_t)(stop - s));
      at_start = nl != NULL;
      s = stop;
    }
  }
  if (!at_start)
    ga__strb_append(b, "\n");
}
