// What evictions leave behind, as an onlooker finds it: debits in ledgers and entries of nodes to
// avoid. Those of a pod that is not evicted are taken back, and entries end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "lab/virtual/simulation.h"

namespace elbowroom::test {

class MoveTraces {
 public:
  using Span = lab::Simulation::Span;
  using Broken = std::function<void(const std::string&)>;

  // `simulation` must outlive it.
  MoveTraces(lab::Simulation& simulation, Broken broken)
      : simulation_(simulation), broken_(std::move(broken)) {}

  // The server said no to an eviction, and the leader knows it.
  void refused(const std::string& uid, const std::string& who);
  // It is asked for once more.
  void asked_again(const std::string& uid) { refused_.erase(uid); }
  // A fault: what is under way may not get through.
  void disturbed() { refused_.clear(); }
  // This process ended, or leads no more.
  void ended(const std::string& who);
  void check();
  // Long after the last fault.
  void check_at_end() const;

 private:
  struct Refused {
    Span at{0};
    std::string who{};
  };
  void check_taken_back(const std::string& uid) const;

  lab::Simulation& simulation_;
  Broken broken_;
  std::map<std::string, Refused> refused_{};  // by uid
};

}  // namespace elbowroom::test
