// The sets of victims that an agent has begun, and whether a further set for the same resize has a
// cause. It compares the agent's knowledge at two moments, so changes in between that are over do
// not count.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "agent/effect.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/resources.h"
#include "policy/preemption/room_on_its_way.h"

namespace elbowroom::test {

// A node as its agent knows it: pods with the allocations that are durable and the figures that the
// runtime reported.
struct KnownNode {
  policy::Node node{};
  std::vector<policy::Pod> pods{};
  policy::OverduePods lapsed{};
  std::set<std::string, std::less<>> awaiting{};  // uids of pods that nothing has started
  std::set<std::string, std::less<>> admitted{};  // uids of pods that the agent has admitted
};

// Causes for a further set, of design 7: allocatable fell, or a pod that is no less important took
// room or waits for it too (a raised request is another resize). And five that no program
// decides: the pod runner started a pod on its own; a victim of the set before does not terminate
// (it was refused, or cut off by a crash); a pod was bound behind the agent's back; room that was
// on its way did not come (the shrink failed, took too long, or was taken back by its user); and
// the allocation turns out to be larger, after an older checkpoint was put back.
class RemovalSets {
 public:
  // A set is begun. Returns what is wrong with that; "": nothing.
  [[nodiscard]] std::string begin(const agent::RemovalIntent& intent, const KnownNode& known);

  // The set that a mark belongs to, the latest one; nothing where no intent names that victim.
  [[nodiscard]] std::optional<agent::RemovalIntent> set_of(const agent::MarkVictim& mark) const;
  // A victim is marked. False where its set had marked it before: then the set is begun again,
  // without a save, because the disk has it already.
  [[nodiscard]] bool mark(const agent::MarkVictim& mark);

  // Further sets that had a cause, by its text.
  [[nodiscard]] const std::map<std::string, std::size_t, std::less<>>& causes() const {
    return causes_;
  }

 private:
  // The charge of another pod, when a set was chosen.
  struct Counted {
    policy::Resources charge{};
    policy::Resources allocated{};
    policy::Resources held{};
    bool waits = false;   // for room itself
    bool awaits = false;  // its admission
  };
  struct Set {
    agent::RemovalIntent intent{};
    std::set<std::string, std::less<>> marked{};  // uids
    policy::Resources allocatable{};
    policy::Resources held{};  // by the preemptor
    std::map<std::string, Counted, std::less<>> others{};
  };

  [[nodiscard]] std::vector<Set>::const_reverse_iterator latest(
      const agent::MarkVictim& mark) const;
  [[nodiscard]] static Set count(const agent::RemovalIntent& intent, const KnownNode& known);
  [[nodiscard]] static std::string cause_of(const Set& before, const Set& now,
                                            const KnownNode& known, std::string& taken);

  std::vector<Set> sets_{};
  std::map<std::string, std::size_t, std::less<>> causes_{};
};

}  // namespace elbowroom::test
