#include "policy/model/resources.h"

#include <algorithm>

namespace elbowroom::policy {

std::int64_t amount_of(const Resources& of, std::string_view name) {
  if (name == kCpu) return of.cpu.value;
  if (name == kMemory) return of.memory.value;
  if (name == kEphemeralStorage) return of.ephemeral_storage.value;
  const auto at = of.others.find(name);
  return at == of.others.end() ? 0 : at->second;
}

void set_amount(Resources& of, std::string_view name, std::int64_t amount) {
  if (name == kCpu) {
    of.cpu.value = amount;
  } else if (name == kMemory) {
    of.memory.value = amount;
  } else if (name == kEphemeralStorage) {
    of.ephemeral_storage.value = amount;
  } else if (amount != 0) {
    of.others.insert_or_assign(std::string(name), amount);
  } else {
    of.others.erase(std::string(name));
  }
}

void add_to(Resources& total, const Resources& more) {
  total.cpu.value = saturating_add(total.cpu.value, more.cpu.value);
  total.memory.value = saturating_add(total.memory.value, more.memory.value);
  total.ephemeral_storage.value =
      saturating_add(total.ephemeral_storage.value, more.ephemeral_storage.value);
  for (const auto& [name, amount] : more.others) {
    std::int64_t& have = total.others[name];
    have = saturating_add(have, amount);
  }
}

Resources sum(const Resources& a, const Resources& b) {
  Resources total = a;
  add_to(total, b);
  return total;
}

Resources max_of(const Resources& a, const Resources& b) {
  Resources larger = a;
  larger.cpu = std::max(a.cpu, b.cpu);
  larger.memory = std::max(a.memory, b.memory);
  larger.ephemeral_storage = std::max(a.ephemeral_storage, b.ephemeral_storage);
  for (const auto& [name, amount] : b.others) {
    std::int64_t& have = larger.others[name];
    have = std::max(have, amount);
  }
  return larger;
}

bool exceeds_anywhere(const Resources& a, const Resources& b) {
  if (a.cpu > b.cpu || a.memory > b.memory || a.ephemeral_storage > b.ephemeral_storage)
    return true;
  return std::ranges::any_of(
      a.others, [&](const auto& entry) { return entry.second > amount_of(b, entry.first); });
}

bool is_zero(const Resources& of) {
  bool zero = true;
  for_each_amount(of, [&](std::string_view, std::int64_t) { zero = false; });
  return zero;
}

bool is_pod_level_resource(std::string_view name) {
  return name == kCpu || name == kMemory || name.starts_with("hugepages-");
}

}  // namespace elbowroom::policy
