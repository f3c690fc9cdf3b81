/* SPDX-License-Identifier: BSD-2-Clause */
/* A file to a graph (saved.h). The file is not trusted: sizes are compared
 * with the file's own size before memory is allocated, checksums of table and
 * text are compared before the text is read, and each value is checked while
 * it is copied to the device. */
#include <gpuarray/stream.h>
#include <string.h>

#include "base/dtype.h"
#include "base/stream.h"
#include "base/xxh64.h"
#include "text/saved.h"
#include "text/text.h"

#include <gpugraph/save.h>

typedef struct loader {
  gg__block_source source; /* the first member: read_block casts to loader */
  gg_graph *g;             /* errors are recorded here */
  gg__reading reading;
  const char *path;
  ga__file_source file;
  unsigned char *bytes; /* table and text, or a whole text file */
  size_t n_table, n_text;
  gg__block *table;
  int swap;      /* elements have the other byte order */
  ga__xxh64 sum; /* of the current block */
  int failed;    /* code of the last read_bytes */
} loader;

static uint64_t load_le(const unsigned char *p, int n) {
  uint64_t v = 0;

  while (n-- > 0)
    v = v << 8 | p[n];
  return v;
}

/* --- reading --- */

static int bad(loader *l, const char *what) {
  return gg__fail(l->g, GA_VALUE_ERROR, "%s: %s", l->file.path, what);
}

static int read_bytes(loader *l, void *p, size_t n) {
  return gg__fail_err(l->g, l->file.source.read(&l->file.source, p, n));
}

/* --- the header --- */

/* Check the header. Sets the sizes of table and text, which fit the file. */
static int read_header(loader *l, unsigned char h[GG_HEADER_BYTES]) {
  const uint64_t left = l->file.source.left;
  const uint64_t version = load_le(h + GG_AT_VERSION, 4);
  const uint64_t order = load_le(h + GG_AT_ORDER, 4);
  const uint64_t text = load_le(h + GG_AT_TEXT, 8);
  const uint64_t n = load_le(h + GG_AT_BLOCKS, 8);

  /* The version is checked first: a later one may have another checksum. */
  if (version > GG_SAVED_VERSION)
    return gg__fail(l->g, GA_UNSUPPORTED_ERROR,
                    "%s: format version %llu is later than %d, which this "
                    "library knows",
                    l->file.path, (unsigned long long)version,
                    GG_SAVED_VERSION);
  if (ga__xxh64_of(h, GG_AT_HEADER_SUM) != load_le(h + GG_AT_HEADER_SUM, 8))
    return bad(l, "the header is damaged");
  if (version == 0 || order < GG_SAVED_LITTLE || order > GG_SAVED_BIG)
    return bad(l, "the header is invalid");
  if (n > left / GG_ENTRY_BYTES || text > left - n * GG_ENTRY_BYTES)
    return bad(l, "the file is truncated: its text is missing");
  l->source.n = n;
  l->n_table = (size_t)(n * GG_ENTRY_BYTES);
  l->n_text = (size_t)text;
  l->swap = (int)order != gg__saved_host_order();
  return GA_NO_ERROR;
}

/* Check that blocks follow one another and that the last ends the file. */
static int check_table(loader *l, uint64_t file_bytes) {
  uint64_t at = GG_HEADER_BYTES + l->n_table + l->n_text;

  for (uint64_t i = 0; i < l->source.n; i++) {
    const gg__block *b = &l->table[i];
    at = gg__saved_align(at);
    if (b->at != at || at > file_bytes || b->bytes > file_bytes - at)
      return gg__fail(l->g, GA_VALUE_ERROR,
                      "%s: block %llu is not within the file", l->file.path,
                      (unsigned long long)i);
    at += b->bytes;
  }
  if (at != file_bytes)
    return bad(l, "bytes follow the last block");
  return GA_NO_ERROR;
}

static int read_table(loader *l, const unsigned char *header) {
  const uint64_t file_bytes = GG_HEADER_BYTES + l->file.source.left;
  const size_t n = l->n_table + l->n_text;

  l->bytes = ga__malloc(n);
  l->table = ga__calloc((size_t)l->source.n, sizeof *l->table);
  if (l->bytes == NULL || l->table == NULL)
    return gg__fail_nomem(l->g);
  GA_TRY(read_bytes(l, l->bytes, n));
  if (ga__xxh64_of(l->bytes, n) != load_le(header + GG_AT_SUM, 8))
    return bad(l, "table or text is damaged");
  for (uint64_t i = 0; i < l->source.n; i++) {
    const unsigned char *p = l->bytes + i * GG_ENTRY_BYTES;
    l->table[i] =
        (gg__block){load_le(p, 8), load_le(p + 8, 8), load_le(p + 16, 8)};
  }
  l->source.table = l->table;
  return check_table(l, file_bytes);
}

/* --- blocks --- */

static void swap_elements(unsigned char *p, size_t n, size_t size) {
  for (unsigned char *end = p + n; p + size <= end; p += size)
    for (size_t i = 0; i < size / 2; i++) {
      const unsigned char c = p[i];

      p[i] = p[size - 1 - i];
      p[size - 1 - i] = c;
    }
}

