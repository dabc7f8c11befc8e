// The result of one check of `elbowroom doctor`. A warning or failure has a cause and a remedy that
// can be carried out, and a skipped check gives its reason.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace elbowroom::cli {

enum class Outcome { Pass, Warn, Fail, Skip };

// "PASS", "WARN", "FAIL", "SKIP".
[[nodiscard]] std::string_view to_string(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::Pass;
  std::string cause{};   // what is the case; for Skip, why the check could not run
  std::string remedy{};  // what to do; only for Warn and Fail

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

[[nodiscard]] inline Verdict pass(std::string cause) {
  return {Outcome::Pass, std::move(cause), {}};
}
[[nodiscard]] inline Verdict warn(std::string cause, std::string remedy) {
  return {Outcome::Warn, std::move(cause), std::move(remedy)};
}
[[nodiscard]] inline Verdict fail(std::string cause, std::string remedy) {
  return {Outcome::Fail, std::move(cause), std::move(remedy)};
}
[[nodiscard]] inline Verdict skip(std::string why) { return {Outcome::Skip, std::move(why), {}}; }

struct Finding {
  std::string check{};  // "kubeconfig.found"; stays the same between versions
  Verdict verdict{};

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace elbowroom::cli
