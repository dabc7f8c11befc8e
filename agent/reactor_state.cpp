#include "agent/reactor_state.h"

#include <algorithm>

namespace elbowroom::agent {
namespace {

using Stage = RemovalProgress::Stage;

}  // namespace

std::size_t flying(const ReactorState& state, Doing doing) {
  return static_cast<std::size_t>(std::ranges::count_if(
      state.in_flight, [&](const auto& entry) { return entry.second.doing == doing; }));
}

Result<void> consistent(const ReactorState& state) {
  constexpr EffectId kMostEffects = EffectId{1} << 60U;
  if (state.last_effect > kMostEffects)
    return failure(Code::Invalid, "lastEffect is out of bounds");
  for (const auto& [id, flown] : state.in_flight) {
    if (id == 0 || id > state.last_effect) {
      return failure(Code::Invalid,
                     "inFlight holds effect " + std::to_string(id) + ", which was never made");
    }
  }
  if (flying(state, Doing::Save) != (state.saving ? 1U : 0U)) {
    return failure(Code::Invalid, "saving and the saves in flight do not go together");
  }
  const RemovalProgress& removal = state.removal.progress();
  const bool steps_wait = !removal.waiting.empty() && state.contention.why.empty();
  if ((removal.stage == Stage::Idle) == removal.intent.has_value() || steps_wait ||
      removal.outstanding != flying(state, Doing::Remove)) {
    return failure(Code::Invalid, "removal and the removals in flight do not go together");
  }
  return {};
}

}  // namespace elbowroom::agent
