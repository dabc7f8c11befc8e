// Groups that are removed as one: once one of their pods went because a scheduler asked for it,
// those that ran beside it then go too, or the API server refused that. Checked from the API
// server's objects alone.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

class WholeGroups {
 public:
  explicit WholeGroups(lab::Simulation& simulation) : simulation_(simulation) {}

  // A scheduler asks the API server to delete that pod; it may fail.
  void asked_to_remove(const std::string& uid);
  // Looks which of the pods that were asked for are going now.
  void world_changed();
  // What is left of groups of which a part was removed. `mirror`: of the leader, for refusals.
  [[nodiscard]] std::vector<std::string> parts(const SchedulerMirror& mirror) const;

 private:
  struct Member {
    std::string name{};
    std::string uid{};
  };
  struct Asked {
    std::string name{};
    std::string group{};           // key
    std::vector<Member> others{};  // that had a node then
  };

  lab::Simulation& simulation_;
  std::map<std::string, Asked> asked_{};  // by uid, not gone yet
  std::map<std::string, Asked> gone_{};   // by uid
};

}  // namespace elbowroom::test
