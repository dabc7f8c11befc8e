#include "test/simulation/fault_steps.h"

#include <array>
#include <iterator>

namespace elbowroom::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

ClusterStep& FaultSteps::step(Kind kind, milliseconds at) {
  steps_.push_back({.kind = kind, .at = at});
  return steps_.back();
}

void FaultSteps::add(milliseconds at) {
  const std::int64_t dice = number(100);
  if (dice < 62) return api_fault(at);
  if (dice < 82) return crash(at);
  if (dice < 88) return partition(at);
  if (dice < 94) return end(at);
  jump(at);
}

void FaultSteps::end(milliseconds at) {
  const std::string who = any_scheduler();
  ClusterStep& step = this->step(Kind::End, at);
  step.who = who;
  step.down = milliseconds(50 + number(one_in(3) ? 40'000 : 1'000));
}

void FaultSteps::jump(milliseconds at) {
  const std::string who = any_scheduler();
  ClusterStep& step = this->step(Kind::Jump, at);
  step.who = who;
  constexpr std::array<std::int64_t, 4> kJumps = {3600, -3600, 86'400 * 365 * 5, -86'400 * 365 * 5};
  step.a = kJumps[static_cast<std::size_t>(number(4))];
}

void FaultSteps::partition(milliseconds at) {
  const std::string who = any_scheduler();
  ClusterStep& step = this->step(Kind::Partition, at);
  step.who = who;
  step.a = 3 + number(40);
}

void FaultSteps::api_fault(milliseconds at) {
  using Fault = lab::ApiFault::Kind;
  using Of = lab::ApiFault::Of;
  constexpr Fault kKinds[] = {
      Fault::Refused,     Fault::Hang,       Fault::Slow,        Fault::HalfReply,
      Fault::LostReply,   Fault::LostReply,  Fault::WatchSilent, Fault::WatchStale,
      Fault::WatchClosed, Fault::WatchStale, Fault::WatchGone,   Fault::WatchGoneEvent,
      Fault::Duplicate,   Fault::Reordered,  Fault::Status,      Fault::Status,
      Fault::Status,      Fault::Status,     Fault::Status,      Fault::Status};
  lab::ApiFault fault{.kind = kKinds[number(std::size(kKinds))]};
  fault.of = one_in(4) ? Of::Any : one_in(4) ? Of::Reads : Of::Writes;
  fault.times = static_cast<int>(1 + number(4));
  constexpr int kCodes[] = {401, 403, 404, 409, 422, 429, 429, 500, 503, 504};
  fault.code = kCodes[number(std::size(kCodes))];
  if (fault.code == 429 && one_in(2)) fault.retry_after = seconds(1 + number(20));
  if (fault.kind == Fault::Slow) fault.delay = milliseconds(500 + number(20'000));
  if (fault.kind == Fault::WatchStale) fault.delay = milliseconds(500 + number(12'000));
  if (fault.kind == Fault::WatchClosed && one_in(2)) fault.delay = milliseconds(1);
  if (one_in(12) && !is_about_watches(fault.kind)) {
    fault.lasts = seconds(5 + number(40));  // an outage
    fault.of = Of::Any;
  }
  const std::string who = any_process();
  ClusterStep& step = this->step(Kind::Api, at);
  step.who = who;
  step.api = fault;
  // A change before the next list is in no watch, so only the list shows it.
  const bool lists_anew = fault.kind == Fault::WatchGone || fault.kind == Fault::WatchGoneEvent;
  if (!lists_anew || !one_in(2)) return;
  ClusterStep& then = this->step(Kind::Api, at);
  then.who = who;
  then.api = {.kind = Fault::Refused, .of = Of::Lists, .times = static_cast<int>(2 + number(4))};
}

void FaultSteps::crash(milliseconds at) {
  const std::string who = any_process();
  ClusterStep& step = this->step(Kind::Crash, at);
  step.who = who;
  step.crash = {.effect = static_cast<std::size_t>(number(10)), .after = one_in(2)};
  step.how = {.writes_arrive = one_in(2)};
  step.down = milliseconds(50 + number(one_in(3) ? 40'000 : 2'000));
}

}  // namespace elbowroom::test
