// The credential program of a kubeconfig. It runs on demand, and its answer is kept until it
// expires or is refused. Nothing blocks: advance() starts the program, checks for its end, and
// returns whether there is an answer.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "api/transport/access.h"
#include "api/transport/exec_credential.h"
#include "api/transport/token_bucket.h"
#include "base/child_program.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::api {

class CredentialProgram {
 public:
  // Requires access.exec.
  explicit CredentialProgram(Access access) : access_(std::move(access)) {}

  // True: credential() has a valid answer now. False: the program runs.
  [[nodiscard]] bool advance(Clock::time_point now, policy::Time wall);

  // Unavailable: the program failed or timed out; Denied: it cannot be run, or its answer is
  // malformed. The message names the command and how it ended, and contains none of its output,
  // which may be secret. Requires that advance() returned true.
  [[nodiscard]] const Result<ExecCredential>& credential() const { return answer_; }

  // Why its last run gave no credential; nullopt if it did, or if the first run has not ended.
  [[nodiscard]] std::optional<Error> problem() const;

  // Call this when the server answers 401 to that token ("": to the certificate). True if another
  // answer exists or can be had: retry once after advance().
  [[nodiscard]] bool renew(const std::string& refused, Clock::time_point now);

  // As in ChildProgram; all -1 while no program runs.
  [[nodiscard]] std::array<int, 3> descriptors() const;

 private:
  [[nodiscard]] bool is_due(Clock::time_point now, policy::Time wall) const;
  void start(Clock::time_point now);
  void take(Result<ExecCredential> answer, Clock::time_point now);
  [[nodiscard]] Result<ExecCredential> judged(const ProgramOutcome& outcome) const;
  [[nodiscard]] Error error(Code code, std::string_view why) const;

  Access access_;
  std::unique_ptr<ChildProgram> running_{};
  Clock::time_point started_{};
  std::optional<Clock::time_point> answered_{};  // none: never
  Result<ExecCredential> answer_ = failure(Code::Unavailable, "the program has not run yet");
  bool is_refused_ = false;
  int failures_ = 0;  // consecutive
};

}  // namespace elbowroom::api
