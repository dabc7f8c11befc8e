// `elbowroom explain group`: what a pod group waits for. It reads a cluster or
// files, or asks a scheduler.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/document.h"
#include "cli/input/manifests.h"
#include "cli/input/skipped_objects.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/placement/group_explanation.h"

namespace elbowroom::cli {

// In place of the victims, where what was not read may spare any of them.
inline constexpr const char* kDependsOnUnknown =
    "which pods go, if any, depends on what is not known here";

struct GroupQuery {
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  policy::Time now{};
};

// The explanation of a group of a whole cluster.
[[nodiscard]] policy::GroupExplanation explain_group_of(const DecodedObjects& cluster,
                                                        const policy::PodGroup& group,
                                                        const GroupQuery& query);

// The explanation of a pod that waits for a node with its group, as a document; `cluster` has what
// it lacks.
[[nodiscard]] Value pending_member_of(const DecodedObjects& cluster, const policy::Pod& pod,
                                      const GroupQuery& query);

void add_explain_group(CLI::App& explain);

}  // namespace elbowroom::cli
