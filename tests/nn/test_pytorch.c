/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers, CTC and optimisers beside PyTorch 1.13 in float64. Parameters and
 * operands follow a formula; what PyTorch made of them stands here. */
#include "nn/params_case.h"

#include <math.h>
#include <string.h>

enum { MOST = 96, STEPS = 100 };

static const double lstm[24] = {
    0.17653912148915088,  0.024161995759154977, -0.0050477323774771529,
    0.18726680736740262,  0.089311101522202355, 0.1113241845070656,
    -0.12544758709778828, 0.13934642772915456,  0.16353721682923525,
    0.092440179956281149, -0.19569830960572074, 0.085604606704880043,
    0.21608077957210051,  0.11086676745760671,  0.012176127247552992,
    0.17582819484394546,  0.17049524271533217,  0.18152654166122961,
    -0.13414208609095754, 0.097354620427201527, 0.18162175739449349,
    0.13359583050349072,  -0.14128005302683824, 0.041456482899572322};

static const double lstm_c[8] = {0.35995676386039321,    0.45732431411223895,
                                 0.34496640690721014,    0.4249830412183962,
                                 -0.0083943570219450203, 0.24571998057376376,
                                 -0.17946676022179101,   0.21379349139799358};

static const double gru[12] = {
    -0.20119625138782637, -0.33049841374481753, -0.19477556083067155,
    -0.32012652749887621, -0.33281576749337255, -0.51140233492741283,
    -0.33291742220434667, -0.50543125494566643, -0.42624813299159559,
    -0.61188382799444563, -0.42692460463838033, -0.61146777049026579};

static const double attention[24] = {
    0.50857971483923881,  -0.77526642954840952, -0.18178643782346254,
    -0.57153355998455413, 0.49518027934599368,  -0.74655895883773127,
    -0.22248464282560138, -0.52354751473899241, 0.49447214810359524,
    -0.76349899730422321, -0.18985394619337398, -0.56809821898941226,
    0.51874791731441527,  -0.76494519160174335, -0.21140444225205979,
    -0.52604130701393914, 0.4888971672707933,   -0.7496656511901103,
    -0.2103471408704074,  -0.54331327339079039, 0.52738714587441915,
    -0.7725942799731349,  -0.20562938691351784, -0.52927499095969088};

static const double causal[24] = {
    0.1519356053027206,    -0.93835844416106673,  -0.070018288853465116,
    -0.048771242781963146, 0.0046932704979681383, -0.8451682208191591,
    -0.098387774777966647, -0.088500739261127101, 0.0072456480017117908,
    -0.82663650364394514,  -0.13586214814859546,  -0.03641407285162037,
    -0.08630011530454279,  -0.77441102125209782,  -0.14073241736588288,
    -0.079461802320262231, -0.051442049217326868, -0.78783559849824469,
    -0.15029261026242918,  -0.048021570417648915, -0.033158125783509573,
    -0.80660375169149723,  -0.13320898723269234,  -0.061446559780770127};

static const double ctc[3] = {5.8379209364256344, 3.8434741973641886,
                              2.666703927863336};

static const double ctc_mean[1] = {2.1781382240068807};

static const double ctc_gradient[72] = {0.038700617770817375,
                                        -0.049034091254325861,
                                        0.0063374301387516914,
                                        0.0039960433447567955,
                                        -0.0096806613341470938,
                                        0.011643341341334185,
                                        0.044817273357134722,
                                        -0.046779953364321808,
                                        -0.097819945859282317,
                                        0.0877948893273931,
                                        0.0030186764943804915,
                                        0.0070063800375087327,
                                        -0.0028094572845659628,
                                        -0.04554168152719628,
                                        -0.03178887592265138,
                                        0.080140014734413623,
                                        -0.043030815182436476,
                                        0.032565434514292731,
                                        0.026147381234361226,
                                        -0.015682000566217481,
                                        -0.091963842803661766,
                                        0.033685835110912207,
                                        -0.13343491651238895,
                                        0.19171292420513852,
                                        -6.4614216129258277e-05,
                                        0.039965393766737328,
                                        -0.054809662629790333,
                                        0.014908883079182256,
                                        -0.012827736832346417,
                                        -0.021823408666313972,
                                        0.018746566288131254,
                                        0.015904579210529134,
                                        -0.0055867456347681206,
                                        0.059778170051029748,
                                        -0.17726940106540282,
                                        0.12307797664914119,
                                        -0.028609962061527574,
                                        0.020371194135712204,
                                        0.0037344269098917673,
                                        0.0045043410159236012,
                                        -0.023079315376389353,
                                        -0.10640198075568263,
                                        0.046896470666345107,
                                        0.082584825465726874,
                                        -0.083356959185744164,
                                        0.083986935585542974,
                                        -0.0076005839304313138,
                                        0.0069706075306325025,
                                        -0.0083069765184670703,
                                        0.0061437161878232097,
                                        -0.078005541118915334,
                                        0.080168801449559193,
                                        -0.0068559356581006934,
                                        -0.023045857659171994,
                                        0.023833978203765694,
                                        0.0060678151135069936,
                                        0,
                                        0,
                                        0,
                                        0,
                                        -0.015570097131073981,
                                        0.042146880989085297,
                                        -0.03980619666875345,
                                        0.013229412810742129,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0};

