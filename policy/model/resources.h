// Amounts of node and pod resources, as exact integers: cpu in millicores, everything else in base
// units. Zero and absent are the same amount. Sums saturate at 2^63-1 instead of wrapping, so a sum
// that is too large compares as too large.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace elbowroom::policy {

inline constexpr std::int64_t kMaxAmount = std::numeric_limits<std::int64_t>::max();

// a + b, both >= 0; kMaxAmount where the sum exceeds 64 bits.
[[nodiscard]] constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  return a > kMaxAmount - b ? kMaxAmount : a + b;
}

// True when `request` does not fit beside `used` (both >= 0). No sum is made, so a total of exactly
// kMaxAmount fits into a capacity of kMaxAmount, and beside a saturated `used` nothing fits.
[[nodiscard]] constexpr bool is_too_much(std::int64_t request, std::int64_t used,
                                         std::int64_t capacity) {
  return used > capacity || request > capacity - used;
}

// Thousandths of a cpu, >= 0.
struct MilliCpu {
  std::int64_t value = 0;
  friend auto operator<=>(const MilliCpu&, const MilliCpu&) = default;
};

// Bytes, >= 0.
struct Bytes {
  std::int64_t value = 0;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

// One amount per resource. `others` holds hugepages-* and extended resources by name, never a zero.
// "pods" is not a resource here: nodes count it separately (Node::allowed_pods).
struct Resources {
  MilliCpu cpu{};
  Bytes memory{};
  Bytes ephemeral_storage{};
  std::map<std::string, std::int64_t, std::less<>> others{};

  friend bool operator==(const Resources&, const Resources&) = default;
};

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kEphemeralStorage = "ephemeral-storage";

// The amount of the resource with that API name ("cpu" in millicores); 0 when absent.
[[nodiscard]] std::int64_t amount_of(const Resources& of, std::string_view name);

// Sets the amount of the resource with that API name; zero removes it. Requires amount >= 0.
void set_amount(Resources& of, std::string_view name, std::int64_t amount);

// The sum (saturating) and the maximum, per resource.
[[nodiscard]] Resources sum(const Resources& a, const Resources& b);
[[nodiscard]] Resources max_of(const Resources& a, const Resources& b);
void add_to(Resources& total, const Resources& more);

// True when some resource of `a` is larger than the same resource of `b`.
[[nodiscard]] bool exceeds_anywhere(const Resources& a, const Resources& b);

[[nodiscard]] bool is_zero(const Resources& of);

// Calls f(std::string_view name, std::int64_t amount) for every amount above zero, in the one order
// used everywhere: cpu, memory, ephemeral-storage, others by name.
template <class F>
void for_each_amount(const Resources& of, F&& f) {
  if (of.cpu.value != 0) f(kCpu, of.cpu.value);
  if (of.memory.value != 0) f(kMemory, of.memory.value);
  if (of.ephemeral_storage.value != 0) f(kEphemeralStorage, of.ephemeral_storage.value);
  for (const auto& [name, amount] : of.others) {
    if (amount != 0) f(std::string_view(name), amount);
  }
}

// Resources that a pod-level request may name: cpu, memory, hugepages-*.
[[nodiscard]] bool is_pod_level_resource(std::string_view name);

}  // namespace elbowroom::policy
