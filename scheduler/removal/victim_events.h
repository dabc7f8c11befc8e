// The event `Preempted` that each victim is owed. It is written once, also where the answer to the
// delete is lost, or where the scheduler that sent the delete ends before it writes the event: the
// next leader writes it for pods that are still terminating. An entry lasts as long as its pod.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/pod_text.h"
#include "scheduler/effect.h"

namespace elbowroom::scheduler {

// The pod or gang that a victim makes room for.
struct PreemptedFor {
  std::string uid{};
  std::string node{};
  bool is_pending = false;  // it is to be placed on that node; else its resize is Deferred there
  bool is_group = false;    // a gang
  std::string name{};       // NAMESPACE/NAME; "": not known, after a change of the leader

  friend bool operator==(const PreemptedFor&, const PreemptedFor&) = default;
};

struct VictimEvent {
  Victim victim{};
  PreemptedFor preemptor{};
  bool goes_whole = false;  // its group does, and it goes with it

  friend bool operator==(const VictimEvent&, const VictimEvent&) = default;
};

class VictimEvents {
 public:
  // What the API server said to the delete of a victim that is known: it accepted it, or the answer
  // was lost. Both answer whether the event is due now.
  [[nodiscard]] bool accepted(const VictimEvent& event);
  [[nodiscard]] bool unanswered(const VictimEvent& event);
  // A delete of that pod was sent before, and its answer was lost.
  [[nodiscard]] bool is_unanswered(std::string_view uid) const;

  // A pod as the watch showed it before and shows it now, under one name; nullptr: not shown.
  // Answers the event that is due because a delete whose answer was lost turns out to be carried
  // out.
  [[nodiscard]] std::optional<VictimEvent> saw(const policy::Pod* before, const policy::Pod* after);

  // This process begins to lead: an earlier leader may not have written the events of the pods that
  // are terminating now.
  void begin_to_lead();
  // The events of such pods, and of those that are terminating when they are first seen; each once.
  [[nodiscard]] std::vector<VictimEvent> take_inherited();

 private:
  struct Entry {
    VictimEvent event{};
    bool is_unanswered = false;
    bool is_terminating = false;
    bool is_written = false;
  };

  std::map<std::string, Entry, std::less<>> entries_{};  // by uid
  std::set<std::string, std::less<>> inherited_{};       // uids
};

// What the mark of a pod says of its preemptor, if a scheduler of ours set it. The name is not
// known.
[[nodiscard]] std::optional<PreemptedFor> marked_for(const policy::Pod& pod);

[[nodiscard]] policy::PodText text_of(const PreemptedFor& preemptor);

}  // namespace elbowroom::scheduler
