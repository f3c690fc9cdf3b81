/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads files of kernels line by line. Lines that begin with #section or
 * #kernel begin one; all others belong to the current section or kernel. */
#include <gpuarray/kernel_file.h>

#include <string.h>

#include <gpuarray/buffer.h>

#include "base/dtype.h"
#include "base/file.h"
#include "base/map.h"
#include "base/strb.h"
#include "base/vec.h"

static const char *const section_names[] = {
    "init_code",    "init_code_apply",    "init_code_struct",
    "support_code", "support_code_apply", "support_code_struct",
    "code",         "code_cleanup",       "cleanup_code_struct",
    "kernels"};

enum {
  N_SECTIONS = sizeof section_names / sizeof *section_names,
  KERNELS = N_SECTIONS - 1,
  NONE = -1
};

/* A kernel with its source. */
typedef struct kernel {
  GpuKernelSpec spec; /* name and types are owned; `code` is set at the end */
  ga__strb code;
} kernel;

struct GpuKernelFile {
  GA_VEC(kernel) kernels;
  ga__map indices;               /* by name: the index, plus one */
  ga__strb sections[N_SECTIONS]; /* that of "kernels" stays empty */
};

/* The state of the reader. */
typedef struct reader {
  GpuKernelFile *f;
  const char *name; /* of the file */
  unsigned int line;
  int section;    /* index, or NONE before the first one */
  int has_kernel; /* in this section */
} reader;

/* A piece of a line. */
typedef struct piece {
  const char *s;
  size_t n;
} piece;

/* --- words --- */

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

static piece trim(piece p) {
  while (p.n > 0 && is_blank(p.s[0])) {
    p.s++;
    p.n--;
  }
  while (p.n > 0 && is_blank(p.s[p.n - 1]))
    p.n--;
  return p;
}

static int equals(piece p, const char *text) {
  return strlen(text) == p.n && memcmp(p.s, text, p.n) == 0;
}

/* Return the text before the first `c`, trimmed, and remove it and the `c` from
 * *rest. *more is nonzero if there was a `c`. */
static piece cut(piece *rest, char c, int *more) {
  const char *end = rest->n > 0 ? memchr(rest->s, c, rest->n) : NULL;
  piece first = *rest;

  *more = end != NULL;
  if (end != NULL) {
    first.n = (size_t)(end - rest->s);
    rest->s = end + 1;
    rest->n -= first.n + 1;
  } else {
    rest->s += rest->n;
    rest->n = 0;
  }
  return trim(first);
}

static int is_identifier(piece p) {
  for (size_t i = 0; i < p.n; i++)
    if (!is_word(p.s[i]))
      return 0;
  return p.n > 0 && !(p.s[0] >= '0' && p.s[0] <= '9');
}

/* Long pieces are cut in messages. */
static int width(piece p) {
  return p.n < 60 ? (int)p.n : 60;
}

static int fail(const reader *r, const char *want, piece got) {
  return ga__fail(GA_VALUE_ERROR, "%s:%u: expected %s, got \"%.*s\"", r->name,
                  r->line, want, width(got), got.s);
}

/* --- sections --- */

static int find_section(piece name) {
  for (int i = 0; i < N_SECTIONS; i++)
    if (equals(name, section_names[i]))
      return i;
  return NONE;
}