static const double after_sgd[6] = {0.48472798167482423,  -0.43925581951806608,
                                    0.32442369730159326,  0.27356528144319608,
                                    0.081981116042866967, -0.39433819576438167};

static const double after_adam[6] = {
    0.48256941812895382, -0.43462591187392635, 0.32397731503511135,
    0.27283760336423379, 0.080923202789147275, -0.39661267059048444};

static const double after_adam_w[6] = {
    0.50814439909852172, -0.47038546218733712, 0.33544550351503205,
    0.30230335866695862, 0.08217527591178507,  -0.42077143504370118};

static const double after_rmsprop[6] = {
    0.51097342938856982, -0.47513584295790506, 0.33541803238494006,
    0.30153329052640782, 0.083349412156788261, -0.41890879513991153};

static const double after_adagrad[6] = {
    0.50205941394387699, -0.47111181181720163, 0.33541803238494006,
    0.30153329052640776, 0.083349412159382172, -0.4188840360586138};

static const double after_adadelta[6] = {
    0.13974214122882939, -0.1606997879392634, 0.33541803242780549,
    0.30842362604339718, 0.11038320075343855, -0.27289877772743032};

/* --- the same numbers as PyTorch had --- */

static void formula(const char *name, size_t n, double *to) {
  int k = 0;

  for (; *name != '\0'; name++)
    k += *name;
  for (size_t i = 0; i < n; i++)
    to[i] = 0.5 * sin(0.7 * (double)i + k);
}

static size_t elements(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  size_t n = 1;

  for (unsigned int i = 0; i < t->nd; i++)
    n *= (size_t)t->dims[i];
  return n;
}

/* All parameters by their names. */
static void fill_params(void) {
  gg_var *const *all = gg_params_all(p);
  double values[MOST];

  for (; *all != NULL; all++) {
    const size_t n = elements(*all);
    assert_true(n <= MOST);
    formula(gg_var_name(*all), n, values);
    assert_ok(gg_shared_write(*all, values, n * sizeof *values));
  }
}

static gg_var *operand(const char *name, unsigned int nd, const size_t *dims,
                       double factor) {
  double values[MOST];
  size_t n = 1;

  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  assert_true(n <= MOST);
  formula(name, n, values);
  for (size_t i = 0; i < n; i++)
    values[i] *= factor;
  return gg_shared_host(g, name, GA_DOUBLE, nd, dims, values);
}

static void compare(const GpuArray *made, const double *want, size_t n) {
  double got[MOST];

  assert_int_equal(test_size(made), n);
  assert_ok(GpuArray_read(got, n * sizeof *got, made));
  test_close(GA_DOUBLE, got, want, n, 1e-12, 1e-12);
}

/* Two values beside what PyTorch has. */
static void check(gg_var *y, const double *want, size_t n, gg_var *z,
                  const double *want_z, size_t n_z) {
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(y, z)});

  fill_params();
  func_run(f, NULL, (GpuArray *[]){&out, &out2});
  compare(&out, want, n);
  compare(&out2, want_z, n_z);
  gg_func_free(f);
}

/* --- layers --- */

static void recurrent_layers_have_its_values(void **state) {
  gg_var *x = operand("x", 3, (size_t[]){3, 2, 3}, 1), *h, *c;
  const gg_recurrent both = {.units = 2, .flags = GG_NN_BOTH_WAYS},
                     two = {.units = 2, .layers = 2};

  (void)state;
  test_need_full();
  test_need_double();
  gg_var *y = gg_nn_lstm(p, "l", x, &both, &h, &c);
  check(y, lstm, 24, c, lstm_c, 8);
  y = gg_nn_gru(p, "g", x, &two, &h);
  check(y, gru, 12, gg_slice(y, 0, -1, GG_END, 1), gru + 8, 4);
}

static void attention_has_its_values(void **state) {
  gg_var *q = operand("q", 3, (size_t[]){2, 3, 4}, 1),
         *k = operand("k", 3, (size_t[]){2, 2, 4}, 1);

  (void)state;
  test_need_full();
  test_need_double();
  gg_var *y = gg_nn_attention(p, "a", q, k, k, &(gg_attention){.heads = 2});
  gg_var *z = gg_nn_attention(
      p, "b", q, q, q, &(gg_attention){.heads = 2, .flags = GG_NN_CAUSAL});
  check(y, attention, 24, z, causal, 24);
}

