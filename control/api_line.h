// The line of a daemon to its API server: one transport, and what is sent over it. Writes go
// through the fence of the Lease; reads and events do not (docs/decisions/0033). All of it belongs
// to the transport's thread.
//
// Daemon is a leader-elected daemon's types: Observation, Effect, Done; kName; kController, its
// name in events; find_row(reason), the row of an event.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "api/transport/fenced_transport.h"
#include "api/transport/http_date.h"
#include "api/transport/transport.h"
#include "api/write/client.h"
#include "api/write/event_recorder.h"
#include "base/result.h"
#include "control/effect.h"
#include "control/observation.h"
#include "control/server_clock.h"
#include "control/transport_loop.h"

namespace elbowroom::control {

template <class Daemon>
class ApiLine {
 public:
  using Seen = decltype(Daemon::Observation::what);
  // Takes what was seen; it must not drop it.
  using Tell = std::function<void(Seen)>;
  using Done = typename Daemon::Done;

  struct Options {
    std::string instance{};  // of this process, in events
    std::uint64_t seed = 1;
    api::Clock::time_point started{};  // when the reactor's clock was zero, on the transport's
  };

  ApiLine(std::unique_ptr<api::Transport> transport, const Options& options, Tell tell)
      : started_(options.started),
        tell_(std::move(tell)),
        transport_(std::move(transport)),
        fenced_(*transport_),
        unfenced_(*transport_, api::Lane::Unlimited),
        writes_(fenced_, std::string(Daemon::kName)),
        prompt_(unfenced_, std::string(Daemon::kName)),
        reads_(*transport_, std::string(Daemon::kName)),
        events_(*transport_, {.fold = {.controller = std::string(Daemon::kController),
                                       .instance = options.instance},
                              .field_manager = std::string(Daemon::kName),
                              .seed = options.seed}) {}

  [[nodiscard]] api::Transport& transport() { return *transport_; }
  [[nodiscard]] const api::Transport& transport() const { return *transport_; }
  [[nodiscard]] api::Client& writes() { return writes_; }
  // For what every replica writes, whoever leads, and a client waits for: it waits for no rate of
  // calls, and goes on where the writes are given up.
  [[nodiscard]] api::Client& prompt() { return prompt_; }
  [[nodiscard]] api::Client& reads() { return reads_; }
  [[nodiscard]] const api::EventRecorder& events() const { return events_; }

  void tell(Seen seen) const { tell_(std::move(seen)); }

  // Writes that follow end by then, on the reactor's clock.
  void end_by(std::chrono::milliseconds not_after) {
    fenced_.end_by(started_ + not_after);
    unfenced_.end_by(started_ + not_after);
  }

  // The version that pod groups are named with in events, like "v1beta1"; "": as before.
  void name_groups_by(std::string_view version) {
    if (!version.empty()) groups_version_ = version;
  }

  // Tells what came of an effect.
  [[nodiscard]] api::Client::Done reporter(EffectId id) const {
    return [this, id](Result<void> outcome) {
      if (outcome) {
        tell_(Done{.effect = id});
      } else {
        failed(id, std::move(outcome).error());
      }
    };
  }
  void failed(EffectId id, Error error) const {
    tell_(Failed{.effect = id, .error = std::move(error)});
  }

  // The answers to a leader's writes of the Lease come every two seconds, the first one before it
  // leads.
  void look_at_date(const Result<api::Response>& response) {
    if (!response) return;
    const auto date = api::parse_http_date(response->date);
    const auto now = std::chrono::floor<std::chrono::milliseconds>(transport_->now() - started_);
    if (date && date_.is_news(*date, now)) tell_(ServerDated{*date});
  }

  // See control/transport_loop.h.
  void run(const std::stop_token& stop, const std::function<void()>& alive) {
    run_transport(*transport_, events_, stop, alive);
  }

  // ---- what is written ----

  void write(EffectId id, const MarkVictim& mark) {
    if (!mark.clear) {
      writes_.mark_disruption_target(ref_of(mark.victim), mark.condition, reporter(id));
      return;
    }
    writes_.patch_pod_status(ref_of(mark.victim),
                             {.clear = {std::string(policy::kDisruptionTarget)}}, reporter(id));
  }
  void write(EffectId id, const DeleteVictim& victim) {
    writes_.delete_pod(ref_of(victim.victim), victim.dry_run, reporter(id),
                       api::Client::Gone::IsNotFound);
  }
  void write(EffectId id, const GiveUpWrites& /*all*/) {
    fenced_.give_up();
    tell_(Done{.effect = id});
  }
  // Without a fence: an event changes no pod, and what it tells of is done.
  void write(EffectId /*id*/, const EmitEvent& event) {
    if (event.log_only) return;
    const auto* row = Daemon::find_row(event.reason);
    const bool is_of_removal = row != nullptr && row->is_of_removal;
    std::optional<api::EventObject> related;
    if (event.related) related = object_of(event.related->kind, event.related->object);
    events_.record(
        {.regarding = object_of(event.kind, event.regarding),
         .related = std::move(related),
         .severity = event.warning ? api::EventSeverity::Warning : api::EventSeverity::Normal,
         .reason = event.reason,
         .action = event.action,
         .note = event.note,
         .rank = is_of_removal ? api::EventRank::Removal : api::EventRank::Usual,
         .once = row != nullptr && row->is_once});
  }

 private:
  [[nodiscard]] api::EventObject object_of(Subject kind, const Victim& object) const {
    const auto of_group = [&](std::string group) {
      return api::EventObject{.api_version = std::move(group),
                              .kind = std::string(to_string(kind)),
                              .ref = ref_of(object)};
    };
    switch (kind) {
      case Subject::PodGroup:
        return of_group("scheduling.k8s.io/" + groups_version_);
      case Subject::Deployment:
      case Subject::ReplicaSet:
      case Subject::StatefulSet:
        return of_group("apps/v1");
      case Subject::Pod:
      case Subject::ConfigMap:
        break;
    }
    return {.kind = std::string(to_string(kind)), .ref = ref_of(object)};
  }

  const api::Clock::time_point started_;
  const Tell tell_;
  const std::unique_ptr<api::Transport> transport_;
  api::FencedTransport fenced_;
  api::FencedTransport
      unfenced_;  // by the Lease; what is sent through it ends in time all the same
  api::Client writes_;
  api::Client prompt_;
  api::Client reads_;
  api::EventRecorder events_;
  DateNews date_{};
  std::string groups_version_ = "v1beta1";
};

}  // namespace elbowroom::control