static int open_section(reader *r, int section) {
  r->section = section;
  r->has_kernel = 0;
  if (section == KERNELS)
    return GA_NO_ERROR;
  ga__strb *b = &r->f->sections[section];
  ga__strb_appendf(b, "#line %u \"", r->line + 1);
  for (const char *s = r->name; *s != '\0'; s++)
    ga__strb_appendf(b, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
  ga__strb_append(b, "\"\n");
  return b->err;
}

static int read_section(reader *r, piece name) {
  const int section = find_section(name);

  if (section != NONE)
    return open_section(r, section);
  return fail(r,
              "a section: kernels, code, code_cleanup, support_code, "
              "support_code_apply, support_code_struct, init_code, "
              "init_code_apply, init_code_struct or cleanup_code_struct",
              name);
}

/* --- kernels --- */

static int read_type(piece p, int *type) {
  char name[16];

  if (equals(p, "*")) {
    *type = GA_BUFFER;
  } else if (equals(p, "offset")) {
    *type = GA_OFFSET;
  } else if (equals(p, "size")) {
    *type = GA_SIZE;
  } else if (equals(p, "ssize")) {
    *type = GA_SSIZE;
  } else {
    if (p.n >= sizeof name)
      return 0;
    memcpy(name, p.s, p.n);
    name[p.n] = '\0';
    *type = ga__dtype_from_name(name);
    return *type >= 0;
  }
  return 1;
}

static int read_types(const reader *r, piece list, kernel *k) {
  GA_VEC(int) types = {NULL, 0, 0};
  int err = GA_NO_ERROR, more = list.n > 0, type = 0;

  while (more) {
    piece p = cut(&list, ',', &more);
    if (!read_type(p, &type))
      GA_CHECK(fail(r, "*, offset, size, ssize or a dtype", p));
    if (type == GA_OFFSET &&
        (types.n == 0 || types.v[types.n - 1] != GA_BUFFER))
      GA_CHECK(fail(r, "* before an offset", p));
    GA_CHECK(ga__vec_push(&types, type));
  }
done:
  k->spec.types = types.v;
  k->spec.n_types = (unsigned int)types.n;
  return err;
}

static int read_flags(const reader *r, piece list, int *flags) {
  static const struct {
    const char *name;
    int bit;
  } known[] = {{"GA_USE_SMALL", GA_USE_SMALL},
               {"GA_USE_DOUBLE", GA_USE_DOUBLE},
               {"GA_USE_COMPLEX", GA_USE_COMPLEX},
               {"GA_USE_HALF", GA_USE_HALF},
               {"GA_USE_OPENCL", GA_USE_OPENCL},
               {"GA_USE_CUDA", GA_USE_CUDA},
               {"0", 0}};
  const size_t n = sizeof known / sizeof *known;
  int more = list.n > 0;
  size_t i;

  *flags = 0;
  while (more) {
    piece p = cut(&list, '|', &more);
    for (i = 0; i < n && !equals(p, known[i].name); i++)
      ;
    if (i == n)
      return fail(r, "GA_USE_SMALL, _DOUBLE, _COMPLEX, _HALF, _OPENCL or _CUDA",
                  p);
    *flags |= known[i].bit;
  }
  return GA_NO_ERROR;
}

static int read_name(const reader *r, piece name, kernel *k) {
  if (!is_identifier(name))
    return fail(r, "the name of a kernel", name);
  if (ga__map_get(&r->f->indices, name.s, name.n) != NULL)
    return fail(r, "a kernel of another name", name);
  char *copy = ga__malloc(name.n + 1);
  if (copy == NULL)
    return ga__fail_nomem();
  memcpy(copy, name.s, name.n);
  copy[name.n] = '\0';
  k->spec.name = copy;
  return GA_NO_ERROR;
}

static void kernel_clear(kernel *k) {
  ga__free((void *)k->spec.name);
  ga__free((void *)k->spec.types);
  ga__strb_clear(&k->code);
}

static int read_kernel(reader *r, piece line) {
  piece field[3], rest = line;
  int n = 0, more = 1, err;
  kernel k;

  memset(&k, 0, sizeof k);
  while (more && n < 3)
    field[n++] = cut(&rest, ':', &more);
  if (n != 3 || more)
    return fail(r, "NAME : PARAMETERS : FLAGS", line);
  GA_CHECK(read_name(r, field[0], &k));
  GA_CHECK(read_types(r, field[1], &k));
  GA_CHECK(read_flags(r, field[2], &k.spec.flags));
  GA_CHECK(ga__map_put(&r->f->indices, k.spec.name, strlen(k.spec.name),
                       (void *)(uintptr_t)(r->f->kernels.n + 1)));
  GA_CHECK(ga__vec_push(&r->f->kernels, k));
  r->has_kernel = 1;
done:
  if (err != GA_NO_ERROR)
    kernel_clear(&k);
  return err;
}

/* --- lines --- */

/* Nonzero if the line begins with this word. *rest is the text after it,
 * trimmed. */
static int directive(piece line, const char *word, piece *rest) {
  const size_t n = strlen(word);

  if (line.n < n || memcmp(line.s, word, n) != 0 ||
      (line.n > n && is_word(line.s[n])))
    return 0;
  *rest = trim((piece){line.s + n, line.n - n});
  return 1;
}

static int add_text(reader *r, piece line) {
  if (r->section == NONE || (r->section == KERNELS && !r->has_kernel)) {
    line = trim(line);
    if (line.n == 0)
      return GA_NO_ERROR;
    return fail(r, r->section == NONE ? "#section" : "#kernel", line);
  }
  ga__strb *b = r->section == KERNELS
                    ? &r->f->kernels.v[r->f->kernels.n - 1].code
                    : &r->f->sections[r->section];
  ga__strb_append_n(b, line.s, line.n);
  ga__strb_append(b, "\n");
  return b->err;
}

static int read_line(reader *r, piece line) {
  piece rest;

  if (memchr(line.s, '\0', line.n) != NULL)
    return ga__fail(GA_VALUE_ERROR, "%s:%u: expected text, got a zero byte",
                    r->name, r->line);
  if (directive(line, "#section", &rest))
    return read_section(r, rest);
  /* Old files mark sections like this. */
  if (equals(trim(line), "THEANO_SUPPORT_CODE_SECTION"))
    return open_section(r, find_section((piece){"support_code", 12}));
  if (equals(trim(line), "THEANO_APPLY_CODE_SECTION"))
    return open_section(r, find_section((piece){"support_code_apply", 18}));
  if (r->section == KERNELS && directive(line, "#kernel", &rest))
    return read_kernel(r, rest);
  return add_text(r, line);
}

static int read_text(GpuKernelFile *f, const char *name, const char *text,
                     size_t bytes) {
  reader r = {.f = f, .name = name, .section = NONE};
  piece line;

  while (bytes > 0) {
    const char *end = memchr(text, '\n', bytes);
    line.s = text;
    line.n = end != NULL ? (size_t)(end - text) : bytes;
    r.line++;
    GA_TRY(read_line(&r, line));
    bytes -= line.n + (end != NULL);
    text += line.n + (end != NULL);
  }
  return GA_NO_ERROR;
}

/* --- files --- */

static int finish(GpuKernelFile **out, GpuKernelFile *f, int err) {
  *out = NULL;
  if (err != GA_NO_ERROR) {
    GpuKernelFile_free(f);
    return err;
  }
  for (size_t i = 0; i < f->kernels.n; i++)
    f->kernels.v[i].spec.code = ga__strb_text(&f->kernels.v[i].code);
  *out = f;
  return err;
}

int GpuKernelFile_parse(GpuKernelFile **out, const char *name, const char *text,
                        size_t bytes) {
  GpuKernelFile *f = ga__calloc(1, sizeof *f);

  *out = NULL;
  if (f == NULL)
    return ga__fail_nomem();
  return finish(out, f, read_text(f, name, text, bytes));
}

int GpuKernelFile_read(GpuKernelFile **out, unsigned int n,
                       const char *const *paths) {
  GpuKernelFile *f = ga__calloc(1, sizeof *f);
  unsigned char *bytes;
  size_t size;
  int err = GA_NO_ERROR;

  *out = NULL;
  if (f == NULL)
    return ga__fail_nomem();
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++) {
    err = ga__file_read(paths[i], &bytes, &size);
    if (err != GA_NO_ERROR)
      break;
    err = read_text(f, paths[i], (const char *)bytes, size);
    ga__free(bytes);
  }
  return finish(out, f, err);
}

