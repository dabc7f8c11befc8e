#include "daemon/program/sandbox.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/document_text.h"
#include "base/durable_file.h"
#include "base/text.h"

namespace elbowroom::daemon {
namespace {

constexpr unsigned kPatienceSeconds = 10;
constexpr std::size_t kNameColumns = 44;

// A child reports errno in its exit status; errno has no more than 133 values.
constexpr int kMostErrno = 250;

struct Summary {
  std::int64_t forbidden = 0;
  std::int64_t denied = 0;
  std::int64_t needed = 0;
  std::int64_t work = 0;
  std::int64_t unexpected = 0;
};

Summary summary_of(const SandboxReport& report) {
  Summary sums;
  for (const SandboxResult& each : report.results) {
    const bool good = is_as_expected(each.act, each.tried);
    const bool forbids = each.act.expected == Expected::Denied;
    (forbids ? sums.forbidden : sums.needed) += 1;
    (forbids ? sums.denied : sums.work) += good ? 1 : 0;
    sums.unexpected += good ? 0 : 1;
  }
  return sums;
}

// Returns "EPERM", "killed" or "nothing stopped it".
std::string words_of(const Tried& tried) {
  if (tried.killed) return "killed for it";
  if (tried.hung) return "it did not end in time";
  if (tried.error == 0) return "done";
  const char* name = ::strerrorname_np(tried.error);
  return name != nullptr ? name : std::to_string(tried.error);
}

std::string was(const SandboxResult& each) {
  if (each.act.expected == Expected::Denied) {
    return is_denied(each.act, each.tried) ? "denied" : "ALLOWED";
  }
  return is_as_expected(each.act, each.tried) ? "works" : "FAILS";
}

std::string line_of(const SandboxResult& each) {
  std::string line = clipped(sanitize_line(each.act.name), kNameColumns);
  line.append(kNameColumns + 2 - std::min(kNameColumns, line.size()), ' ');
  std::string outcome = was(each);
  outcome.append(outcome.size() < 9 ? 9 - outcome.size() : 0, ' ');
  return line + outcome + words_of(each.tried) + "\n";
}

std::string field_in(std::string_view status, std::string_view name) {
  const std::string wanted = "\n" + std::string(name) + ":\t";
  const std::size_t at = status.find(wanted);
  if (at == std::string_view::npos) return "not told";
  status.remove_prefix(at + wanted.size());
  return std::string(status.substr(0, status.find('\n')));
}

}  // namespace

std::string_view to_string(SandboxOf of) {
  switch (of) {
    case SandboxOf::Companion:
      return "companion";
    case SandboxOf::Authority:
      return "authority";
    case SandboxOf::Scheduler:
      return "scheduler";
  }
  return "";
}

bool is_denied(const SandboxAct& act, const Tried& tried) {
  if (tried.killed) return true;
  if (tried.error == EPERM || tried.error == EACCES) return true;
  constexpr std::array kAbsent = {EROFS, ENOENT, ENXIO, ENOTDIR, EAFNOSUPPORT, ENOSYS};
  return act.absence_is_denial && std::ranges::find(kAbsent, tried.error) != kAbsent.end();
}

bool is_as_expected(const SandboxAct& act, const Tried& tried) {
  if (act.expected == Expected::Denied) return is_denied(act, tried);
  return !tried.killed && !tried.hung && tried.error == 0;
}

Tried try_act(const SandboxAct& act, const Surroundings& at) {
  const pid_t child = ::fork();
  if (child < 0) return {.error = errno};
  if (child == 0) {
    ::alarm(kPatienceSeconds);
    const int error = act.act(at);
    ::_exit(error < 0 || error > kMostErrno ? kMostErrno : error);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return {.error = errno};
  }
  if (WIFEXITED(status)) return {.error = WEXITSTATUS(status)};
  if (WTERMSIG(status) == SIGALRM) return {.hung = true};
  return {.killed = true};
}

bool SandboxReport::is_good() const {
  return no_sandbox.empty() && std::ranges::all_of(results, [](const SandboxResult& each) {
           return is_as_expected(each.act, each.tried);
         });
}

SandboxReport try_sandbox(const Surroundings& at) {
  SandboxReport report{.at = at};
  const auto status = read_file("/proc/self/status", std::size_t{64} << 10);
  report.no_sandbox =
      status ? why_no_sandbox(*status) : "it cannot be seen: " + status.error().message;
  for (auto& acts : {forbidden_acts(at.of), needed_acts(at)}) {
    for (const SandboxAct& act : acts) report.results.push_back({act, try_act(act, at)});
  }
  return report;
}

std::string why_no_sandbox(std::string_view status) {
  const std::string filter = field_in(status, "Seccomp");
  if (filter != "2") return "no filter of system calls (Seccomp: " + filter + ")";
  const std::string gains = field_in(status, "NoNewPrivs");
  if (gains != "1") return "it may gain privileges (NoNewPrivs: " + gains + ")";
  return {};
}

std::string sandbox_text(const SandboxReport& report) {
  std::string text = "sandbox of mode " + std::string(to_string(report.at.of)) + "\n\n";
  for (const SandboxResult& each : report.results) text += line_of(each);
  const Summary sums = summary_of(report);
  text += "\n" + std::to_string(sums.denied) + " of " + std::to_string(sums.forbidden) +
          " forbidden acts denied, " + std::to_string(sums.work) + " of " +
          std::to_string(sums.needed) + " needed ones work\n";
  if (!report.no_sandbox.empty()) {
    text += "this process is in no sandbox: " + report.no_sandbox +
            ": run it inside the unit, as docs/security.md says\n";
  }
  return text;
}

Value sandbox_document(const SandboxReport& report) {
  std::vector<Value> acts;
  for (const SandboxResult& each : report.results) {
    acts.push_back(map_value(
        {member("act", text_value(each.act.name)),
         member("expected", text_value(each.act.expected == Expected::Denied ? "denied" : "works")),
         member("outcome", text_value(words_of(each.tried))),
         member("ok", bool_value(is_as_expected(each.act, each.tried)))}));
  }
  const Summary sums = summary_of(report);
  return map_value(
      {member("apiVersion", text_value("elbowroom.dev/v1alpha1")),
       member("kind", text_value("SandboxReport")),
       member("of", text_value(std::string(to_string(report.at.of)))),
       member("sandbox", bool_value(report.no_sandbox.empty())),
       member("why", text_value(report.no_sandbox)), member("acts", list_value(std::move(acts))),
       member("summary", map_value({member("forbidden", number_value(sums.forbidden)),
                                    member("denied", number_value(sums.denied)),
                                    member("needed", number_value(sums.needed)),
                                    member("work", number_value(sums.work)),
                                    member("unexpected", number_value(sums.unexpected))}))});
}

}  // namespace elbowroom::daemon
