// The pending pods that no node admits, and what each of them waits for. Pods of one signature get
// one answer: once no node admitted a pod, pods like it are refused without a look at the nodes,
// until a change that could help them. Changes that cannot help may make what the answer says of
// the nodes untrue, so it is found again a minute after the first of them.
#pragma once

#include <chrono>
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
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr Time kToldAgainAfter{60'000};

  struct Answer {
    policy::PodText message{};
    std::optional<Time> until{};  // when it is to be found again; none: it is as fresh as can be
  };
  // The refusal of that signature; nullptr: it is to be found.
  [[nodiscard]] const Answer* find(const std::string& signature, Time now) const;
  void add(const std::string& signature, policy::Want want, policy::PodText message);
  // Every answer is found again, as after a long time without one.
  void forget_answers();

  // The queue's entry waits for what pods of that signature want. False: that is not known any
  // more.
  [[nodiscard]] bool park(const std::string& signature, const std::string& id);
  void leave(const std::string& signature, std::string_view id);

  struct Helped {
    std::vector<std::string> now{};    // entries that the change could help; not parked any more
    std::vector<std::string> later{};  // those that are to be told what the nodes say now
    Time later_by{0};
  };
  // What follows from a change, in order.
  [[nodiscard]] Helped follow(const policy::ClusterRoom& room, const policy::RoomChange& change,
                              Time now);

 private:
  static constexpr std::size_t kMost = 1'000;  // answers for pods that do not wait any more
  struct Group {
    policy::Want want{};
    Answer answer{};
    bool is_answer = true;
    std::set<std::string, std::less<>> parked{};
  };

  std::map<std::string, Group, std::less<>> groups_{};  // by signature
};

}  // namespace elbowroom::scheduler
