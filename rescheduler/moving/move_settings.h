// The configuration of moves: that of the process's own file, or else of the ConfigMap. A ConfigMap
// that cannot be understood is told of once, and what was valid before stays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policy/moves/move_rules.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

class MoveSettings {
 public:
  // `own`: of the process's own file; none: the ConfigMap decides.
  explicit MoveSettings(std::optional<policy::MoveRules> own) : own_(std::move(own)) {}

  // The ConfigMap is so now; none: there is none. Returns what is to be told of a bad one; "":
  // nothing.
  [[nodiscard]] std::string take(const std::optional<ConfigText>& map);

  // Without any no policy is on.
  [[nodiscard]] const policy::MoveRules& rules() const { return own_ ? *own_ : rules_; }
  // Why the ConfigMap as it is now is not in use; "": it is, or there is none.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] const std::string& uid() const { return uid_; }
  // How many were refused.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  // How often the rules changed.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  std::optional<policy::MoveRules> own_;
  policy::MoveRules rules_{};
  std::string uid_{};
  std::string trouble_{};
  std::uint64_t refused_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace elbowroom::rescheduler
