// SPDX-License-Identifier: BSD-2-Clause
/** \file gpugraph.hpp
 *  gpugraph for C++17: objects that free what they own, operators on variables,
 *  and exceptions with the messages of the libraries.
 *
 *      gg::context ctx;
 *      gg::graph g(ctx);
 *      gg::var x = g.input<float>("x", 1), y = g.input<float>("y", 1);
 *      gg::var a = g.shared("a", gg::array(ctx, {}, std::vector<float>{0}));
 *      gg::var cost = mean(sqr(a * x - y));
 *      gg::function train(g, {x, y}, {cost},
 *                         {{a, a - 0.1 * gg::grad(cost, {a})[0]}});
 *      std::vector<gg::array> out = train({xs, ys});
 *
 *  It needs nothing but the headers and libraries of C. Each object gives the C
 *  object that it holds by get(), so all other functions can be used beside it;
 *  gg::check() turns their codes into exceptions, and gg::var(gg_mul(a, b))
 *  their results. A variable belongs to its graph and is valid as long as that.
 *  Objects are for one thread at a time, as in C, and must not be used after
 *  they were moved from.
 */
#ifndef GPUGRAPH_GPUGRAPH_HPP
#define GPUGRAPH_GPUGRAPH_HPP

#include <gpuarray/array.h>
#include <gpuarray/buffer.h>
#include <gpuarray/error.h>
#include <gpuarray/util.h>
#include <gpugraph/gpugraph.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gg {

/// A failure: what() is the library's message, code() one of GA_*.
class error : public std::runtime_error {
public:
  error(int code, const char *text) : std::runtime_error(text), code_(code) {}
  int code() const noexcept { return code_; }

private:
  int code_;
};

/// Throw if a function of the libraries failed.
inline void check(int code) {
  if (code != GA_NO_ERROR)
    throw error(code, gpuarray_error_text(code));
}

/// The dtype of a type of C++: dtype_of<float>() is GA_FLOAT.
template <class T> constexpr int dtype_of() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8,
                "no dtype has elements of this type");
  if constexpr (std::is_same_v<T, bool>)
    return GA_BOOL;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? GA_FLOAT : GA_DOUBLE;
  else if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? GA_BYTE : GA_UBYTE;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? GA_SHORT : GA_USHORT;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? GA_INT : GA_UINT;
  else
    return std::is_signed_v<T> ? GA_LONG : GA_ULONG;
}

/// A device that is open. Copies share it.
class context {
public:
  /// The device of that name; without one the environment chooses.
  explicit context(const char *name = nullptr) {
    gpucontext *c = nullptr;
    check(gpucontext_open(&c, name));
    c_.reset(c, gpucontext_deref);
  }
  gpucontext *get() const noexcept { return c_.get(); }

private:
  std::shared_ptr<gpucontext> c_;
};

/// An array on a device. It is moved, and copied by copy() alone.
class array {
public:
  array() noexcept : a_() {}
  /// An array whose elements are undefined.
  static array empty(const context &c, int dtype,
                     const std::vector<std::size_t> &sizes) {
    array result;
    check(GpuArray_empty(&result.a_, c.get(), dtype,
                         static_cast<unsigned int>(sizes.size()), sizes.data(),
                         GA_C_ORDER));
    return result;
  }
  /// The elements of a vector, in C order; no sizes make a scalar.
  template <class T>
  array(const context &c, const std::vector<std::size_t> &sizes,
        const std::vector<T> &elements)
      : array(empty(c, dtype_of<T>(), sizes)) {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no bytes");
    if (elements.size() != size())
      throw error(GA_VALUE_ERROR,
                  ("the sizes are for " + std::to_string(size()) +
                   " elements, got " + std::to_string(elements.size()))
                      .c_str());
    if (size() != 0)
      check(GpuArray_write(&a_, elements.data(), size() * sizeof(T)));
  }
  array(array &&other) noexcept : a_(std::exchange(other.a_, GpuArray())) {}
  array &operator=(array &&other) noexcept {
    std::swap(a_, other.a_);
    return *this;
  }
  array(const array &) = delete;
  array &operator=(const array &) = delete;
  ~array() { GpuArray_clear(&a_); }

