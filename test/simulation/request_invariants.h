// Invariants of every request that a scheduler sends to the API server. A request is checked
// against the server's state at that moment, which the scheduler may not have observed yet.
#pragma once

#include <functional>
#include <string>

#include "lab/virtual/simulation.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

class RequestInvariants {
 public:
  RequestInvariants(lab::Simulation& simulation, std::function<void(std::string)> broken)
      : simulation_(simulation), broken_(std::move(broken)) {}

  void check(const std::string& name, const SchedulerMirror& mirror, const api::Request& request);

 private:
  void check_holder(const std::string& name, const std::string& what);
  void check_status(const SchedulerMirror& mirror, const std::string& what, const lab::Json& body);
  void check_volume(const std::string& what, const lab::Json& body);
  void check_binding(const std::string& what, const std::string& pod, const lab::Json& body);
  void check_delete(const SchedulerMirror& mirror, const std::string& what, const std::string& pod,
                    const lab::Json& body);

  lab::Simulation& simulation_;
  const std::function<void(std::string)> broken_;
};

}  // namespace elbowroom::test
