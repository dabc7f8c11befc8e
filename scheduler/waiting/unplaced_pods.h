// The pending pods that no node admits, and what each of them waits for. Pods of one signature get
// one answer: once no node admitted a pod, pods like it are refused without a look at the nodes,
// until a change that could help them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/pod_text.h"
#include "policy/placement/want.h"

namespace elbowroom::scheduler {

class UnplacedPods {
 public:
  // The message of the refusal of that signature; nullptr: nothing is known since the last change
  // that could help.
  [[nodiscard]] const policy::PodText* find(const std::string& signature) const;
  void add(const std::string& signature, policy::Want want, policy::PodText message);
  // Every answer is found again, as after a long time without one.
  void forget_answers();

  // The queue's entry waits for what pods of that signature want. False: that is not known any
  // more.
  [[nodiscard]] bool park(const std::string& signature, const std::string& id);
  void leave(const std::string& signature, std::string_view id);

  // The entries that a change could help, in order. They are not parked here any more.
  [[nodiscard]] std::vector<std::string> helped_by(const policy::ClusterRoom& room,
                                                   const policy::RoomChange& change);

 private:
  static constexpr std::size_t kMost = 1'000;  // answers for pods that do not wait any more
  struct Group {
    policy::Want want{};
    policy::PodText message{};
    bool is_answer = true;
    std::set<std::string, std::less<>> parked{};
  };

  std::map<std::string, Group, std::less<>> groups_{};  // by signature
};

}  // namespace elbowroom::scheduler
