// The marks (condition DisruptionTarget) that schedulers of ours put on pods before they remove
// them, as the watch shows them. A mark is doubtful once something happened that can make it stale;
// only doubtful marks are looked at again.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "control/deadline_queue.h"
#include "policy/model/pod.h"
#include "policy/model/removal_mark.h"

namespace elbowroom::scheduler {

struct VictimMark {
  policy::RemovalMark mark{};
  std::string uid{};  // of the marked pod
  std::string node{};
  bool goes_with_others = false;           // of a pod group that is removed as a whole
  bool is_clearing = false;                // its removal is in flight
  std::chrono::milliseconds not_before{};  // the next try, after a failed one
  unsigned failures = 0;                   // in a row
};

class VictimMarks {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // A pod as the watch had it before and has it now, under one name; nullptr: it did not, or does
  // not, exist.
  void saw(const policy::Pod* before, const policy::Pod* after);

  // Returns the mark of that pod; nullptr: it has none.
  [[nodiscard]] const VictimMark* find(std::string_view key) const;

  // Something happened on the node, or to the preemptor, that its marks depend on.
  void doubt_on(const std::string& node);
  void doubt_for(std::string_view preemptor_uid);
  void doubt_all();
  // Returns the keys of the marked pods on doubtful nodes, by node, and forgets the doubts.
  [[nodiscard]] std::vector<std::string> take_doubtful(Time now);
  // When a failed removal is tried again; none: there is none.
  [[nodiscard]] std::optional<Time> next() const { return due_.next(); }

  // The mark of that pod is being removed; or that failed, and is tried again at that time.
  void clearing(std::string_view key);
  void not_cleared(std::string_view key, Time not_before);

  // We have asked for the removal of the mark of that uid, whatever the watch shows still; or it
  // was marked by us since.
  void taken_back(const std::string& uid) { taken_back_.insert(uid); }
  void marked_again(const std::string& uid) { taken_back_.erase(uid); }
  [[nodiscard]] bool is_taken_back(std::string_view uid) const { return taken_back_.contains(uid); }

 private:
  void unlist(const std::string& key, const VictimMark& mark);

  std::map<std::string, VictimMark, std::less<>> marks_{};               // by key of the marked pod
  std::map<std::string, std::set<std::string>, std::less<>> by_node_{};  // their keys
  std::map<std::string, std::set<std::string>, std::less<>> by_preemptor_{};  // their keys, by uid
  std::set<std::string> doubtful_{};                                          // nodes
  control::DeadlineQueue due_{};                                              // by key
  std::set<std::string, std::less<>> taken_back_{};                           // uids
};

}  // namespace elbowroom::scheduler