typedef struct inflow {
  loader *l;
  size_t size; /* bytes of an element whose bytes are to be swapped, else 0 */
  int is_bool;
} inflow;

/* Called by GpuArray_stream_in, which returns its code. */
static int fill(void *arg, void *p, size_t n) {
  const inflow *f = arg;
  unsigned char *bytes = p;

  f->l->failed = read_bytes(f->l, p, n);
  GA_TRY(f->l->failed);
  ga__xxh64_add(&f->l->sum, p, n);
  if (f->size > 1)
    swap_elements(p, n, f->size);
  for (size_t i = 0; f->is_bool && i < n; i++)
    bytes[i] = bytes[i] != 0; /* kernels rely on bools being 0 or 1 */
  return GA_NO_ERROR;
}

static int skip(inflow *f, uint64_t bytes) {
  unsigned char room[4096];
  size_t n;

  for (; bytes > 0; bytes -= n) {
    n = bytes < sizeof room ? (size_t)bytes : sizeof room;
    GA_TRY(fill(f, room, n));
  }
  return GA_NO_ERROR;
}

static int read_array(loader *l, inflow *f, GpuArray *a) {
  const int err = GpuArray_stream_in(a, fill, f);

  return l->failed != GA_NO_ERROR ? err : gg__fail_err(l->g, err);
}

static int read_block(gg__block_source *s, gg_graph *g, uint64_t i,
                      GpuArray *array, void *host, int dtype) {
  loader *l = (loader *)s;
  const gg__block *b = &l->table[i];
  inflow f = {l, l->swap ? ga__dtype_size(dtype) : 0, dtype == GA_BOOL};

  l->g = g;
  l->failed = GA_NO_ERROR;
  GA_TRY(gg__fail_err(g, ga__file_source_seek(&l->file, b->at)));
  ga__xxh64_init(&l->sum);
  if (array != NULL)
    GA_TRY(read_array(l, &f, array));
  else if (host != NULL)
    GA_TRY(fill(&f, host, (size_t)b->bytes));
  else
    GA_TRY(skip(&f, b->bytes));
  if (ga__xxh64_end(&l->sum) != b->sum)
    return gg__fail(g, GA_VALUE_ERROR, "%s: block %llu is damaged",
                    l->file.path, (unsigned long long)i);
  return GA_NO_ERROR;
}

/* --- files --- */

static int parse(loader *l, const char *text, size_t bytes,
                 gg__block_source *blocks) {
  l->reading.name = l->file.path;
  l->reading.text = text;
  l->reading.bytes = bytes;
  l->reading.blocks = blocks;
  return gg__text_parse(l->g, &l->reading);
}

static int load_saved(loader *l, unsigned char *header) {
  GA_TRY(
      read_bytes(l, header + GG_AT_VERSION, GG_HEADER_BYTES - GG_AT_VERSION));
  GA_TRY(read_header(l, header));
  GA_TRY(read_table(l, header));
  const char *text = (const char *)l->bytes + l->n_table;
  l->source.read = read_block;
  return parse(l, text, l->n_text, &l->source);
}

/* The first `n` bytes of the text are in `begin`. */
static int load_text(loader *l, const unsigned char *begin, size_t n) {
  const size_t left = (size_t)l->file.source.left;

  l->bytes = ga__malloc(n + left);
  if (l->bytes == NULL)
    return gg__fail_nomem(l->g);
  memcpy(l->bytes, begin, n);
  GA_TRY(read_bytes(l, l->bytes + n, left));
  return parse(l, (const char *)l->bytes, n + left, NULL);
}

static int load(loader *l) {
  const uint64_t left = l->file.source.left;
  unsigned char header[GG_HEADER_BYTES];
  size_t n = GG_AT_VERSION;

  if (left == UINT64_MAX)
    return bad(l, "this is not a regular file");
  if (left < n)
    n = (size_t)left;
  GA_TRY(read_bytes(l, header, n));
  if (n == GG_AT_VERSION && memcmp(header, GG_SAVED_MAGIC, n) == 0)
    return load_saved(l, header);
  return load_text(l, header, n);
}

static int load_fresh(gg_graph *fresh, void *arg) {
  loader *l = arg;

  l->g = fresh;
  int err = gg__fail_err(fresh, ga__file_source_open(&l->file, l->path, 1));
  if (err == GA_NO_ERROR)
    err = load(l);
  ga__file_source_close(&l->file);
  ga__free(l->bytes);
  ga__free(l->table);
  return err;
}

int gg_graph_load(gg_graph *g, const char *path) {
  return gg_graph_load_with(g, path, NULL);
}

int gg_graph_load_with(gg_graph *g, const char *path,
                       const gg_load_options *o) {
  loader l = {.reading = {.into = g}, .path = path};

  if (o != NULL)
    l.reading.o = *o;
  GA_TRY(gg_graph_status(g));
  if (path == NULL)
    return gg__fail(g, GA_VALUE_ERROR, "gg_graph_load: the path is NULL");
  return gg__graph_read(g, load_fresh, &l);
}