  array copy() const {
    array result;
    check(GpuArray_copy(&result.a_, &a_, GA_C_ORDER));
    return result;
  }
  /// All elements in C order; T is the array's own dtype. Blocks.
  template <class T> std::vector<T> read() const {
    static_assert(!std::is_same_v<T, bool>, "read bools as std::uint8_t");
    if (a_.typecode != dtype_of<T>() &&
        !(a_.typecode == GA_BOOL && dtype_of<T>() == GA_UBYTE))
      throw error(GA_VALUE_ERROR, "the array has another dtype");
    std::vector<T> out(size());
    if (out.empty())
      return out;
    const array plain = copy();
    check(GpuArray_read(out.data(), out.size() * sizeof(T), &plain.a_));
    return out;
  }
  /// The only element of an array. Blocks.
  template <class T> T item() const {
    if (size() != 1)
      throw error(GA_VALUE_ERROR, "the array has not one element");
    return read<T>()[0];
  }
  int dtype() const noexcept { return a_.typecode; }
  std::vector<std::size_t> sizes() const {
    return std::vector<std::size_t>(a_.dimensions, a_.dimensions + a_.nd);
  }
  std::size_t size() const noexcept {
    std::size_t n = 1;
    for (unsigned int i = 0; i < a_.nd; i++)
      n *= a_.dimensions[i];
    return n;
  }
  GpuArray *get() noexcept { return &a_; }
  const GpuArray *get() const noexcept { return &a_; }

private:
  GpuArray a_;
};

/// A variable of a graph. Copies stand for the same variable.
class var {
public:
  /// What a function of C has built; throws if that failed.
  explicit var(gg_var *v) : v_(v) {
    if (v == nullptr)
      throw error(gpuarray_error_code(),
                  gpuarray_error_text(gpuarray_error_code()));
  }
  gg_var *get() const noexcept { return v_; }
  const char *name() const noexcept { return gg_var_name(v_); }
  int dtype() const noexcept { return gg_var_type(v_)->dtype; }
  unsigned int rank() const noexcept { return gg_var_type(v_)->nd; }
  var named(const char *name) const { return var(gg_named(v_, name)); }

private:
  gg_var *v_;
};

namespace detail {
/// The first error of a graph sticks to it in C. Here it is thrown instead, and
/// the graph goes on. (Parentheses keep the macros of sited.h out, which would
/// record lines of this file.)
inline var made(const gg_graph *g, gg_var *v) {
  if (v != nullptr)
    return var(v);
  int code = gg_graph_status(g);
  if (code == GA_NO_ERROR)
    code = gpuarray_error_code();
  const error e(code, gg_graph_status(g) != GA_NO_ERROR
                          ? gg_graph_error(g)
                          : gpuarray_error_text(code));
  gg_graph_reset_error(const_cast<gg_graph *>(g));
  throw e;
}
inline void checked(gg_graph *g, int code) {
  if (code == GA_NO_ERROR)
    return;
  const error e(code, gg_graph_status(g) != GA_NO_ERROR
                          ? gg_graph_error(g)
                          : gpuarray_error_text(code));
  gg_graph_reset_error(g);
  throw e;
}
inline var number(const var &like, double value) {
  gg_graph *g = gg_var_graph(like.get());
  return made(g, (gg_weak)(g, value));
}
inline var apply(gg_var *(*f)(gg_var *), const var &x) {
  return made(gg_var_graph(x.get()), f(x.get()));
}
inline var apply(gg_var *(*f)(gg_var *, gg_var *), const var &x, const var &y) {
  return made(gg_var_graph(x.get()), f(x.get(), y.get()));
}
} // namespace detail

