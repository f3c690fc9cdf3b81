/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a device. There should be none here, so every name is refused, in
 * words that repeat it; where the loader finds some all the same, a name may
 * also be one of theirs. */
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/error.h>

#include "fuzz/fuzz.h"

static int is_refused(int err, const char *name) {
  return err == GA_NODEV_ERROR &&
         strstr(gpucontext_error(NULL, err), name) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  char why[16], name[256];
  int platform, device;

  setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
  unsetenv("GPUARRAY_DEVICE");
  unsetenv("DEVICE");
  n = n < sizeof name - 1 ? n : sizeof name - 1;
  memcpy(name, bytes, n);
  name[n] = '\0';
  int err = gpudevice_choose(name, &platform, &device, why, sizeof why);
  fuzz_accepted = err == GA_NO_ERROR;
  if (fuzz_accepted ? platform < 0 || device < 0 : !is_refused(err, name))
    abort();
  if (err != GA_NO_ERROR && (platform != -1 || device != -1))
    abort();
  return 0;
}