void GpuKernelFile_free(GpuKernelFile *f) {
  if (f == NULL)
    return;
  for (size_t i = 0; i < f->kernels.n; i++)
    kernel_clear(&f->kernels.v[i]);
  ga__vec_clear(&f->kernels);
  ga__map_clear(&f->indices);
  for (size_t i = 0; i < N_SECTIONS; i++)
    ga__strb_clear(&f->sections[i]);
  ga__free(f);
}

/* --- look-ups --- */

unsigned int GpuKernelFile_count(const GpuKernelFile *f) {
  return (unsigned int)f->kernels.n;
}

const GpuKernelSpec *GpuKernelFile_kernel(const GpuKernelFile *f,
                                          unsigned int i) {
  return i < f->kernels.n ? &f->kernels.v[i].spec : NULL;
}

const GpuKernelSpec *GpuKernelFile_find(const GpuKernelFile *f,
                                        const char *name) {
  const uintptr_t after =
      (uintptr_t)ga__map_get(&f->indices, name, strlen(name));

  if (after != 0)
    return &f->kernels.v[after - 1].spec;
  ga__fail(GA_VALUE_ERROR, "there is no kernel %s", name);
  return NULL;
}

const char *GpuKernelFile_section(const GpuKernelFile *f, const char *name) {
  const int i = find_section((piece){name, strlen(name)});

  return i != NONE ? ga__strb_text(&f->sections[i]) : "";
}
