/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph devices lists the devices; gpugraph caps shows what one can do. */
#include "cli/cli.h"

#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <stdio.h>

static const char *class_of(int is_cpu) {
  return is_cpu ? "CPU" : "GPU";
}

static void print_device(const gpudevice_info *d, int is_chosen) {
  char size[16];

  if (d->device < 0) {
    printf("  opencl%d:-  %s: %s\n", d->platform, d->platform_name, d->why);
    return;
  }
  printf("%c opencl%d:%d  %s\n", is_chosen ? '*' : ' ', d->platform, d->device,
         d->name);
  printf("              %s, %u compute units, %s, %s\n", class_of(d->is_cpu),
         d->compute_units, cli_size(size, d->memory_bytes), d->vendor);
  printf("              %s, %s, driver %s\n", d->platform_name, d->version,
         d->driver);
  if (!d->usable)
    printf("              refused: %s\n", d->why);
}

int cli_devices(int argc, char **argv) {
  const char *spec = argc > 0 ? argv[0] : NULL;
  gpudevice_info *list;
  int platform, device;
  char why[512];
  size_t n;

  if (argc > 1)
    return cli_usage("devices takes one name at most");
  int err = gpudevice_list(&list, &n);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  int chosen = gpudevice_choose(spec, &platform, &device, why, sizeof why);
  for (size_t i = 0; i < n; i++)
    print_device(&list[i], chosen == GA_NO_ERROR &&
                               list[i].platform == platform &&
                               list[i].device == device);
  gpudevice_list_free(list);
  if (chosen != GA_NO_ERROR)
    return cli_fail(chosen);
  printf("\nuses %s\n", why);
  return 0;
}

static const char *yes_no(int v) {
  return v ? "yes" : "no";
}

static void print_caps(const char *name, const gpudevice_caps *c) {
  char size[16];

  printf("%s\n", name);
  printf("  class               %s\n", class_of(c->is_cpu));
  printf("  compute units       %u\n", c->compute_units);
  printf("  float lanes         %u\n", c->vector_float);
  printf("  work-group          %zu items, at most %zu x %zu x %zu\n",
         c->max_group, c->max_items[0], c->max_items[1], c->max_items[2]);
  printf("  local memory        %s, %s\n", cli_size(size, c->local_bytes),
         c->local_memory ? "dedicated" : "emulated");
  printf("  kernel arguments    %zu bytes\n", c->param_bytes);
  printf("  memory              %s", cli_size(size, c->memory_bytes));
  printf(", %s in one buffer\n", cli_size(size, c->max_alloc_bytes));
  printf("  double              %s\n", yes_no(c->fp64));
  printf("  half arithmetic     %s\n", yes_no(c->fp16));
  printf("  64-bit atomics      %s\n", yes_no(c->int64_atomics));
  printf("  sub-groups          %s\n", yes_no(c->subgroups));
  printf("  inline PTX          %s\n", yes_no(c->ptx));
  printf("  long loops          %s\n", yes_no(c->long_loops));
}

int cli_caps(int argc, char **argv) {
  gpucontext *ctx;
  char name[256];

  if (argc > 1)
    return cli_usage("caps takes one name at most");
  int err = gpucontext_open(&ctx, argc > 0 ? argv[0] : NULL);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name);
  print_caps(name, gpucontext_caps(ctx));
  gpucontext_deref(ctx);
  return 0;
}
