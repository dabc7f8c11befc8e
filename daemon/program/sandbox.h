// What a service of ours must not be able to do in its sandbox, and what it must be able to do: a
// table of acts, each tried in its own child process. An act is harmless even if nothing stops it,
// so the table may be tried outside a sandbox.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"

namespace elbowroom::daemon {

// The owner of the sandbox; each has its own unit.
enum class SandboxOf : std::uint8_t { Companion, Authority, Scheduler };
[[nodiscard]] std::string_view to_string(SandboxOf of);

// The service's surroundings, so that the acts use them; "" for what it does not have.
struct Surroundings {
  SandboxOf of = SandboxOf::Companion;
  std::string config{};
  std::string kubeconfig{};
  std::string server_host{};  // without brackets
  std::uint16_t server_port = 0;
  std::string state_folder{};
  std::string runtime_socket{};
  std::string cgroup_root{};
};

enum class Expected : std::uint8_t { Denied, Works };

// The outcome of an act.
struct Tried {
  int error = 0;        // errno; 0: the act succeeded
  bool killed = false;  // by the kernel, for the call
  bool hung = false;    // it did not end in time

  friend bool operator==(const Tried&, const Tried&) = default;
};

struct SandboxAct {
  std::string name{};
  Expected expected = Expected::Denied;
  // How a refusal looks: for a call only a permission error (EPERM, EACCES), for a file also its
  // absence, for a socket also an unknown family.
  bool absence_is_denial = false;
  std::function<int(const Surroundings&)>
      act{};       // returns errno or 0; runs in a child process, which it may damage
  long call = -1;  // the number of its only system call; -1: it makes several
};

// Returns all acts that are tried in that sandbox.
[[nodiscard]] std::vector<SandboxAct> forbidden_acts(SandboxOf of);
[[nodiscard]] std::vector<SandboxAct> needed_acts(const Surroundings& at);

[[nodiscard]] bool is_denied(const SandboxAct& act, const Tried& tried);
// True if the outcome is the one the table requires.
[[nodiscard]] bool is_as_expected(const SandboxAct& act, const Tried& tried);

// Tries one act in a child process, for at most ten seconds.
[[nodiscard]] Tried try_act(const SandboxAct& act, const Surroundings& at);

struct SandboxResult {
  SandboxAct act{};
  Tried tried{};
};

struct SandboxReport {
  Surroundings at{};
  std::string no_sandbox{};  // why this is no sandbox; "": it is one
  std::vector<SandboxResult> results{};

  [[nodiscard]] bool is_good() const;
};

// Tries all acts.
[[nodiscard]] SandboxReport try_sandbox(const Surroundings& at);

// Returns "" if `status`, the text of /proc/self/status, describes a process in a sandbox of ours:
// filtered by seccomp, without new privileges.
[[nodiscard]] std::string why_no_sandbox(std::string_view status);

// Returns text for people, or {apiVersion, kind: SandboxReport, of, sandbox, acts, summary} for
// programs.
[[nodiscard]] std::string sandbox_text(const SandboxReport& report);
[[nodiscard]] Value sandbox_document(const SandboxReport& report);

}  // namespace elbowroom::daemon
