// What one scheduler process has assumed of pending pods, from its effects and their answers: the
// node to which it binds a pod, and nominations that the watch does not show yet. A binding with a
// lost answer may have been done, and counts until the watch shows more or the process gives it up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "scheduler/effect.h"
#include "scheduler/observation.h"
#include "test/simulation/plain_placing.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

class AssumedSeen {
 public:
  enum class Known : std::uint8_t { Surely, Perhaps };
  struct Binding {
    std::string key{};
    std::string node{};
    std::optional<scheduler::EffectId> under_way{};
    bool is_accepted = false;  // the API server said so
    bool for_volumes = false;  // it is bound once its volumes are
  };

  // After its mirror has taken it in.
  void take_in(const scheduler::Observation& seen);
  void decided(const SchedulerMirror& mirror, const scheduler::Effect& effect,
               std::uint64_t leadership);
  // The pod is assumed there until its volumes are bound.
  void waits_for_volumes(const policy::Pod& pod, const std::string& node) {
    bindings_[pod.uid] = {.key = policy::key_of(pod), .node = node, .for_volumes = true};
  }
  void give_up(const std::string& uid) { bindings_.erase(uid); }

  // By uid.
  [[nodiscard]] const std::map<std::string, Binding, std::less<>>& bindings() const {
    return bindings_;
  }
  // Whether the process counts this pending pod as nominated there. A nomination assumed while it
  // chose victims may have been taken back unseen, and a status write that waits for another in
  // flight is unseen too.
  [[nodiscard]] bool is_nominated(const policy::Pod& pod, const std::string& node,
                                  std::uint64_t leadership, Known known) const;
  // The uid of the pod of which the last observation answered a status write; "": none.
  [[nodiscard]] const std::string& just_answered() const { return just_answered_; }
  [[nodiscard]] const TurnedOut& turned_out() const { return turned_out_; }

  // The cluster as the process knows it.
  [[nodiscard]] PlainMoment moment(const SchedulerMirror& mirror, const policy::Pod& asking,
                                   bool upstream, std::uint64_t leadership, Known known) const;

 private:
  struct Nomination {
    std::string node{};
    std::uint64_t leadership = 0;  // that it was decided in
    bool is_written = false;
  };

  void on(const scheduler::PodsListed& seen);
  void on(const scheduler::PodSeen& seen);
  void on(const scheduler::PodGone& seen);
  void on(const scheduler::Done& seen);
  void on(const scheduler::Failed& seen);
  void on(const scheduler::ServerDated& seen) { server_zero_ = seen.date - now_; }
  void on(const auto& /*seen*/) {}
  [[nodiscard]] std::chrono::milliseconds failed_at(const policy::Pod& failed) const;
  void learn(const policy::Pod& pod);
  void forget(const std::string& uid);
  void decided_to_mark(const SchedulerMirror& mirror, const scheduler::MarkVictim& mark,
                       std::uint64_t leadership);
  void answered(scheduler::EffectId effect);
  void doubt_nomination_of(const std::string& uid);

  std::chrono::milliseconds now_{0};
  std::optional<policy::Time> server_zero_{};  // what the API server's clock showed at our zero
  std::map<std::string, policy::Pod, std::less<>> known_{};  // by key, those that are not finished
  std::map<std::string, Binding, std::less<>> bindings_{};
  std::map<std::string, Nomination, std::less<>> nominations_{};  // by uid
  std::map<scheduler::EffectId, std::string> being_written_{};    // uids of those pods
  std::string just_answered_{};
  std::map<scheduler::EffectId, std::string> being_cleared_{};  // uids of victims
  // Victims whose marks were decided and not taken back, by uid of the preemptor.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> marked_{};
  TurnedOut turned_out_{};
};

}  // namespace elbowroom::test
