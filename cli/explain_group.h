// `elbowroom explain group`: what a pod group waits for. It reads a cluster or
// files, or asks a scheduler.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/cluster_reader.h"
#include "cli/input/manifests.h"
#include "cli/input/skipped_objects.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/placement/group_explanation.h"

namespace elbowroom::cli {

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
// The same, with its events: reads the whole cluster.
[[nodiscard]] Result<Value> explain_pending_member(ClusterReader& reader, const std::string& pod,
                                                   const GroupQuery& query);

void add_explain_group(CLI::App& explain);

}  // namespace elbowroom::cli
