// What `elbowroom doctor` prints. The document is for programs and the table for people, who read
// what is not well first.
#pragma once

#include <string>
#include <vector>

#include "base/document.h"
#include "cli/doctor/doctor_facts.h"
#include "cli/doctor/finding.h"

namespace elbowroom::cli {

// {apiVersion, kind: Diagnosis, program, mode, node, server, user, checks: [{check, result, cause,
// remedy}], summary: {pass, warn, fail, skip}}. "" where something is not known.
[[nodiscard]] Value diagnosis(const DoctorFacts& facts, const std::vector<Finding>& findings);

[[nodiscard]] std::string diagnosis_text(const DoctorFacts& facts,
                                         const std::vector<Finding>& findings);

}  // namespace elbowroom::cli
