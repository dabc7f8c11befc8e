// The Timeline document: what happened in a scenario, when, and how it ended. Every key is always
// present ("", [] or {} when empty), and the same run gives the same bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/document.h"
#include "cli/output/output_format.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

struct TimelineEvent {
  std::chrono::milliseconds at{0};
  std::string actor{};
  std::string action{};
  std::string pod{};  // NAMESPACE/NAME; "" where it is about none
  std::string node{};
  std::vector<std::string> victims{};
  std::string why{};

  friend bool operator==(const TimelineEvent&, const TimelineEvent&) = default;
};

// An expectation that does not hold.
struct UnmetExpectation {
  std::string at{};
  std::string pod{};    // NAMESPACE/NAME; "" where it is about a group,
  std::string group{};  // NAMESPACE/NAME
  std::string why{};

  friend bool operator==(const UnmetExpectation&, const UnmetExpectation&) = default;
};

// How many disruptions a budget allowed, for a picture.
struct BudgetLine {
  std::string budget{};  // "DisruptionBudget default/low"
  bool hard = false;
  struct Allowed {
    std::chrono::milliseconds since{0};
    std::int64_t disruptions = 0;
    friend bool operator==(const Allowed&, const Allowed&) = default;
  };
  std::vector<Allowed> allowed{};  // the changes; the first is what it allowed when it came to be

  friend bool operator==(const BudgetLine&, const BudgetLine&) = default;
};

struct Timeline {
  std::string scenario{};
  std::vector<TimelineEvent> events{};
  std::chrono::milliseconds ended{0};
  std::vector<policy::Pod> pods{};  // at the end, by name
  std::size_t passed = 0;
  std::vector<UnmetExpectation> failed{};
  std::vector<BudgetLine> budgets{};  // by name, where they were asked for; not in the document
};

[[nodiscard]] Value encode_timeline(const Timeline& timeline);
[[nodiscard]] std::string printed(const Timeline& timeline, OutputFormat format);

}  // namespace elbowroom::cli
