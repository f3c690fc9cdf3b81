/* SPDX-License-Identifier: BSD-2-Clause */
/* Choosing a device by name. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>

#include "base/strb.h"

/* What was requested, and by which environment variable, for messages. */
typedef struct request {
  const char *spec;   /* NULL: any device */
  const char *source; /* " (from $GPUARRAY_DEVICE)" or "" */
} request;

static request request_of(const char *spec) {
  request r = {spec, ""};

  if (r.spec == NULL || r.spec[0] == '\0') {
    r.spec = getenv("GPUARRAY_DEVICE");
    r.source = " (from $GPUARRAY_DEVICE)";
  }
  if (r.spec == NULL || r.spec[0] == '\0') {
    r.spec = getenv("DEVICE");
    r.source = " (from $DEVICE)";
  }
  if (r.spec == NULL || r.spec[0] == '\0') {
    r.spec = NULL;
    r.source = "";
  }
  return r;
}

static int parse_number(const char **at) {
  char *end;

  if (!isdigit((unsigned char)**at))
    return -1;
  long v = strtol(*at, &end, 10);
  *at = end;
  return v <= 1000000 ? (int)v : -1;
}

/* Parse "opencl<P>:<D>" or "<P>:<D>". Returns 0 for any other text. */
static int parse_numbers(const char *spec, int *platform, int *device) {
  if (strncmp(spec, "opencl", 6) == 0)
    spec += 6;
  *platform = parse_number(&spec);
  if (*platform < 0 || *spec++ != ':')
    return 0;
  *device = parse_number(&spec);
  return *device >= 0 && *spec == '\0';
}

static int contains(const char *text, const char *part) {
  for (; *text != '\0'; text++) {
    size_t i = 0;

    while (part[i] != '\0' &&
           tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
      i++;
    if (part[i] == '\0')
      return 1;
  }
  return 0;
}

/* --- the search --- */

typedef struct search {
  const gpudevice_info *list;
  size_t n;
  request want;
} search;

static const gpudevice_info *by_number(const search *s, int platform,
                                       int device) {
  for (size_t i = 0; i < s->n; i++) {
    if (s->list[i].platform == platform && s->list[i].device == device)
      return &s->list[i];
  }
  return NULL;
}

/* The first usable device with a matching name, else the first match. */
static const gpudevice_info *by_name(const search *s) {
  const gpudevice_info *refused = NULL;

  for (size_t i = 0; i < s->n; i++) {
    const gpudevice_info *d = &s->list[i];

    if (d->device < 0 || (!contains(d->name, s->want.spec) &&
                          !contains(d->platform_name, s->want.spec)))
      continue;
    if (d->usable)
      return d;
    if (refused == NULL)
      refused = d;
  }
  return refused;
}

static const gpudevice_info *by_default(const search *s) {
  const gpudevice_info *cpu = NULL;

  for (size_t i = 0; i < s->n; i++) {
    if (!s->list[i].usable)
      continue;
    if (!s->list[i].is_cpu)
      return &s->list[i];
    if (cpu == NULL)
      cpu = &s->list[i];
  }
  return cpu;
}

static int fail_nothing(const search *s) {
  ga__strb b = GA_STRB_INIT;

  if (s->want.spec != NULL)
    ga__strb_appendf(&b, "no device \"%s\"%s; ", s->want.spec, s->want.source);
  else
    ga__strb_append(&b, "no usable device; ");
  if (s->n == 0)
    ga__strb_append(&b, "there is no OpenCL platform");
  else
    ga__strb_append(&b, "there are ");
  for (size_t i = 0; i < s->n; i++) {
    const gpudevice_info *d = &s->list[i];

    ga__strb_append(&b, i > 0 ? ", " : "");
    if (d->device < 0)
      ga__strb_appendf(&b, "platform %d \"%s\" (%s)", d->platform,
                       d->platform_name, d->why);
    else
      ga__strb_appendf(&b, "opencl%d:%d \"%s\"%s%s%s", d->platform, d->device,
                       d->name, d->usable ? "" : " (refused: ", d->why,
                       d->usable ? "" : ")");
  }
  return ga__strb_fail(&b, GA_NODEV_ERROR);
}

static const char *reason(const search *s, const gpudevice_info *d) {
  if (s->want.spec != NULL)
    return "asked for";
  return d->is_cpu ? "first usable device, no GPU" : "first usable GPU";
}

int gpudevice_choose(const char *spec, int *platform, int *device, char *why,
                     size_t why_bytes) {
  search s = {.want = request_of(spec)};
  const gpudevice_info *d;
  gpudevice_info *list;
  int err = GA_NO_ERROR, p, n;

  *platform = *device = -1;
  if (why != NULL && why_bytes > 0)
    why[0] = '\0';
  GA_TRY(gpudevice_list(&list, &s.n));
  s.list = list;
  if (s.want.spec == NULL)
    d = by_default(&s);
  else if (parse_numbers(s.want.spec, &p, &n))
    d = by_number(&s, p, n);
  else
    d = by_name(&s);

  if (d == NULL) {
    err = fail_nothing(&s);
  } else if (!d->usable) {
    err = ga__fail(GA_NODEV_ERROR, "opencl%d:%d \"%s\" is refused: %s",
                   d->platform, d->device, d->name, d->why);
  } else {
    *platform = d->platform;
    *device = d->device;
    if (why != NULL)
      snprintf(why, why_bytes, "opencl%d:%d \"%s\": %s%s", d->platform,
               d->device, d->name, reason(&s, d), s.want.source);
  }
  gpudevice_list_free(list);
  return err;
}

int gpucontext_open(gpucontext **out, const char *spec) {
  gpucontext_props *props;
  int platform, device;

  *out = NULL;
  GA_TRY(gpudevice_choose(spec, &platform, &device, NULL, 0));
  GA_TRY(gpucontext_props_new(&props));
  gpucontext_props_opencl_dev(props, platform, device);
  return gpucontext_init(out, "opencl", props);
}
