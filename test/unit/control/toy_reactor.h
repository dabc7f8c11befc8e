// The reactor of a toy daemon: while it leads, it deletes the pods that have failed, each once. It
// is what a third daemon has to write for itself.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "control/collection.h"
#include "control/effect.h"
#include "control/elector.h"
#include "control/observation.h"
#include "policy/model/pod.h"

namespace elbowroom::toy {

enum class Collection { Pods };
using Observation =
    control::DaemonObservation<Collection, control::Listed<policy::Pod>, control::Seen<policy::Pod>,
                               control::Gone<policy::Pod>>;
using Effect = control::DaemonEffect;
using Effects = std::vector<Effect>;

struct ReactorOptions {
  control::ElectorOptions elector{};
};

struct Status {
  bool synced = false;
  std::string lost{};
  std::string lease{};
  std::string idle_because{};
};

class Reactor {
 public:
  using Time = std::chrono::milliseconds;

  explicit Reactor(const ReactorOptions& options) : options_(options), elector_(options.elector) {}

  [[nodiscard]] Effects handle(const Observation& seen) {
    now_ = seen.at;
    std::visit([this](const auto& what) { on(what); }, seen.what);
    Effects effects;
    lead(effects);
    sweep(effects);
    return effects;
  }
  [[nodiscard]] std::optional<Time> next_wake() const { return elector_.next(now_.since_start); }
  [[nodiscard]] bool handed_over() const {
    return stopping_ && elector_.is_released(now_.since_start);
  }

  [[nodiscard]] Status status() const {
    return {.synced = synced_, .lost = lost_, .idle_because = leads() ? "" : "another one leads"};
  }
  [[nodiscard]] std::string explain(const std::string& pod) const {
    return failed_.contains(pod) ? R"({"pod":")" + pod + R"(","deletes":true})" : "";
  }

 private:
  [[nodiscard]] bool leads() const { return elector_.leads(now_.since_start); }

  void on(const control::Listed<policy::Pod>& list) {
    failed_.clear();
    synced_ = true;
    for (const policy::Pod& each : list.objects) take_in(each);
  }
  void on(const control::Seen<policy::Pod>& seen) { take_in(seen.object); }
  void on(const control::Gone<policy::Pod>& gone) { failed_.erase(gone.key); }
  void on(const control::Lost<Collection>& lost) { lost_ = lost.why; }
  void on(const control::Back<Collection>& /*back*/) { lost_.clear(); }
  void on(const control::LeaseSeen& seen) { elector_.saw(seen.lease, now_.since_start); }
  void on(const control::StopAsked& /*asked*/) { stopping_ = true; }
  void on(const control::Done& done) {
    if (done.effect == lease_write_ && done.lease) elector_.written(*done.lease);
  }
  void on(const control::Failed& failed) {
    if (failed.effect != lease_write_) return;
    elector_.failed(failed.error.code == Code::Conflict, now_.since_start);
  }
  void on(const auto& /*other*/) {}

  void take_in(const policy::Pod& pod) {
    if (pod.phase == policy::Phase::Failed) {
      failed_[policy::key_of(pod)] = {pod.ns, pod.name, pod.uid};
    } else {
      failed_.erase(policy::key_of(pod));
    }
  }

  void lead(Effects& effects) {
    const Time now = now_.since_start;
    const auto lease = stopping_ ? elector_.release(now, now_.wall) : elector_.step(now, now_.wall);
    if (!lease) return;
    lease_write_ = ++last_;
    effects.push_back({.id = last_,
                       .not_after = control::answered_by(now, options_.elector.renew_deadline),
                       .what = control::WriteLease{*lease}});
  }

  void sweep(Effects& effects) {
    if (!leads() || stopping_) return;
    for (const auto& [key, pod] : failed_) {
      if (!asked_.insert(pod.uid).second) continue;
      effects.push_back({.id = ++last_,
                         .not_after = elector_.fence(),
                         .what = control::DeleteVictim{.victim = pod}});
    }
  }

  const ReactorOptions options_;
  control::Elector elector_;
  control::Moment now_{};
  std::map<std::string, control::Victim, std::less<>> failed_{};  // by NAMESPACE/NAME
  std::set<std::string, std::less<>> asked_{};                    // uids
  control::EffectId last_ = 0;
  control::EffectId lease_write_ = 0;
  bool synced_ = false;
  bool stopping_ = false;
  std::string lost_{};
};

}  // namespace elbowroom::toy
