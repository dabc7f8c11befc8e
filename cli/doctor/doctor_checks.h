// The checks of `elbowroom doctor`: facts in, findings out, one row each. They are pure, and each
// checks one thing; a check whose input another one found broken is skipped and names that one
// (check_inputs.h), so that one fault has one finding.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/doctor/doctor_facts.h"
#include "cli/doctor/finding.h"

namespace elbowroom::cli {

struct Check {
  // Leaders: the daemons that a Lease lets act.
  enum class Of { All, Agent, Scheduler, Rescheduler, Leaders };

  std::string_view name{};
  Of of = Of::All;
  Verdict (*judge)(const DoctorFacts&) = nullptr;
};

// Expired, not yet valid, expiring within a week, or valid. `remedy`: how a certificate is renewed.
[[nodiscard]] Verdict judge_dates(policy::Time now, const Dates& dates, const std::string& remedy,
                                  const Commands& commands = {});

// Checks of configuration, kubeconfig and credentials; of the API server; of the Node and other
// programs on it; of the machine; of the unit; of the webhook. doctor_checks.cpp combines them.
[[nodiscard]] std::span<const Check> credential_checks();
[[nodiscard]] std::span<const Check> server_checks();
[[nodiscard]] std::span<const Check> node_checks();
[[nodiscard]] std::span<const Check> machine_checks();
[[nodiscard]] std::span<const Check> unit_checks();
[[nodiscard]] std::span<const Check> webhook_checks();

// Runs every check of that program, in order, including one for each right that it needs.
[[nodiscard]] std::vector<Finding> diagnose(const DoctorFacts& facts);

// "rights.patch-pods-status": the name of the check of a right.
[[nodiscard]] std::string check_of(const api::RbacRule& right);

}  // namespace elbowroom::cli
