#include "scheduler/breaker/breaker_keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace elbowroom::scheduler {
namespace {

// No pod is removed until the record is kept.
constexpr std::chrono::milliseconds kKeptWithin{5'000};

}  // namespace

void BreakerKeeper::keep() {
  if (!state_.leads() || options_.dry_run) return;
  auto asked = state_.breaker_store.step(state_.time(), state_.server_time());
  if (!asked) return;
  const auto by = std::min(state_.fence(), state_.time() + kKeptWithin);
  const Keeping what{.leadership = state_.leadership.number(),
                     .reads = std::holds_alternative<ReadBreaker>(*asked)};
  std::visit([&](auto& each) { state_.outbox.emit(std::move(each), by, what); }, *asked);
}

void BreakerKeeper::kept(const Keeping& what, const Done& done) {
  if (what.leadership != state_.leadership.number()) return;
  state_.is_held_up = true;
  if (!what.reads) return state_.breaker_store.written(done.breaker);
  // An earlier leader has stored it, if it was a scheduler that does.
  state_.breaker_store.read(done.breaker, state_.leadership.is_first(), state_.server_time());
  state_.breaker.load(state_.breaker_store.record(), state_.server_time(), state_.time());
}

void BreakerKeeper::not_kept(const Keeping& what, const Error& error) {
  if (what.leadership != state_.leadership.number()) return;
  if (what.reads && error.code == Code::NotFound) return kept(what, {});
  state_.is_held_up = true;
  state_.breaker_store.failed(error, state_.time());
}

}  // namespace elbowroom::scheduler
