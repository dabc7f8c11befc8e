#include "api/credential_program.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "api/credential_file.h"
#include "base/text.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has no header for it

namespace elbowroom::api {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::minutes kPatienceWithPeople{5};
// An answer that is refused or has expired at once does not make the program run in a loop.
constexpr std::chrono::seconds kLeastBetween{5};
constexpr std::chrono::seconds kMostBetween{60};
constexpr std::size_t kShownComplaint = 300;
constexpr std::size_t kShownHint = 512;
constexpr std::size_t kSecretLength = 32;

// Ours alone: the service manager's, whose messages the program must not send.
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

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~+=").find(c) != std::string_view::npos;
}

// Long runs of what tokens and keys are made of are taken for one.
std::string without_secrets(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, is_token_character);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length >= kSecretLength) {
      out += "(removed)";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
    if (!text.empty()) out += text.front();
    if (!text.empty()) text.remove_prefix(1);
  }
  return out;
}

void remove_all(std::string& text, const std::string& secret) {
  if (secret.size() < 4) return;  // "true" and "1" hide nothing
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), "(removed)");
    at += std::strlen("(removed)");
  }
}

}  // namespace

bool CredentialProgram::is_due(Clock::time_point now, policy::Time wall) const {
  if (!answered_) return true;
  const auto doubled = kLeastBetween * (1 << std::min(std::max(failures_ - 1, 0), 5));
  const bool may_run = now - *answered_ >= std::min<Clock::duration>(doubled, kMostBetween);
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
    // Where it cannot be read the connection will say so.
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
  const std::string said = first_line(outcome.complaint);
  if (outcome.signal != 0) {
    return std::unexpected(error(
        Code::Unavailable, "it was ended by signal " + std::to_string(outcome.signal) + said));
  }
  if (outcome.status != 0) {
    return std::unexpected(
        error(Code::Unavailable, "exit status " + std::to_string(outcome.status) + said));
  }
  auto credential = exec_credential_from(outcome.output, access_.exec->api_version);
  if (!credential) return std::unexpected(error(Code::Denied, credential.error().message + said));
  return credential;
}

Error CredentialProgram::error(Code code, std::string_view why) const {
  return {code,
          "credential program " + clipped(sanitize_line(access_.exec->command), kShownHint) + ": " +
              std::string(why),
          {}};
}

// ": TEXT", or "" where it said nothing.
std::string CredentialProgram::first_line(std::string_view complaint) const {
  complaint.remove_prefix(std::min(complaint.size(), complaint.find_first_not_of(" \t\r\n")));
  std::string line(complaint.substr(0, complaint.find_first_of("\r\n")));
  for (const auto& [name, value] : access_.exec->environment) remove_all(line, value);
  line = clipped(sanitize_line(without_secrets(line)), kShownComplaint);
  return line.empty() ? "" : ": " + line;
}

bool CredentialProgram::renew(const std::string& refused, Clock::time_point now) {
  if (running_) return true;
  if (!answer_) return false;
  if (answer_->token != refused) return true;  // there is another one already
  if (answered_ && now - *answered_ < kLeastBetween) return false;
  is_refused_ = true;
  return true;
}

std::array<int, 3> CredentialProgram::descriptors() const {
  return running_ ? running_->descriptors() : std::array<int, 3>{-1, -1, -1};
}

}  // namespace elbowroom::api
