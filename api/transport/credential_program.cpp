#include "api/transport/credential_program.h"

#include <algorithm>
#include <utility>

#include "api/transport/credential_file.h"
#include "base/backoff.h"
#include "base/text.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has no header for it

namespace elbowroom::api {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::minutes kPatienceWithPeople{5};
// Rate limit: a credential that is refused or expires at once must not run the program in a loop.
constexpr std::chrono::seconds kLeastBetween{5};
constexpr std::chrono::seconds kMostBetween{60};
constexpr std::size_t kShownHint = 512;
constexpr std::string_view kRemedy = "; run it by hand to see why";

// Variables of the service manager, whose messages the program must not send.
bool is_private(std::string_view entry) {
  constexpr std::string_view kPrivate[] = {
      "NOTIFY_SOCKET=", "WATCHDOG_USEC=",  "WATCHDOG_PID=",        "LISTEN_FDS=",
      "LISTEN_PID=",    "LISTEN_FDNAMES=", "KUBERNETES_EXEC_INFO="};
  return std::ranges::any_of(kPrivate,
                             [&](std::string_view name) { return entry.starts_with(name); });
}

std::vector<std::string> environment_for(const ExecPlugin& plugin, std::string info) {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!is_private(*entry)) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : plugin.environment) {
    const std::string begin = name + "=";
    std::erase_if(all, [&](const std::string& entry) { return entry.starts_with(begin); });
    all.push_back(begin + value);
  }
  all.push_back("KUBERNETES_EXEC_INFO=" + std::move(info));
  return all;
}

}  // namespace

bool CredentialProgram::is_due(Clock::time_point now, policy::Time wall) const {
  if (!answered_) return true;
  const auto failures = static_cast<unsigned>(std::max(failures_ - 1, 0));
  const bool may_run =
      now - *answered_ >= backoff_delay<Clock::duration>(kLeastBetween, kMostBetween, failures);
  const bool is_over = !answer_ || (answer_->expires && wall >= *answer_->expires);
  return is_refused_ || (is_over && may_run);
}

bool CredentialProgram::advance(Clock::time_point now, policy::Time wall) {
  if (!running_) {
    if (!is_due(now, wall)) return true;
    start(now);
    if (!running_) return true;  // it could not be started
  }
  if (const auto outcome = running_->poll()) {
    running_.reset();
    take(judged(*outcome), now);
    return true;
  }
  const std::chrono::seconds patience =
      access_.exec->has_terminal ? kPatienceWithPeople : kPatience;
  if (now - started_ < patience) return false;
  running_.reset();
  const std::string limit = std::to_string(patience.count());
  take(std::unexpected(
           error(Code::Unavailable, "it did not end within " + limit + " s and was killed")),
       now);
  return true;
}

void CredentialProgram::start(Clock::time_point now) {
  std::string authority = access_.authority_pem.value_or("");
  if (authority.empty() && !access_.authority_file.empty()) {
    // If it is unreadable, the connection reports the error.
    authority = read_credential(access_.authority_file).value_or("");
  }
  const ExecPlugin& plugin = *access_.exec;
  auto started =
      ChildProgram::start({.command = plugin.command,
                           .arguments = plugin.arguments,
                           .environment = environment_for(plugin, exec_info(access_, authority)),
                           .has_terminal = plugin.has_terminal});
  if (started) {
    running_ = *std::move(started);
    started_ = now;
    return;
  }
  std::string why = started.error().message;
  if (!plugin.install_hint.empty()) {
    why += "; " + clipped(sanitize_line(plugin.install_hint), kShownHint);
  }
  take(std::unexpected(Error{Code::Denied, "credential program " + sanitize_line(why), {}}), now);
}

void CredentialProgram::take(Result<ExecCredential> answer, Clock::time_point now) {
  failures_ = answer ? 0 : failures_ + 1;
  answer_ = std::move(answer);
  answered_ = now;
  is_refused_ = false;
}

Result<ExecCredential> CredentialProgram::judged(const ProgramOutcome& outcome) const {
  if (outcome.is_overflow) {
    return std::unexpected(error(Code::Denied, "it wrote more than 1 MiB and was killed"));
  }
  // The program's standard error is left out: errors are recorded and shown, and it may contain a
  // secret.
  const std::string remedy(kRemedy);
  if (outcome.signal != 0) {
    return std::unexpected(error(
        Code::Unavailable, "it was ended by signal " + std::to_string(outcome.signal) + remedy));
  }
  if (outcome.status != 0) {
    return std::unexpected(
        error(Code::Unavailable, "exit status " + std::to_string(outcome.status) + remedy));
  }
  auto credential = exec_credential_from(outcome.output, access_.exec->api_version);
  if (!credential) return std::unexpected(error(Code::Denied, credential.error().message));
  return credential;
}

Error CredentialProgram::error(Code code, std::string_view why) const {
  return {code,
          "credential program " + clipped(sanitize_line(access_.exec->command), kShownHint) + ": " +
              std::string(why),
          {}};
}

bool CredentialProgram::renew(const std::string& refused, Clock::time_point now) {
  if (running_) return true;
  if (!answer_) return false;
  if (answer_->token != refused) return true;  // there is already another token
  if (answered_ && now - *answered_ < kLeastBetween) return false;
  is_refused_ = true;
  return true;
}

std::optional<Error> CredentialProgram::problem() const {
  if (!answered_ || answer_) return std::nullopt;
  return answer_.error();
}

std::array<int, 3> CredentialProgram::descriptors() const {
  return running_ ? running_->descriptors() : std::array<int, 3>{-1, -1, -1};
}

}  // namespace elbowroom::api
