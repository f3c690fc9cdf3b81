// SPDX-License-Identifier: BSD-2-Clause
// Trains a line in C++ and looks at what gpugraph.hpp promises: exceptions,
// moves, operators with numbers. Exits with 77 without a device.
#include <gpugraph/gpugraph.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

namespace {

int failures = 0;

void expect(bool yes, const char *what) {
  if (yes)
    return;
  std::printf("failed: %s\n", what);
  failures++;
}

template <class F> void expect_error(F f, int code, const char *part) {
  try {
    f();
    expect(false, part);
  } catch (const gg::error &e) {
    if (e.code() != code || std::strstr(e.what(), part) == nullptr) {
      std::printf("got %d: %s\n", e.code(), e.what());
      expect(false, part);
    }
  }
}

// y = 2 x + 1 from 16 points.
void train_line(const gg::context &ctx) {
  std::vector<float> x(16), y(16);
  for (std::size_t i = 0; i < 16; i++) {
    x[i] = static_cast<float>(i) / 16;
    y[i] = 2 * x[i] + 1;
  }
  const gg::array xs(ctx, {16}, x), ys(ctx, {16}, y);
  gg::graph g(ctx);
  const gg::var in = g.input<float>("x", 1), aim = g.input_sized<float>("y", {16});
  const gg::var a = g.shared("a", gg::array(ctx, {}, std::vector<float>{0}));
  const gg::var b = g.shared("b", gg::array(ctx, {}, std::vector<float>{0}));
  const gg::var cost = mean(sqr(a * in + b - aim));
  const std::vector<gg::var> d = gg::grad(cost, {a, b});
  gg::function train(g, {in, aim}, {cost},
                     {{a, a - 0.4 * d[0]}, {b, b - 0.4 * d[1]}});
  std::vector<gg::array> out;
  for (int i = 0; i < 400; i++)
    train.run({xs, ys}, out);
  expect(out.size() == 1 && out[0].item<float>() < 1e-6f, "the cost");
  expect(std::fabs(gg::value_of(a).item<float>() - 2) < 1e-2f, "the slope");
  expect(std::fabs(gg::value_of(b).item<float>() - 1) < 1e-2f, "the offset");
  set_value(a, gg::array(ctx, {}, std::vector<float>{7}));
  expect(gg::value_of(a).item<float>() == 7.0f, "a value that was set");
  expect(train({xs, ys})[0].item<float>() > 1, "the cost of another slope");
}

void use_operators(const gg::context &ctx) {
  gg::graph g(ctx);
  const gg::var x = g.input<std::int32_t>("x", 1);
  const gg::var y = -x * 3.0 + 1.0, z = where(x > 1.0, y, 10.0 - x);
  gg::function f(g, {x}, {z, equal(x, 2.0), maximum(x, 2.0) % 3.0});
  const gg::array xs(ctx, {3}, std::vector<std::int32_t>{1, 2, 5});
  const std::vector<gg::array> out = f({xs});
  expect(out[1].read<std::uint8_t>() == std::vector<std::uint8_t>{0, 1, 0},
         "equal");
  expect(z.dtype() == out[0].dtype() && z.rank() == 1, "types");
  expect(out[0].sizes() == std::vector<std::size_t>{3}, "sizes");
  const gg::array twice = xs.copy();
  expect(twice.read<std::int32_t>() == xs.read<std::int32_t>(), "a copy");
}

void move_arrays(const gg::context &ctx) {
  gg::array a(ctx, {2, 1}, std::vector<double>{1, 2});
  gg::array b = std::move(a), c;
  c = std::move(b);
  expect(c.size() == 2 && c.read<double>()[1] == 2, "what was moved");
  gg::array none(ctx, {0}, std::vector<float>{});
  expect(none.read<float>().empty(), "an empty array");
}

void fail(const gg::context &ctx) {
  gg::graph g(ctx);
  const gg::var x = g.input_sized<float>("x", {2}), y = g.input_sized<float>("y", {3});
  expect_error([&] { x + y; }, GA_VALUE_ERROR, "2");
  expect_error([&] { gg::grad(x, {x}); }, GA_VALUE_ERROR, "float32[2]");
  gg::function f(g, {x}, {x * 2.0}); // the graph goes on
  const gg::array three(ctx, {3}, std::vector<float>{1, 2, 3});
  expect_error([&] { f({three}); }, GA_VALUE_ERROR, "3");
  expect_error([&] { f({three, three}); }, GA_VALUE_ERROR,
               "the function has 1 inputs, got 2");
  expect_error([&] { gg::array(ctx, {2}, std::vector<float>{1}); },
               GA_VALUE_ERROR, "the sizes are for 2 elements, got 1");
  expect_error([&] { three.read<double>(); }, GA_VALUE_ERROR, "another dtype");
  expect_error([&] { three.item<float>(); }, GA_VALUE_ERROR, "one element");
  expect_error([&] { g.load("/nowhere/at.gg"); }, GA_SYS_ERROR, "/nowhere");
  expect_error([&] { gg::context("xyzzy"); }, GA_NODEV_ERROR, "xyzzy");
}

} // namespace

int main() {
  std::optional<gg::context> ctx;
  try {
    ctx.emplace();
  } catch (const gg::error &e) {
    std::printf("%s\n", e.what());
    return 77;
  }
  try {
    train_line(*ctx);
    use_operators(*ctx);
    move_arrays(*ctx);
    fail(*ctx);
  } catch (const gg::error &e) {
    std::printf("an error: %s\n", e.what());
    return 1;
  }
  return failures != 0;
}
