/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops by name: registering one, and the fields of those that there are. No
 * device. */
#include <string.h>

#include "graph/form.h"
#include "ops/ops.h"
#include "support/roundtrip.h"

static int infer_half_of(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, gg_var_type(a->in[0])->dtype, out);
}

typedef struct blend_props {
  double weight;
  int kind, on;
} blend_props;

static const char *const kinds[] = {"linear", "cubic", NULL};
static const gg_code blend_code = {"(%0 + %1)", NULL, 1, 1};
static const gg_op blend = {.name = "blend",
                            .kind = GG_OP_ELEMWISE,
                            .props_bytes = sizeof(blend_props),
                            .n_out = 1,
                            .infer = infer_half_of,
                            .code = &blend_code};
static const gg_field blend_fields[] = {{.name = "weight",
                                         .kind = GG_FIELD_REAL,
                                         .at = offsetof(blend_props, weight)},
                                        {.name = "kind",
                                         .kind = GG_FIELD_WORD,
                                         .at = offsetof(blend_props, kind),
                                         .words = kinds},
                                        {.name = "on",
                                         .kind = GG_FIELD_FLAG,
                                         .at = offsetof(blend_props, on),
                                         .optional = 1,
                                         .otherwise = 1}};
static const gg_op_form blend_form = {&blend, "FF", 3, blend_fields, NULL};

static void test_register(void **state) {
  static const gg_op twin = {.name = "blend", .n_out = 1};
  static const gg_op_form twin_form = {&twin, "F", 0, NULL, NULL};
  static const gg_op named_input = {.name = "input", .n_out = 1};
  static const gg_op_form input_form = {&named_input, "F", 0, NULL, NULL};
  static const gg_op_form bare_form = {&blend, "FF", 0, NULL, NULL};
  static const gg_field fields[65];
  static const gg_op_form large_form = {&blend, "FF", 65, fields, NULL};
  const blend_props props = {0.25, 1, 1};
  gg_graph *g = gg_graph_new(NULL);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *const in[2] = {x, x};

  (void)state;
  gg_named(gg_op_apply(NULL, &blend, &props, 2, in), "y");
  assert_int_equal(gg_graph_print(g, stdout, 0), GA_UNSUPPORTED_ERROR);
  assert_string_equal(gpuarray_error_text(GA_UNSUPPORTED_ERROR),
                      "blend(float32[?], float32[?]): the op is not registered "
                      "(gg_op_register)");
  gg_graph_free(g);
  assert_code(GA_VALUE_ERROR, gg_op_register(&bare_form));
  assert_code(GA_VALUE_ERROR, gg_op_register(&large_form));
  assert_ok(gg_op_register(&blend_form));
  assert_ok(gg_op_register(&blend_form));
  assert_code(GA_VALUE_ERROR, gg_op_register(&twin_form));
  assert_code(GA_VALUE_ERROR, gg_op_register(&input_form));
  assert_same_text("x = input float32[?]\n"
                   "y = blend{weight=0.25, kind=cubic}(x, x)\n"
                   "z = blend{weight=-inf, kind=linear, on=false}(x, y)\n");
}

/* Does an earlier list keep its length in the same place? */
static int shares_count(const gg_op_form *form, unsigned int i) {
  for (unsigned int k = 0; k < i; k++)
    if (form->fields[k].most != 0 && form->fields[k].kind != GG_FIELD_TEXT &&
        form->fields[k].count_at == form->fields[i].count_at)
      return 1;
  return 0;
}

/* Every byte of an op's properties is one of a field. */
static void check_form(const gg_op_form *form) {
  unsigned char props[256];
  ga__strb a = GA_STRB_INIT;
  size_t covered = 0;

  assert_true(form->op->props_bytes <= sizeof props);
  for (unsigned int i = 0; i < form->n_fields; i++) {
    const gg_field *f = &form->fields[i];
    const size_t size =
        f->kind == GG_FIELD_INT64 || f->kind == GG_FIELD_REAL ? 8 : 4;

    if (f->kind == GG_FIELD_TEXT)
      covered += f->most;
    else
      covered += size * (f->most != 0 ? f->most + !shares_count(form, i) : 1);
  }
  assert_int_equal(covered, form->op->props_bytes);
  gg__props_clear(form, props);
  gg__form_print(form, props, &a);
  ga__strb_clear(&a);
  assert_ptr_equal(gg__form_of(form->op), form);
  assert_ptr_equal(gg_op_form_of(form->op), form);
  assert_ptr_equal(gg__form_named(form->op->name, strlen(form->op->name)),
                   form);
}

static void test_forms(void **state) {
  (void)state;
  for (const gg_op_form *const *all = gg__families_of_ops; *all != NULL; all++)
    for (const gg_op_form *f = *all; f->op != NULL; f++)
      check_form(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_register),
      cmocka_unit_test(test_forms),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
