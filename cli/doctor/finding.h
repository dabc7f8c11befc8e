// The result of one check of `elbowroom doctor`. A warning or failure has a cause and a remedy that
// can be carried out, and a skipped check gives its reason. Where commands repair it, they are part
// of the remedy: lines for a shell of root, in that order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace elbowroom::cli {

enum class CheckOutcome { Pass, Warn, Fail, Skip };

using Commands = std::vector<std::string>;

// "PASS", "WARN", "FAIL", "SKIP".
[[nodiscard]] std::string_view to_string(CheckOutcome outcome);

struct Verdict {
  CheckOutcome outcome = CheckOutcome::Pass;
  std::string cause{};   // what is the case; for Skip, why the check could not run
  std::string remedy{};  // what to do; only for Warn and Fail
  Commands commands{};   // what does it; only with a remedy

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

[[nodiscard]] inline Verdict pass(std::string cause) {
  return {CheckOutcome::Pass, std::move(cause), {}, {}};
}
[[nodiscard]] inline Verdict warn(std::string cause, std::string remedy, Commands commands = {}) {
  return {CheckOutcome::Warn, std::move(cause), std::move(remedy), std::move(commands)};
}
[[nodiscard]] inline Verdict fail(std::string cause, std::string remedy, Commands commands = {}) {
  return {CheckOutcome::Fail, std::move(cause), std::move(remedy), std::move(commands)};
}
[[nodiscard]] inline Verdict skip(std::string why) {
  return {CheckOutcome::Skip, std::move(why), {}, {}};
}

struct Finding {
  std::string check{};  // "kubeconfig.found"; stays the same between versions
  Verdict verdict{};
  std::string waits_for{};  // the failed check that this skipped one depends on; "": none

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace elbowroom::cli
