/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph kernels: translate a file of kernels (gpuarray/kernel_file.h) to C
 * functions with typed arguments.
 *
 *   eye.h   int eye_call(GpuLaunch *, nd, gs, ls, shared, GpuArray *, ...);
 *           int eye_scall(GpuLaunch *, nd, n, shared, GpuArray *, ...);
 *   eye.c   their definitions, the kernels' sources, the other sections */
#include "cli/cli.h"

#include <gpuarray/kernel_file.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/file.h"
#include "base/strb.h"

/* Most inputs, and most outputs, that a code section can name. */
enum { MAX_NAMED = 16 };

typedef struct output {
  const GpuKernelFile *f;
  const char *base; /* path without ".c" or ".h" */
  const char *stem; /* the last component of `base` */
  ga__strb h, c;
} output;

static const char *section(const output *o, const char *name) {
  return GpuKernelFile_section(o->f, name);
}

static int has(const output *o, const char *name) {
  return section(o, name)[0] != '\0';
}

/* --- parameters --- */

/* The C type of a parameter. NULL: the parameter is not passed. */
static const char *c_type(int type) {
  static const struct {
    int type;
    const char *c;
  } types[] = {{GA_BUFFER, "GpuArray *"},
               {GA_OFFSET, NULL}, /* belongs to the array before it */
               {GA_SIZE, "size_t "},
               {GA_SSIZE, "ssize_t "},
               {GA_FLOAT, "float "},
               {GA_DOUBLE, "double "},
               {GA_BYTE, "int8_t "},
               {GA_SHORT, "int16_t "},
               {GA_INT, "int32_t "},
               {GA_LONG, "int64_t "},
               {GA_BOOL, "uint8_t "},
               {GA_UBYTE, "uint8_t "},
               {GA_USHORT, "uint16_t "},
               {GA_HALF, "uint16_t "}, /* as bits */
               {GA_BFLOAT, "uint16_t "},
               {GA_UINT, "uint32_t "},
               {GA_ULONG, "uint64_t "},
               {GA_CFLOAT, "const float *"}}; /* real, imaginary */

  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].type == type)
      return types[i].c;
  return "const double *";
}

static int is_pointer(int type) {
  return type == GA_BUFFER || type == GA_CFLOAT || type == GA_CDOUBLE;
}

static void put_prototype(ga__strb *b, const GpuKernelSpec *k, int sched) {
  ga__strb_appendf(b,
                   "int %s_%s(GpuLaunch *l, unsigned int nd, %s,\n    "
                   "size_t shared",
                   k->name, sched ? "scall" : "call",
                   sched ? "const size_t *n"
                         : "const size_t *gs,\n    "
                           "const size_t *ls");
  for (unsigned int i = 0; i < k->n_types; i++)
    if (c_type(k->types[i]) != NULL)
      ga__strb_appendf(b, ", %sa%u", c_type(k->types[i]), i);
  ga__strb_append(b, ")");
}

static void put_function(ga__strb *b, const GpuKernelSpec *k, int sched) {
  put_prototype(b, k, sched);
  ga__strb_append(b, " {\n  void *args[] = {");
  for (unsigned int i = 0; i < k->n_types; i++) {
    ga__strb_append(b, i != 0 ? ", " : "");
    if (k->types[i] == GA_OFFSET)
      ga__strb_append(b, "NULL");
    else if (is_pointer(k->types[i]))
      ga__strb_appendf(b, "(void *)a%u", i);
    else
      ga__strb_appendf(b, "&a%u", i);
  }
  ga__strb_appendf(b,
                   "%s};\n\n  return GpuLaunch_%s(l, &k_%s, nd, %s, shared, "
                   "args);\n}\n\n",
                   k->n_types == 0 ? "NULL" : "", sched ? "scall" : "call",
                   k->name, sched ? "n" : "gs, ls");
}

/* --- kernels --- */

/* Append one line as a piece of a string literal. Returns the next line. */
static const char *put_line(ga__strb *b, const char *s) {
  ga__strb_append(b, "    \"");
  for (; *s != '\0' && *s != '\n'; s++) {
    if (*s == '"' || *s == '\\' || *s == '?') /* no trigraphs */
      ga__strb_appendf(b, "\\%c", *s);
    else if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)
      ga__strb_appendf(b, "\\%03o", (unsigned int)(unsigned char)*s);
    else
      ga__strb_append_n(b, s, 1);
  }
  ga__strb_append(b, *s == '\n' ? "\\n\"\n" : "\"\n");
  return *s == '\n' ? s + 1 : s;
}

