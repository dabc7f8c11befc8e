// `elbowroom simulate resize`: what the node would decide about a pod's resize, and which pods
// would be victims. It reads files or a cluster and writes only standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/input/manifests.h"
#include "cli/input/resize_subject.h"
#include "cli/output/output_format.h"
#include "policy/ledger/covering_budgets.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::cli {

// NotFound: the pod, or its node, is not in the input. Invalid: the pod has no node, has finished,
// or lacks a container of --set.
[[nodiscard]] Result<policy::ResizeReport> answer(const Manifests& manifests,
                                                  const ResizeQuery& query);

// `covering`: the budgets of the pod and of the victims.
[[nodiscard]] std::string printed(const policy::ResizeReport& report, OutputFormat format,
                                  const std::vector<policy::CoveringBudget>& covering = {});

void add_simulate_resize(CLI::App& simulate);

}  // namespace elbowroom::cli
