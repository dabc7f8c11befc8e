// The effects of one observation, and those of earlier ones that are not answered yet. Ids grow by
// one with each effect.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "scheduler/effect.h"
#include "scheduler/in_flight.h"

namespace elbowroom::scheduler {

class Outbox {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // An effect whose answer nothing waits for.
  template <class What>
  EffectId emit(What what, Time not_after) {
    const EffectId id = ++last_;
    effects_.push_back({.id = id, .not_after = not_after, .what = std::move(what)});
    return id;
  }
  // One whose answer belongs to `whose`.
  template <class What>
  EffectId emit(What what, Time not_after, InFlightEffect whose) {
    const EffectId id = emit(std::move(what), not_after);
    if (std::holds_alternative<PodBinding>(whose)) ++bindings_;
    in_flight_.emplace(id, std::move(whose));
    return id;
  }
  // Returns what the effect was for, and forgets it; nothing if it is answered already.
  [[nodiscard]] std::optional<InFlightEffect> answered(EffectId id);

  // Returns the effects since the last call.
  [[nodiscard]] Effects take() { return std::exchange(effects_, {}); }

  [[nodiscard]] EffectId last() const { return last_; }
  // The number of bindings in flight.
  [[nodiscard]] std::size_t bindings() const { return bindings_; }
  [[nodiscard]] bool binds(std::string_view key, std::string_view uid) const;
  [[nodiscard]] bool clears_mark_of(std::string_view key) const;
  // True if anything that changes a pod, or the circuit breaker's record, is in flight.
  [[nodiscard]] bool is_writing() const;

 private:
  std::map<EffectId, InFlightEffect> in_flight_{};
  std::size_t bindings_ = 0;
  EffectId last_ = 0;
  Effects effects_{};
};

}  // namespace elbowroom::scheduler