/// \name Operators
/// Of two variables, or of a variable and a number, which takes the dtype of
/// the variable.
/**@{*/
#define GG_HPP_BINARY(name, f)                                                 \
  inline var name(const var &x, const var &y) {                                \
    return detail::apply(f, x, y);                                             \
  }                                                                            \
  inline var name(const var &x, double y) {                                    \
    return detail::apply(f, x, detail::number(x, y));                          \
  }                                                                            \
  inline var name(double x, const var &y) {                                    \
    return detail::apply(f, detail::number(y, x), y);                          \
  }
GG_HPP_BINARY(operator+, gg_add)
GG_HPP_BINARY(operator-, gg_sub)
GG_HPP_BINARY(operator*, gg_mul)
GG_HPP_BINARY(operator/, gg_div)
GG_HPP_BINARY(operator%, gg_mod)
GG_HPP_BINARY(operator<, gg_lt)
GG_HPP_BINARY(operator<=, gg_le)
GG_HPP_BINARY(operator>, gg_gt)
GG_HPP_BINARY(operator>=, gg_ge)
GG_HPP_BINARY(equal, gg_eq)
GG_HPP_BINARY(not_equal, gg_ne)
GG_HPP_BINARY(pow, gg_pow)
GG_HPP_BINARY(maximum, gg_maximum)
GG_HPP_BINARY(minimum, gg_minimum)
#undef GG_HPP_BINARY
inline var operator-(const var &x) {
  return detail::apply(gg_neg, x);
}
/**@}*/

