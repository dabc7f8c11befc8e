// The output of `elbowroom doctor`. The document is for programs and the table for users, with the
// faults first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/document.h"
#include "cli/doctor/doctor_facts.h"
#include "cli/doctor/finding.h"

namespace elbowroom::cli {

// {apiVersion, kind: Diagnosis, program, mode, node, server, user, checks: [{check, result, cause,
// remedy}], summary: {pass, warn, fail, skip}}. "" for what is not known.
[[nodiscard]] Value diagnosis(const DoctorFacts& facts, const std::vector<Finding>& findings);

// Faults: what is wrong with its remedy, what passed in a line, and what could not be checked under
// its cause. Every: besides, each check in a table.
enum class ShownChecks : std::uint8_t { Faults, Every };
[[nodiscard]] std::string diagnosis_text(const DoctorFacts& facts,
                                         const std::vector<Finding>& findings,
                                         ShownChecks shown = ShownChecks::Faults);

}  // namespace elbowroom::cli
