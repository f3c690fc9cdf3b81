/* SPDX-License-Identifier: BSD-2-Clause */
/* An entry of the kernel cache: whatever the file holds, it is a miss or the
 * very bytes that were put. The input is a whole file, or, when its first byte
 * is odd, changes to a sound one: offset (2 bytes), what to flip (1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "cache/disk.h"
#include "fuzz/fuzz.h"

enum { PAYLOAD = 64, WHOLE = PAYLOAD + 84 };

static const unsigned char key[GA_SHA256_BYTES] = {7};
static unsigned char payload[PAYLOAD];
static char path[512];
static ga__disk *disk;

static void start(void) {
  char name[2 * GA_SHA256_BYTES + 1];

  if (disk != NULL)
    return;
  if (ga__disk_open(&disk, fuzz_path("cache")) != GA_NO_ERROR)
    abort();
  ga__sha256_hex(key, name);
  snprintf(path, sizeof path, "%s/%s.cache", fuzz_path("cache"), name);
  memset(payload, 'p', sizeof payload);
}

/* Change a sound file; returns whether it is as it was. */
static int change(const uint8_t *edits, size_t n) {
  unsigned char file[WHOLE], before[WHOLE];

  ga__disk_put(disk, key, payload, PAYLOAD);
  FILE *f = fopen(path, "rb");
  if (f == NULL || fread(file, 1, WHOLE, f) != WHOLE || fclose(f) != 0)
    abort();
  memcpy(before, file, WHOLE);
  for (; n >= 3; edits += 3, n -= 3)
    file[(edits[0] + 256u * edits[1]) % WHOLE] ^= edits[2];
  fuzz_write(path, file, WHOLE);
  return memcmp(file, before, WHOLE) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  unsigned char *got = NULL;
  int is_sound = 0;
  size_t got_n;

  start();
  if (n > 0 && bytes[0] % 2 == 1)
    is_sound = change(bytes + 1, n - 1);
  else
    fuzz_write(path, bytes, n);
  int hit = ga__disk_get(disk, key, &got, &got_n);
  fuzz_accepted = hit;
  if (is_sound && !hit)
    abort();
  if (hit && n > 0 && bytes[0] % 2 == 1 &&
      (got_n != PAYLOAD || memcmp(got, payload, PAYLOAD) != 0))
    abort();
  ga__free(got);
  return 0;
}
