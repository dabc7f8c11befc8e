#include "scheduler/outbox.h"

#include <algorithm>

namespace elbowroom::scheduler {
namespace {

bool is_write(const InFlightEffect& what) {
  if (const auto* keeping = std::get_if<Keeping>(&what)) return !keeping->reads;
  const auto* step = std::get_if<RemovalStep>(&what);
  if (step == nullptr) return !std::holds_alternative<LeaseWrite>(what);
  if (const auto* removed = std::get_if<DeleteVictim>(&step->step)) return !removed->dry_run;
  return std::holds_alternative<MarkVictim>(step->step);
}

}  // namespace

std::optional<InFlightEffect> Outbox::answered(EffectId id) {
  const auto at = in_flight_.find(id);
  if (at == in_flight_.end()) return std::nullopt;
  InFlightEffect whose = std::move(at->second);
  in_flight_.erase(at);
  if (std::holds_alternative<PodBinding>(whose)) --bindings_;
  return whose;
}

bool Outbox::binds(std::string_view key, std::string_view uid) const {
  return std::ranges::any_of(in_flight_, [&](const auto& entry) {
    const auto* binding = std::get_if<PodBinding>(&entry.second);
    return binding != nullptr && binding->key == key && binding->uid == uid;
  });
}

bool Outbox::clears_mark_of(std::string_view key) const {
  return std::ranges::any_of(in_flight_, [&](const auto& entry) {
    const auto* stale = std::get_if<StaleMark>(&entry.second);
    return stale != nullptr && stale->key == key;
  });
}

bool Outbox::is_writing() const {
  return std::ranges::any_of(in_flight_, [](const auto& entry) { return is_write(entry.second); });
}

}  // namespace elbowroom::scheduler
