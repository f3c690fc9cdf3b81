/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the provider of collectives at first use. */
#define _GNU_SOURCE /* dladdr */
#include "comm/load.h"
#include "base/env.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "libgpuarray-mpi.so"

static const ga__comm_table *provider;

static const ga__comm_table *open_module(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library != NULL ? dlsym(library, GA_COMM_SYMBOL) : NULL;
  ga__comm_entry entry;

  if (symbol != NULL) {
    memcpy(&entry, &symbol, sizeof entry);
    const ga__comm_table *table = entry();
    if (table->version == GA_COMM_VERSION)
      return table; /* the library stays loaded */
  }
  if (library != NULL)
    dlclose(library);
  return NULL;
}

/* Open the module beside the library that contains this code. */
static const ga__comm_table *open_beside(void) {
  char path[4096];
  Dl_info here;

  if (dladdr(&provider, &here) == 0 || here.dli_fname == NULL)
    return NULL;
  const char *slash = strrchr(here.dli_fname, '/');
  if (slash == NULL)
    return NULL;
  if (snprintf(path, sizeof path, "%.*s/" MODULE, (int)(slash - here.dli_fname),
               here.dli_fname) >= (int)sizeof path)
    return NULL;
  return open_module(path);
}

static void look(void) {
  const char *asked = getenv("GPUARRAY_MPI");

  if (asked != NULL && asked[0] != '\0') {
    if (strcmp(asked, "0") != 0)
      provider = open_module(asked);
    return;
  }
  provider = open_beside();
  if (provider == NULL)
    provider = open_module(MODULE);
}

const ga__comm_table *ga__comm_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once(&once, look);
  return provider;
}

double ga__comm_timeout(void) {
  const char *asked = getenv("GPUARRAY_COMM_TIMEOUT");
  const double seconds = asked != NULL ? ga__real_of_text(asked) : 0;

  return seconds > 0 ? seconds : 60;
}