static void put_spec(ga__strb *b, const GpuKernelSpec *k) {
  const char *s = k->code;

  ga__strb_appendf(b, "static const int %s_types[] = {", k->name);
  for (unsigned int i = 0; i < k->n_types; i++)
    ga__strb_appendf(b, "%s%d", i != 0 ? ", " : "", k->types[i]);
  ga__strb_appendf(b, "%s};\n", k->n_types == 0 ? "0" : "");
  ga__strb_appendf(b,
                   "const GpuKernelSpec k_%s = {\n  .name = \"%s\",\n"
                   "  .n_types = %u,\n  .types = %s_types,\n  .flags = %d,\n"
                   "  .code =\n",
                   k->name, k->name, k->n_types, k->name, k->flags);
  while (*s != '\0')
    s = put_line(b, s);
  ga__strb_append(b, "    \"\"};\n\n");
}

/* --- sections with C --- */

static const char code_names[] = "#define LAUNCH l\n"
                                 "#define CONTEXT (p->ctx)\n"
                                 "#define PARAMS (p->apply->props)\n"
                                 "#define FAIL goto done\n";

static void put_names(ga__strb *b, const char *kind, const char *list) {
  for (int i = 0; i < MAX_NAMED; i++)
    ga__strb_appendf(b,
                     "#define %s_%d (p->%s[%d])\n"
                     "#define TYPENUM_%s_%d (p->%s[%d]->typecode)\n"
                     "#define ITEMSIZE_%s_%d "
                     "gpuarray_get_elsize(p->%s[%d]->typecode)\n",
                     kind, i, list, i, kind, i, list, i, kind, i, list, i);
}

/* Write the code section as a function for gg_op.prepare. */
static void put_prepare(output *o) {
  ga__strb *b = &o->c;

  ga__strb_append(b, code_names);
  put_names(b, "INPUT", "in");
  put_names(b, "OUTPUT", "out");
  ga__strb_appendf(b,
                   "int %s_prepare(const gg_prepare *p, GpuLaunch **launch,\n"
                   "    int *slot_in, int *slot_out) {\n"
                   "  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);\n"
                   "  int err, failed = 1;\n\n"
                   "  {\n%s  }\n"
                   "  failed = 0;\n  goto done;\n"
                   "done:\n  err = GpuLaunch_close(launch, l);\n"
                   "  if (failed && err == GA_NO_ERROR) {\n"
                   "    GpuLaunch_free(*launch);\n"
                   "    *launch = NULL;\n"
                   "    err = GA_MISC_ERROR;\n  }\n"
                   "  {\n%s  }\n"
                   "  return err;\n}\n",
                   o->stem, section(o, "code"), section(o, "code_cleanup"));
}

static int has_init(const output *o) {
  return has(o, "init_code") || has(o, "init_code_apply") ||
         has(o, "init_code_struct");
}

static void put_sections(output *o) {
  ga__strb *b = &o->c;

  ga__strb_append(b, section(o, "support_code_apply"));
  ga__strb_append(b, section(o, "support_code_struct"));
  if (has_init(o))
    ga__strb_appendf(b,
                     "int %s_init(gpucontext *ctx) {\n  (void)ctx;\n%s%s%s"
                     "  return GA_NO_ERROR;\n}\n",
                     o->stem, section(o, "init_code"),
                     section(o, "init_code_apply"),
                     section(o, "init_code_struct"));
  if (has(o, "cleanup_code_struct"))
    ga__strb_appendf(b, "void %s_cleanup(void) {\n%s}\n", o->stem,
                     section(o, "cleanup_code_struct"));
  if (has(o, "code"))
    put_prepare(o);
}

/* --- the two files --- */

