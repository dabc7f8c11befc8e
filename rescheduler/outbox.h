// The effects of one observation, and those of earlier ones that are not answered yet. Ids grow by
// one with each effect.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "rescheduler/effect.h"

namespace elbowroom::rescheduler {

struct LeaseWrite {};
struct CutOff {};
// The status of that budget, NAMESPACE/NAME.
struct StatusWrite {
  std::string budget{};
};
// The annotation of that node.
struct AvoidWrite {
  std::string node{};
};
using InFlight = std::variant<LeaseWrite, CutOff, StatusWrite, AvoidWrite>;

class Outbox {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  template <class What>
  void emit(What what, Time not_after, InFlight whose) {
    const EffectId id = ++last_;
    effects_.push_back({.id = id, .not_after = not_after, .what = std::move(what)});
    if (std::holds_alternative<StatusWrite>(whose)) ++writes_;
    if (std::holds_alternative<AvoidWrite>(whose)) ++drops_;
    in_flight_.emplace(id, std::move(whose));
  }
  // Returns what the effect was for, and forgets it; nothing if it is answered already.
  [[nodiscard]] std::optional<InFlight> answered(EffectId id) {
    const auto at = in_flight_.find(id);
    if (at == in_flight_.end()) return std::nullopt;
    InFlight whose = std::move(at->second);
    in_flight_.erase(at);
    if (std::holds_alternative<StatusWrite>(whose)) --writes_;
    if (std::holds_alternative<AvoidWrite>(whose)) --drops_;
    return whose;
  }

  // Returns the effects since the last call.
  [[nodiscard]] Effects take() { return std::exchange(effects_, {}); }
  // The numbers of statuses and of annotations in flight.
  [[nodiscard]] std::size_t writes() const { return writes_; }
  [[nodiscard]] std::size_t drops() const { return drops_; }

 private:
  std::map<EffectId, InFlight> in_flight_{};
  std::size_t writes_ = 0;
  std::size_t drops_ = 0;
  EffectId last_ = 0;
  Effects effects_{};
};

}  // namespace elbowroom::rescheduler
