// The credential program of a kubeconfig: run when there is need, its answer kept until it expires
// or is refused. It never waits; advance() starts the program and looks for its end, and says
// whether there is an answer.
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

  // True: credential() has an answer that counts at this moment. False: the program runs.
  [[nodiscard]] bool advance(Clock::time_point now, policy::Time wall);

  // Unavailable: it failed or was late; Denied: it cannot be run, or made no sense. The message
  // names the command and how it ended, and holds none of its own words, which may be secrets.
  // Requires an advance() that was true.
  [[nodiscard]] const Result<ExecCredential>& credential() const { return answer_; }

  // Why its last run gave no credential; nullopt when it did, or has not ended yet for the first
  // time.
  [[nodiscard]] std::optional<Error> problem() const;

  // The server answered 401 to that token ("": to the certificate). True when another answer is to
  // be had, or there already: to be tried once more after advance().
  [[nodiscard]] bool renew(const std::string& refused, Clock::time_point now);

  // As in ChildProgram; none while nothing runs.
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
  int failures_ = 0;  // in a row
};

}  // namespace elbowroom::api