static void put_header(output *o) {
  const GpuKernelSpec *k;
  ga__strb *b = &o->h;

  ga__strb_appendf(b,
                   "/* Written by gpugraph kernels: edit what it was made of. "
                   "*/\n#ifndef GPU_KERNELS_%s_H\n#define GPU_KERNELS_%s_H\n\n"
                   "#include <%s>\n#include <stdint.h>\n\n"
                   "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
                   o->stem, o->stem,
                   has(o, "code") ? "gpugraph/op.h" : "gpuarray/record.h");
  for (unsigned int i = 0; (k = GpuKernelFile_kernel(o->f, i)) != NULL; i++) {
    ga__strb_appendf(b, "extern const GpuKernelSpec k_%s;\n", k->name);
    put_prototype(b, k, 0);
    ga__strb_append(b, ";\n");
    put_prototype(b, k, 1);
    ga__strb_append(b, ";\n\n");
  }
  if (has_init(o))
    ga__strb_appendf(b, "int %s_init(gpucontext *ctx);\n", o->stem);
  if (has(o, "cleanup_code_struct"))
    ga__strb_appendf(b, "void %s_cleanup(void);\n", o->stem);
  if (has(o, "code"))
    ga__strb_appendf(b,
                     "int %s_prepare(const gg_prepare *p, GpuLaunch **launch,\n"
                     "    int *slot_in, int *slot_out);\n",
                     o->stem);
  ga__strb_append(b, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void put_source(output *o) {
  const GpuKernelSpec *k;

  ga__strb_appendf(&o->c,
                   "/* Written by gpugraph kernels: edit what it was made of. "
                   "*/\n#include \"%s.h\"\n\n#include <gpuarray/error.h>\n"
                   "#include <gpuarray/util.h>\n\n"
                   "#ifdef __GNUC__ /* texts of any length */\n"
                   "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
                   "#endif\n#define APPLY_SPECIFIC(name) %s_##name\n\n%s",
                   o->stem, o->stem, section(o, "support_code"));
  for (unsigned int i = 0; (k = GpuKernelFile_kernel(o->f, i)) != NULL; i++) {
    put_spec(&o->c, k);
    put_function(&o->c, k, 0);
    put_function(&o->c, k, 1);
  }
  put_sections(o);
}

static int write_one(const output *o, const char *ending, const ga__strb *b) {
  ga__strb path = GA_STRB_INIT;

  ga__strb_appendf(&path, "%s%s", o->base, ending);
  int err =
      b->err != GA_NO_ERROR || path.err != GA_NO_ERROR
          ? ga__fail_nomem()
          : ga__file_write(ga__strb_text(&path), ga__strb_text(b), b->n, 0);
  ga__strb_clear(&path);
  return err;
}

static int generate(const GpuKernelFile *f, const char *base,
                    const char *stem) {
  output o = {f, base, stem, GA_STRB_INIT, GA_STRB_INIT};

  put_header(&o);
  put_source(&o);
  int err = write_one(&o, ".h", &o.h);
  if (err == GA_NO_ERROR)
    err = write_one(&o, ".c", &o.c);
  ga__strb_clear(&o.h);
  ga__strb_clear(&o.c);
  return err;
}

/* --- the command --- */

static int is_identifier(const char *s) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz_0123456789";

  return *s != '\0' && (*s < '0' || *s > '9') && s[strspn(s, letters)] == '\0';
}

static int write_functions(const char *base, unsigned int n,
                           const char *const *paths) {
  const char *slash = strrchr(base, '/');
  GpuKernelFile *f;
  int err = GpuKernelFile_read(&f, n, paths);

  if (err != GA_NO_ERROR)
    return err;
  err = generate(f, base, slash != NULL ? slash + 1 : base);
  GpuKernelFile_free(f);
  return err;
}

/* The files to read move to the front of argv. */
int cli_kernels(const cli_command *c, int argc, char **argv) {
  cli_args a = {c, argc, argv, NULL, NULL, 0};
  const char *base = NULL, *slash;
  unsigned int n = 0;

  do {
    if (cli_next(&a) != GA_NO_ERROR)
      return cli_wrong(c, GA_VALUE_ERROR);
    if (cli_is(&a, "-o"))
      base = a.value;
    else if (a.value != NULL)
      argv[n++] = a.value;
  } while (a.value != NULL);
  if (base == NULL || n == 0)
    return cli_usage(c, "kernels needs -o and at least one file");
  slash = strrchr(base, '/');
  if (!is_identifier(slash != NULL ? slash + 1 : base))
    return cli_usage(c, "the name after -o is not a C identifier");
  const int err = write_functions(base, n, (const char *const *)argv);
  return err == GA_NO_ERROR ? 0 : cli_fail(err);
}
