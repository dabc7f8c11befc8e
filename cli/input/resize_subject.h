// A pod of some manifests with all inputs of its resize decision. It owns what a policy question
// only refers to, and every verb that decides a resize builds its question here.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/input/manifests.h"
#include "cli/input/resource_change.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::cli {

struct ResizeQuery {
  std::string pod{};  // NAMESPACE/NAME
  std::vector<ResourceChange> changes{};
  std::optional<bool> critical_preemption{};  // nothing: the node's annotation decides
  policy::ManagerPolicies managers{};
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  std::optional<policy::Time> now{};  // nothing: the newest time in the input
  std::vector<std::string> lacks{};   // as in policy::ResizeQuestion
};

// Adds --critical-preemption, --rules and the flags of the node's resource managers.
void add_judging_options(CLI::App& verb);
void take_judging_options(const CLI::App& verb, ResizeQuery& query);

class ResizeSubject {
 public:
  // NotFound: the pod, or its node, is not in the input. Invalid: the pod has no node, has
  // finished, or lacks a container of --set.
  [[nodiscard]] static Result<ResizeSubject> of(const Manifests& manifests,
                                                const ResizeQuery& query);

  // Valid as long as this object.
  [[nodiscard]] policy::ResizeQuestion question() const;

 private:
  void add_groups(const Manifests& manifests);

  policy::Node node_;
  policy::Pod pod_;
  std::vector<policy::Pod> pods_;
  std::vector<policy::Pod> nominated_;
  std::vector<policy::Pod> elsewhere_;  // of the groups that have pods on the node
  policy::Unremovable unremovable_;
  policy::Budgets budgets_;
  policy::OverduePods lapsed_;
  policy::ManagerPolicies managers_;
  policy::RuleSet rules_ = policy::RuleSet::Elbowroom;
  policy::Time now_;
  std::vector<std::string> lacks_;
};

}  // namespace elbowroom::cli