static void ctc_has_its_losses(void **state) {
  const int32_t labels[3][3] = {{1, 2, 2}, {3, 1, 0}, {2, 3, 1}},
                lengths[3] = {3, 2, 1}, steps[3] = {6, 5, 4};
  const size_t dims[2] = {3, 3};
  gg_var *z = operand("z", 3, (size_t[]){6, 3, 4}, 4), *dz = NULL;
  gg_ctc how = {.steps = gg_constant(g, GA_INT, 1, dims, steps),
                .lengths = gg_constant(g, GA_INT, 1, dims, lengths)};

  (void)state;
  test_need_full();
  test_need_double();
  gg_var *y = gg_constant(g, GA_INT, 2, dims, labels),
         *log_p = gg_log_softmax(z);
  gg_var *mean = gg_loss_ctc(log_p, y, &how);
  assert_ok(gg_grad(&dz, mean, 1, &z));
  check(mean, ctc_mean, 1, dz, ctc_gradient, 72);
  how.reduction = GG_LOSS_EACH;
  gg_var *each = gg_loss_ctc(log_p, y, &how);
  check(each, ctc, 3, mean, ctc_mean, 1);
}

/* --- optimisers --- */

static gg_optimiser named(const char *name) {
  gg_optimiser o = gg_adadelta(1);

  if (strcmp(name, "sgd") == 0) {
    o = gg_sgd(0.02);
    o.momentum = 0.9;
    o.nesterov = 1;
    o.decay = 0.1;
  } else if (strcmp(name, "adam") == 0) {
    o = gg_adam(0.02);
    o.amsgrad = 1;
    o.decay = 0.1;
  } else if (strcmp(name, "adam_w") == 0) {
    o = gg_adam_w(0.02);
  } else if (strcmp(name, "rmsprop") == 0) {
    o = gg_rmsprop(0.01);
    o.centered = 1;
    o.momentum = 0.5;
  } else if (strcmp(name, "adagrad") == 0) {
    o = gg_adagrad(0.1);
    o.rate_decay = 0.01;
  }
  return o;
}

/* The updates of one step from w, whose cost is sum(pull (w - aim)^2 / 2 -
 * cos(w)). */
static const gg_update *step_of(gg_params *own, const gg_optimiser *how,
                                gg_var **w) {
  static const double pull[6] = {1, 0.3, 2, 0.01, 5, 0.7},
                      aim[6] = {1, -2, 0.5, 30, 0.1, -1};
  const size_t n = 6;
  double first[6];

  *w = gg_param(own, "w", 1, &n, gg_init_constant(0));
  formula("w", n, first);
  assert_ok(gg_shared_write(*w, first, sizeof first));
  gg_var *d = gg_sub(*w, gg_constant(g, GA_DOUBLE, 1, &n, aim));
  gg_var *half = gg_mul(gg_constant(g, GA_DOUBLE, 1, &n, pull),
                        gg_mul(gg_sqr(d), gg_f64(g, 0.5)));
  return gg_optimise(own, gg_sum(gg_sub(half, gg_cos(*w))), how);
}

/* 100 steps of all of them, as one function. */
static void optimisers_make_its_steps(void **state) {
  static const char *const names[] = {"sgd",     "adam",    "adam_w",
                                      "rmsprop", "adagrad", "adadelta"};
  const double *const want[] = {after_sgd,     after_adam,    after_adam_w,
                                after_rmsprop, after_adagrad, after_adadelta};
  gg_update all[64] = {{NULL, NULL}};
  gg_var *w[6];
  size_t n = 0;

  (void)state;
  test_need_double();
  for (int i = 0; i < 6; i++) {
    const gg_optimiser how = named(names[i]);
    const gg_update *u = step_of(gg_params_group(p, names[i]), &how, &w[i]);
    assert_non_null(u);
    for (; u->shared != NULL; u++)
      all[n++] = *u;
  }
  gg_func *f = func_make(g, &(gg_func_spec){.updates = all});
  for (int i = 0; i < STEPS; i++)
    func_run(f, NULL, NULL);
  for (int i = 0; i < 6; i++) {
    double got[6];
    assert_ok(gg_shared_read(w[i], got, sizeof got));
    test_close(GA_DOUBLE, got, want[i], 6, 1e-9, 1e-9);
  }
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, params_setup, params_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(recurrent_layers_have_its_values), TEST(attention_has_its_values),
      TEST(ctc_has_its_losses), TEST(optimisers_make_its_steps)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
