// The checks of `elbowroom doctor`: facts in, findings out, a row for each. They are pure, and each
// looks at one thing; what cannot be seen because of another fault is skipped, so that one fault
// has one finding.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/doctor/doctor_facts.h"
#include "cli/doctor/finding.h"

namespace elbowroom::cli {

struct Check {
  enum class Of { Both, Agent, Scheduler };

  std::string_view name{};
  Of of = Of::Both;
  Verdict (*judge)(const DoctorFacts&) = nullptr;
};

// Of configuration, kubeconfig and credentials; of the API server; of the Node and those beside us;
// of the machine. doctor_checks.cpp puts them together.
[[nodiscard]] std::span<const Check> credential_checks();
[[nodiscard]] std::span<const Check> server_checks();
[[nodiscard]] std::span<const Check> node_checks();
[[nodiscard]] std::span<const Check> machine_checks();

// Every check of that program, in their order; one for each right that it needs among them.
[[nodiscard]] std::vector<Finding> diagnose(const DoctorFacts& facts);

// "rights.patch-pods-status": how the check of a right is called.
[[nodiscard]] std::string check_of(const api::RbacRule& right);

}  // namespace elbowroom::cli
