/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph devices lists the devices; gpugraph caps shows what one can do. */
#include "cli/cli.h"

#include <gpuarray/device.h>
#include <gpuarray/error.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/cli_json.h"

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

static void print_devices(const gpudevice_info *list, size_t n, size_t chosen) {
  for (size_t i = 0; i < n; i++)
    print_device(&list[i], i == chosen);
}

static void write_device(cli_json *j, const gpudevice_info *d, int is_chosen) {
  char name[64];

  snprintf(name, sizeof name, "opencl%d:%d", d->platform, d->device);
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "platform", d->platform_name);
  if (d->device >= 0) {
    cli_json_text(j, "id", name);
    cli_json_text(j, "name", d->name);
    cli_json_text(j, "vendor", d->vendor);
    cli_json_text(j, "version", d->version);
    cli_json_text(j, "driver", d->driver);
    cli_json_text(j, "class", class_of(d->is_cpu));
    cli_json_count(j, "compute_units", d->compute_units);
    cli_json_count(j, "memory_bytes", d->memory_bytes);
    cli_json_flag(j, "usable", d->usable);
    cli_json_flag(j, "chosen", is_chosen);
  }
  if (d->device < 0 || !d->usable)
    cli_json_text(j, "why", d->why);
  cli_json_close(j, '}');
}

static void write_devices(const gpudevice_info *list, size_t n, size_t chosen) {
  cli_json j = {stdout, 0, 0};

  cli_json_open(&j, NULL, '{');
  cli_json_open(&j, "devices", '[');
  for (size_t i = 0; i < n; i++)
    write_device(&j, &list[i], i == chosen);
  cli_json_close(&j, ']');
  cli_json_close(&j, '}');
}

int cli_devices(const cli_command *c, int argc, char **argv) {
  int platform, device, json;
  size_t n, chosen = 0;
  gpudevice_info *list;
  const char *spec;
  char why[512];

  if (cli_read_one(c, argc, argv, &spec, &json) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  int err = gpudevice_list(&list, &n);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  err = gpudevice_choose(spec, &platform, &device, why, sizeof why);
  while (chosen < n &&
         (err != GA_NO_ERROR || list[chosen].platform != platform ||
          list[chosen].device != device))
    chosen++;
  (json ? write_devices : print_devices)(list, n, chosen);
  gpudevice_list_free(list);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  if (!json)
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
  printf("  chains of groups    %s\n", yes_no(c->chains));
}

static void write_caps(const char *name, const gpudevice_caps *c) {
  cli_json j = {stdout, 0, 0};

  cli_json_open(&j, NULL, '{');
  cli_json_text(&j, "name", name);
  cli_json_text(&j, "class", class_of(c->is_cpu));
  cli_json_count(&j, "compute_units", c->compute_units);
  cli_json_count(&j, "float_lanes", c->vector_float);
  cli_json_count(&j, "work_group_items", c->max_group);
  cli_json_open(&j, "work_group_sizes", '[');
  for (int i = 0; i < 3; i++)
    cli_json_count(&j, NULL, c->max_items[i]);
  cli_json_close(&j, ']');
  cli_json_count(&j, "local_bytes", c->local_bytes);
  cli_json_flag(&j, "local_memory", c->local_memory);
  cli_json_count(&j, "argument_bytes", c->param_bytes);
  cli_json_count(&j, "memory_bytes", c->memory_bytes);
  cli_json_count(&j, "buffer_bytes", c->max_alloc_bytes);
  cli_json_flag(&j, "double", c->fp64);
  cli_json_flag(&j, "half_arithmetic", c->fp16);
  cli_json_flag(&j, "atomics_64_bits", c->int64_atomics);
  cli_json_flag(&j, "sub_groups", c->subgroups);
  cli_json_flag(&j, "inline_ptx", c->ptx);
  cli_json_flag(&j, "long_loops", c->long_loops);
  cli_json_flag(&j, "chains", c->chains);
  cli_json_close(&j, '}');
}

int cli_caps(const cli_command *c, int argc, char **argv) {
  gpucontext *ctx;
  const char *spec;
  char name[256];
  int json;

  if (cli_read_one(c, argc, argv, &spec, &json) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  int err = gpucontext_open(&ctx, spec);
  if (err != GA_NO_ERROR)
    return cli_fail(err);
  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name);
  (json ? write_caps : print_caps)(name, gpucontext_caps(ctx));
  gpucontext_deref(ctx);
  return 0;
}
