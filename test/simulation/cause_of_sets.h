// The cause of each further set of victims: every further set for one resize has a cause, and one
// pod and one node lose no more than the circuit breaker allows. Two sets for one resize are
// compared by what their deciders had observed, in the same process or not.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/model/pod.h"
#include "test/simulation/room_seen.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

class CauseOfSets {
 public:
  CauseOfSets(bool upstream, std::function<void(std::string)> broken)
      : upstream_(upstream), broken_(std::move(broken)) {}

  // A node as the current process knows it, including its own assumed pods.
  using RoomOf = std::function<RoomSeen(const std::string& node)>;

  // The process of that name removes these now.
  void check(const std::string& name, const SchedulerMirror& mirror, const RoomOf& room_of,
             const policy::Pod& preemptor, const std::vector<const policy::Pod*>& victims);
  // ... for a gang.
  void check_gang(const std::string& name, const SchedulerMirror& mirror, const RoomOf& room_of,
                  const policy::PodGroup& gang, const std::vector<const policy::Pod*>& victims);
  // A new process of that name, whose clock begins now; what its predecessor did still counts.
  void began(const std::string& name, std::chrono::milliseconds now) { began_[name] = now; }
  // An observation of a process, whether or not it decides anything from it.
  void told(const SchedulerMirror& mirror) {
    not_removed_.insert(mirror.not_removed.begin(), mirror.not_removed.end());
  }
  // The API server is asked to delete that pod, whatever the outcome.
  void asked_to_remove(const std::string& uid) { asked_.insert(uid); }

  // Whether a circuit breaker may hold back this many more victims: every delete ever sent counts,
  // because a successor counts the terminating pods that it finds.
  [[nodiscard]] bool may_be_broken(const policy::Pod& preemptor, std::size_t victims) const;

 private:
  using Time = SchedulerMirror::Time;
  using Uids = std::set<std::string, std::less<>>;
  struct Chosen {
    Uids uids{};
    RoomSeen room{};
    std::map<std::string, RoomSeen, std::less<>> elsewhere{};  // for a pending pod, by node
    std::string gang{};                                        // what of the gang itself matters
  };
  struct CircuitBreaker {  // of all processes together
    std::map<std::string, std::deque<std::pair<Time, Uids>>, std::less<>> sets{};  // by uid
    struct Loss {
      Time at{};
      std::string uid{};  // of the pod, or of the group that goes as one
      Uids pods{};
    };
    std::map<std::string, std::deque<Loss>, std::less<>> losses{};  // by node
  };

  // What has changed since, so that the earlier set no longer suffices; "": nothing.
  [[nodiscard]] static std::string cause_between(const Chosen& before, RoomSeen now,
                                                 const policy::Pod& preemptor,
                                                 const SchedulerMirror& mirror);
  // No pod of the earlier set was deleted, and another node where pods are removed now has changed.
  [[nodiscard]] bool goes_elsewhere(const Chosen& before, const RoomSeen& there) const;
  [[nodiscard]] static std::string cause_for_gang(const Chosen& before, const Chosen& now,
                                                  const SchedulerMirror& mirror);
  void check_breaker(const std::string& name, const SchedulerMirror& mirror,
                     const std::string& preemptor_uid, const std::string& preemptor,
                     const std::vector<const policy::Pod*>& victims);
  [[nodiscard]] bool loses_more(const std::string& node, const std::string& uid, const Uids& pods,
                                Time now);

  const bool upstream_;
  const std::function<void(std::string)> broken_;
  // By uid and generation, since the beginning, restarts included.
  std::map<std::pair<std::string, std::int64_t>, std::vector<Chosen>> chosen_{};
  Uids asked_{};                                      // since the beginning
  std::map<std::string, Time, std::less<>> began_{};  // by name of the process
  Uids not_removed_{};                                // uids of victims whose delete did nothing
  CircuitBreaker breaker_{};
  std::map<std::string, std::size_t, std::less<>> sets_ever_{};  // by uid
  std::map<std::string, Uids, std::less<>> lost_ever_{};         // by node
};

}  // namespace elbowroom::test
