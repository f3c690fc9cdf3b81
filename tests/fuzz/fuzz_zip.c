/* SPDX-License-Identifier: BSD-2-Clause */
/* A zip archive: what it lists can be read to the end, or is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "fuzz/fuzz.h"
#include "io/zip.h"

enum { MOST = 1 << 20 }; /* bytes read of an entry */

/* To the end, or as much of it as there is time for. */
static int read_entry(ga__zip *z, const ga__zip_entry *e) {
  static ga__zip_stream s;
  static unsigned char block[4096];
  uint64_t left = e->bytes < MOST ? e->bytes : MOST;
  int err = ga__zip_stream_open(&s, z, e);

  if (err != GA_NO_ERROR)
    return err;
  while (left > 0 && err == GA_NO_ERROR) {
    const size_t n = left < sizeof block ? (size_t)left : sizeof block;

    err = s.source.read(&s.source, block, n);
    left -= n;
  }
  if (err == GA_NO_ERROR && e->bytes <= MOST)
    err = ga__zip_stream_end(&s);
  ga__zip_stream_close(&s);
  return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  const char *path = fuzz_path("zip");
  ga__zip z = {0};

  ga__fail(GA_MISC_ERROR, "none");
  long before = ga__alloc_live();
  fuzz_write(path, bytes, n);
  fuzz_accepted = ga__zip_open(&z, path) == GA_NO_ERROR;
  if (fuzz_accepted) {
    for (size_t i = 0; i < z.n && i < 16; i++)
      fuzz_accepted &= read_entry(&z, &z.entries[i]) == GA_NO_ERROR;
    ga__zip_close(&z);
  }
  ga__fail(GA_MISC_ERROR, "none");
  if (ga__alloc_live() != before)
    abort();
  return 0;
}
