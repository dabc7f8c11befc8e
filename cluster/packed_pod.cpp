#include "cluster/packed_pod.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "cluster/packed_labels.h"

namespace elbowroom::cluster {
namespace {

using policy::Condition;
using policy::Conditions;
using policy::Container;
using policy::Pod;
using policy::Resources;

// The conditions that decisions read; a pod's other conditions are for people.
constexpr std::array kKept = {policy::kPodResizePending, policy::kPodResizeInProgress,
                              policy::kPodResizePreemptionDisabled, policy::kDisruptionTarget,
                              policy::kReady};

constexpr std::size_t kLongestName = 0xffff;

bool is_kept(const Condition& condition) {
  return std::ranges::find(kKept, condition.type) != kKept.end();
}

void put_length(std::string& to, std::size_t length) {
  to.push_back(static_cast<char>(length & 0xffU));
  to.push_back(static_cast<char>(length >> 8U));
}

std::size_t length_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) |
         static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1])) << 8U;
}

// Writer and reader visit the same members in the same order (see each()): one appends, the other
// consumes.
class Writer {
 public:
  explicit Writer(std::string& to) : to_(to) {}

  void operator()(std::uint64_t value) {
    while (value >= 0x80U) {
      to_.push_back(static_cast<char>(value | 0x80U));
      value >>= 7U;
    }
    to_.push_back(static_cast<char>(value));
  }
  // Zigzag encoding, so that small negative values are short, too.
  void operator()(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    (*this)((bits << 1U) ^ (value < 0 ? ~std::uint64_t{0} : std::uint64_t{0}));
  }
  void operator()(std::int32_t value) { (*this)(std::int64_t{value}); }
  void operator()(bool value) { to_.push_back(value ? '\1' : '\0'); }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    to_ += text;
  }
  void operator()(const policy::Time& time) {
    (*this)(std::int64_t{time.time_since_epoch().count()});
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(E value) {
    to_.push_back(static_cast<char>(value));
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  // Only the conditions in kKept.
  void operator()(const Conditions& conditions) {
    (*this)(static_cast<std::uint64_t>(std::ranges::count_if(conditions, is_kept)));
    for (const Condition& each : conditions) {
      if (is_kept(each)) (*this)(each);
    }
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(std::uint64_t{values.size()});
    for (const T& each : values) (*this)(each);
  }
  template <class K, class V, class L>
  void operator()(const std::map<K, V, L>& values) {
    (*this)(std::uint64_t{values.size()});
    for (const auto& [key, value] : values) {
      (*this)(key);
      (*this)(value);
    }
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(const T& value) {
    each(*this, value);
  }

 private:
  std::string& to_;
};

class Reader {
 public:
  explicit Reader(std::string_view from) : from_(from) {}

  void operator()(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64U; shift += 7U) {
      const auto byte = static_cast<unsigned char>(from_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) return;
    }
  }
  void operator()(std::int64_t& value) {
    std::uint64_t bits = 0;
    (*this)(bits);
    value = static_cast<std::int64_t>((bits >> 1U) ^ (~(bits & 1U) + 1U));
  }
  void operator()(std::int32_t& value) {
    std::int64_t wide = 0;
    (*this)(wide);
    value = static_cast<std::int32_t>(wide);
  }
  void operator()(bool& value) { value = from_[at_++] != '\0'; }
  [[nodiscard]] std::string_view rest() const { return from_.substr(at_); }
  std::string_view text() {
    std::uint64_t size = 0;
    (*this)(size);
    const std::string_view text = from_.substr(at_, size);
    at_ += size;
    return text;
  }
  void operator()(std::string& value) { value = text(); }
  void operator()(policy::Time& time) {
    std::int64_t count = 0;
    (*this)(count);
    time = policy::Time{policy::Time::duration{count}};
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(E& value) {
    value = static_cast<E>(from_[at_++]);
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool has = false;
    (*this)(has);
    if (has) (*this)(value.emplace());
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    std::uint64_t size = 0;
    (*this)(size);
    values.resize(size);
    for (T& each : values) (*this)(each);
  }
  template <class K, class V, class L>
  void operator()(std::map<K, V, L>& values) {
    std::uint64_t size = 0;
    (*this)(size);
    for (; size > 0; --size) {
      K key{};
      (*this)(key);
      (*this)(values.emplace_hint(values.end(), std::move(key), V{})->second);
    }
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(T& value) {
    each(*this, value);
  }

 private:
  std::string_view from_;
  std::size_t at_ = 0;
};

// The members of each struct. A structured binding names all of them, so a member that is added to
// the struct and not here does not compile.
template <class Of, class T>
concept Is = std::is_same_v<std::remove_const_t<Of>, T>;

void each(auto& io, Is<policy::MilliCpu> auto& of) { io(of.value); }
void each(auto& io, Is<policy::Bytes> auto& of) { io(of.value); }
void each(auto& io, Is<Resources> auto& of) {
  auto& [cpu, memory, storage, others] = of;
  io(cpu), io(memory), io(storage), io(others);
}
void each(auto& io, Is<policy::Requirements> auto& of) {
  auto& [requests, limits] = of;
  io(requests), io(limits);
}
void each(auto& io, Is<policy::PodLevel> auto& of) {
  auto& [desired, allocated, allocated_limits, actual, actual_limits] = of;
  io(desired), io(allocated), io(allocated_limits), io(actual), io(actual_limits);
}
void each(auto& io, Is<policy::Owner> auto& of) {
  auto& [kind, name, uid] = of;
  io(kind), io(name), io(uid);
}
void each(auto& io, Is<policy::LabelExpression> auto& of) {
  auto& [key, op, values] = of;
  io(key), io(op), io(values);
}
void each(auto& io, Is<policy::LabelSelector> auto& of) {
  auto& [labels, expressions] = of;
  io(labels), io(expressions);
}
void each(auto& io, Is<policy::NodeExpression> auto& of) {
  auto& [key, op, values] = of;
  io(key), io(op), io(values);
}
void each(auto& io, Is<policy::NodeTerm> auto& of) {
  auto& [labels, names] = of;
  io(labels), io(names);
}
void each(auto& io, Is<policy::PreferredNodes> auto& of) {
  auto& [weight, term] = of;
  io(weight), io(term);
}
void each(auto& io, Is<policy::Toleration> auto& of) {
  auto& [key, op, value, effect] = of;
  io(key), io(op), io(value), io(effect);
}
void each(auto& io, Is<policy::SpreadConstraint> auto& of) {
  auto& [skew, key, required, selector, domains, affinity, taints] = of;
  io(skew), io(key), io(required), io(selector), io(domains), io(affinity), io(taints);
}
void each(auto& io, Is<policy::PodTerm> auto& of) {
  auto& [selector, namespaces, namespace_selector, key] = of;
  io(selector), io(namespaces), io(namespace_selector), io(key);
}
void each(auto& io, Is<policy::PreferredPods> auto& of) {
  auto& [weight, term] = of;
  io(weight), io(term);
}
void each(auto& io, Is<policy::HostPort> auto& of) {
  auto& [ip, protocol, port] = of;
  io(ip), io(protocol), io(port);
}
void each(auto& io, Is<policy::PodClaim> auto& of) {
  auto& [name, ephemeral] = of;
  io(name), io(ephemeral);
}
// Most pods have no special requirements, or only the two tolerations that every pod gets.
void each(auto& io, Is<policy::Placement> auto& of) {
  auto& [selector, required, preferred, tolerations, spread, near, apart, preferred_affinity,
         preferred_anti_affinity, ports, gates, claims, local, images] = of;
  io(tolerations), io(claims), io(local), io(images);
  bool has_more = !(selector.empty() && !required && preferred.empty() && spread.empty() &&
                    near.empty() && apart.empty() && preferred_affinity.empty() &&
                    preferred_anti_affinity.empty() && ports.empty() && gates.empty());
  io(has_more);
  if (!has_more) return;
  io(selector), io(required), io(preferred), io(spread), io(near), io(apart),
      io(preferred_affinity);
  io(preferred_anti_affinity), io(ports), io(gates);
}
void each(auto& io, Is<Condition> auto& of) {
  auto& [type, status, reason, message, generation, transition] = of;
  io(type), io(status), io(reason), io(message), io(generation), io(transition);
}
void each(auto& io, Is<Container> auto& of) {
  auto& [name, kind, desired, allocated, allocated_limits, actual, actual_limits, cpu_resize,
         memory_resize, state, swaps, would_swap] = of;
  io(name), io(kind), io(desired), io(allocated), io(allocated_limits), io(actual);
  io(actual_limits), io(cpu_resize), io(memory_resize), io(state), io(swaps), io(would_swap);
}
void each(auto& io, Is<policy::ClaimedResources> auto& of) {
  auto& [claim, amounts] = of;
  io(claim), io(amounts);
}
// Except namespace, name and node, which are at the front, and what its group says, which is known
// where groups are.
void each(auto& io, Is<Pod> auto& of) {
  auto& [ns, name, uid, generation, version, labels, controller, node, nominated, scheduler, group,
         claims, priority, preemption, is_static, is_mirror, never_moves, qos, phase, created,
         started, deletion, deletion_grace, termination_grace, containers, pod_level, overhead,
         claimed, placement, conditions, standing] = of;
  (void)standing;  // a snapshot adds it
  io(uid), io(generation), io(labels), io(controller), io(nominated), io(scheduler), io(group);
  io(claims), io(priority), io(preemption), io(is_static), io(is_mirror), io(never_moves);
  io(qos), io(phase);
  io(created), io(started), io(deletion), io(deletion_grace), io(termination_grace);
  io(containers), io(pod_level), io(overhead), io(claimed), io(placement), io(conditions);
}

}  // namespace

//  length of key | key | length of namespace | length of node | node | everything else
PackedPod PackedPod::packed(const Pod& pod) {
  std::string bytes;
  bytes.reserve(512);
  const std::string key = policy::key_of(pod).substr(0, kLongestName);
  put_length(bytes, key.size());
  bytes += key;
  put_length(bytes, std::min(pod.ns.size(), key.size()));
  const std::string_view node = std::string_view(pod.node).substr(0, kLongestName);
  put_length(bytes, node.size());
  bytes += node;

  Writer writer(bytes);
  writer(pod);
  bytes.shrink_to_fit();
  return PackedPod(std::move(bytes));
}

std::string_view PackedPod::key() const {
  return bytes_.empty() ? std::string_view{}
                        : std::string_view(bytes_).substr(2, length_at(bytes_, 0));
}

std::string_view PackedPod::node() const {
  if (bytes_.empty()) return {};
  const std::size_t at = 2 + length_at(bytes_, 0) + 2;
  return std::string_view(bytes_).substr(at + 2, length_at(bytes_, at));
}

std::string_view PackedPod::uid() const {
  if (bytes_.empty()) return {};
  return Reader(body()).text();
}

std::string_view PackedPod::labels_text() const {
  if (bytes_.empty()) return {};
  Reader reader(body());
  static_cast<void>(reader.text());
  std::int64_t generation = 0;
  reader(generation);
  const std::string_view from = reader.rest();
  std::uint64_t count = 0;
  reader(count);
  for (; count > 0; --count) {
    static_cast<void>(reader.text());
    static_cast<void>(reader.text());
  }
  return from.substr(0, from.size() - reader.rest().size());
}

void read_labels(std::string_view text, policy::LabelViews& to) {
  to.clear();
  if (text.empty()) return;
  Reader reader(text);
  std::uint64_t count = 0;
  reader(count);
  for (; count > 0; --count) {
    const std::string_view key = reader.text();
    to.emplace_back(key, reader.text());
  }
}

// The part after the names at the front. It begins with the uid, the generation and the labels.
std::string_view PackedPod::body() const {
  return std::string_view(bytes_).substr(2 + key().size() + 4 + node().size());
}

Pod PackedPod::unpacked() const {
  Pod pod;
  if (bytes_.empty()) return pod;
  const std::string_view whole = key();
  const std::size_t ns = length_at(bytes_, 2 + whole.size());
  pod.ns = whole.substr(0, ns);
  pod.name = whole.substr(std::min(ns + 1, whole.size()));
  pod.node = node();
  Reader reader(body());
  reader(pod);
  return pod;
}

Pod as_packed(Pod pod) {
  pod.resource_version.clear();
  std::erase_if(pod.conditions, [](const Condition& each) { return !is_kept(each); });
  return pod;
}

}  // namespace elbowroom::cluster