/// \name Functions
/// Others are called as in C: gg::var(gg_cumsum(x.get(), 0)).
/**@{*/
#define GG_HPP_UNARY(name)                                                     \
  inline var name(const var &x) {                                              \
    return detail::apply(gg_##name, x);                                        \
  }
GG_HPP_UNARY(abs)
GG_HPP_UNARY(sqr)
GG_HPP_UNARY(sqrt)
GG_HPP_UNARY(exp)
GG_HPP_UNARY(log)
GG_HPP_UNARY(log1p)
GG_HPP_UNARY(sin)
GG_HPP_UNARY(cos)
GG_HPP_UNARY(tanh)
GG_HPP_UNARY(sigmoid)
GG_HPP_UNARY(relu)
GG_HPP_UNARY(softmax)
GG_HPP_UNARY(sum)
GG_HPP_UNARY(mean)
GG_HPP_UNARY(transpose)
#undef GG_HPP_UNARY
inline var sum(const var &x, int axis) {
  return detail::made(gg_var_graph(x.get()), (gg_sum_axis)(x.get(), axis));
}
inline var mean(const var &x, int axis) {
  return detail::made(gg_var_graph(x.get()), (gg_mean_axis)(x.get(), axis));
}
inline var dot(const var &x, const var &y) {
  return detail::apply(gg_dot, x, y);
}
inline var where(const var &yes, const var &x, const var &y) {
  return detail::made(gg_var_graph(x.get()),
                      (gg_where)(yes.get(), x.get(), y.get()));
}
inline var reshape(const var &x, const std::vector<std::int64_t> &sizes) {
  return detail::made(
      gg_var_graph(x.get()),
      (gg_reshape)(x.get(), static_cast<unsigned int>(sizes.size()),
                   sizes.data()));
}
template <class T> var cast(const var &x) {
  return detail::made(gg_var_graph(x.get()), (gg_cast)(x.get(), dtype_of<T>()));
}
/// The derivatives of a scalar by each variable.
inline std::vector<var> grad(const var &cost, const std::vector<var> &by) {
  std::vector<gg_var *> in, out(by.size());
  std::vector<var> result;
  for (const var &v : by)
    in.push_back(v.get());
  detail::checked(gg_var_graph(cost.get()),
                  (gg_grad)(out.data(), cost.get(),
                            static_cast<unsigned int>(in.size()), in.data()));
  for (gg_var *v : out)
    result.push_back(var(v));
  return result;
}
/**@}*/

/// A graph with its variables.
class graph {
public:
  explicit graph(const context &c) : g_(gg_graph_new(c.get())) {
    if (g_ == nullptr)
      throw error(GA_MEMORY_ERROR, "no memory for a graph");
  }
  gg_graph *get() const noexcept { return g_.get(); }
  /// An input of any sizes.
  template <class T> var input(const char *name, unsigned int rank) {
    return detail::made(get(), (gg_input)(get(), name, dtype_of<T>(), rank));
  }
  /// An input of these sizes; GG_ANY leaves one open.
  template <class T>
  var input_sized(const char *name, const std::vector<std::int64_t> &sizes) {
    return detail::made(
        get(), (gg_input_sized)(get(), name, dtype_of<T>(),
                                static_cast<unsigned int>(sizes.size()),
                                sizes.data()));
  }
  /// A variable that keeps its value between calls, first a copy of `value`.
  var shared(const char *name, const array &value) {
    return detail::made(get(), (gg_shared)(get(), name, value.get()));
  }
  template <class T> var constant(T value) {
    return detail::made(
        get(), (gg_constant)(get(), dtype_of<T>(), 0, nullptr, &value));
  }
  void load(const char *path) {
    detail::checked(get(), gg_graph_load(get(), path));
  }
  void save(const char *path) const {
    detail::checked(get(), gg_graph_save(get(), path));
  }

private:
  struct free {
    void operator()(gg_graph *g) const noexcept { gg_graph_free(g); }
  };
  std::unique_ptr<gg_graph, free> g_;
};

/// The present value of a shared variable.
inline array value_of(const var &shared) {
  array a;
  detail::checked(gg_var_graph(shared.get()),
                  gg_shared_get(shared.get(), a.get()));
  return a;
}
inline void set_value(const var &shared, const array &value) {
  detail::checked(gg_var_graph(shared.get()),
                  gg_shared_set(shared.get(), value.get()));
}

/// A shared variable and its next value.
struct update {
  var shared, value;
};

/// A graph compiled to kernels.
class function {
public:
  /// `flags` and the rest of a gg_func_spec are those of func.h.
  function(graph &g, const std::vector<var> &inputs,
           const std::vector<var> &outputs,
           const std::vector<update> &updates = {}, gg_func_spec spec = {}) {
    std::vector<gg_var *> in, out;
    std::vector<gg_update> next;
    gg_func *f = nullptr;
    for (const var &v : inputs)
      in.push_back(v.get());
    for (const var &v : outputs)
      out.push_back(v.get());
    for (const update &u : updates)
      next.push_back(gg_update{u.shared.get(), u.value.get()});
    in.push_back(nullptr);
    out.push_back(nullptr);
    next.push_back(gg_update{nullptr, nullptr});
    spec.inputs = in.data();
    spec.outputs = out.data();
    spec.updates = next.data();
    detail::checked(g.get(), gg_func_new(&f, g.get(), &spec));
    f_.reset(f);
  }
  gg_func *get() const noexcept { return f_.get(); }

  /// Call it. Returns when the work is enqueued; reading a result waits.
  std::vector<array>
  operator()(std::initializer_list<std::reference_wrapper<const array>> in) {
    std::vector<array> out(gg_func_n_outputs(get()));
    run(std::vector<std::reference_wrapper<const array>>(in), out);
    return out;
  }
  /// The same into arrays of an earlier call, whose memory is used again.
  void run(const std::vector<std::reference_wrapper<const array>> &in,
           std::vector<array> &out) {
    std::vector<GpuArray *> from, to;
    if (in.size() != gg_func_n_inputs(get()))
      throw error(GA_VALUE_ERROR,
                  ("the function has " +
                   std::to_string(gg_func_n_inputs(get())) + " inputs, got " +
                   std::to_string(in.size()))
                      .c_str());
    out.resize(gg_func_n_outputs(get()));
    for (const array &a : in) // calls do not write to arguments
      from.push_back(const_cast<GpuArray *>(a.get()));
    for (array &a : out)
      to.push_back(a.get());
    const int code = gg_func_call(get(), from.data(), to.data());
    if (code != GA_NO_ERROR)
      throw error(code, gg_func_error(get()));
  }

private:
  struct free {
    void operator()(gg_func *f) const noexcept { gg_func_free(f); }
  };
  std::unique_ptr<gg_func, free> f_;
};

} // namespace gg

#endif
