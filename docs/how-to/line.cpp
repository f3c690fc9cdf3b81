// SPDX-License-Identifier: BSD-2-Clause
// The answer of docs/how-to.md about C++.
#include <gpugraph/gpugraph.hpp>

#include <cstdio>
#include <vector>

// Find a in y = a x by gradient descent.
static void fit() {
  const gg::context ctx;
  gg::graph g(ctx);
  const gg::var x = g.input<float>("x", 1), y = g.input<float>("y", 1);
  const gg::var a = g.shared("a", gg::array(ctx, {}, std::vector<float>{0}));
  const gg::var cost = mean(sqr(a * x - y));
  const gg::var next = a - 0.1 * gg::grad(cost, {a})[0];
  gg::function train(g, {x, y}, {cost}, {{a, next}});

  const gg::array xs(ctx, {3}, std::vector<float>{1, 2, 3});
  const gg::array ys(ctx, {3}, std::vector<float>{2, 4, 6});
  for (int i = 0; i < 50; i++)
    train({xs, ys});
  std::printf("y = %.2f x\n", double(gg::value_of(a).item<float>()));
}

int main() {
  try {
    fit();
  } catch (const gg::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
