// What a service of ours must not be able to do in its sandbox, and what it must: a table of acts,
// each tried in a child of its own. An act is harmless also where nothing stops it, so whoever
// tries them outside a sandbox has lost nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"

namespace elbowroom::daemon {

// Whose sandbox: each has a unit of its own.
enum class SandboxOf : std::uint8_t { Companion, Authority, Scheduler };
[[nodiscard]] std::string_view to_string(SandboxOf of);

// What the service works with, so that the acts are tried on it; "" for what it does not have.
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

// What came of an act.
struct Tried {
  int error = 0;        // errno; 0: it was done
  bool killed = false;  // by the kernel, for the call
  bool hung = false;    // it did not end in time

  friend bool operator==(const Tried&, const Tried&) = default;
};

struct SandboxAct {
  std::string name{};
  Expected expected = Expected::Denied;
  // How "no" is said: of a call of its own permission only (EPERM, EACCES), of a file also by its
  // absence, of a socket also by an unknown family.
  bool absence_is_denial = false;
  std::function<int(const Surroundings&)> act{};  // errno, or 0; in a child, which it may ruin
  long call = -1;  // the number of the one system call that it makes; -1: it is more than that
};

// All acts that are tried in that sandbox.
[[nodiscard]] std::vector<SandboxAct> forbidden_acts(SandboxOf of);
[[nodiscard]] std::vector<SandboxAct> needed_acts(const Surroundings& at);

[[nodiscard]] bool is_denied(const SandboxAct& act, const Tried& tried);
// As the table wants it.
[[nodiscard]] bool is_as_expected(const SandboxAct& act, const Tried& tried);

// Tries one act in a child, which has ten seconds.
[[nodiscard]] Tried try_act(const SandboxAct& act, const Surroundings& at);

struct SandboxResult {
  SandboxAct act{};
  Tried tried{};
};

struct SandboxReport {
  Surroundings at{};
  std::string no_sandbox{};  // why this is none; "": it is one
  std::vector<SandboxResult> results{};

  [[nodiscard]] bool is_good() const;
};

// Tries everything.
[[nodiscard]] SandboxReport try_sandbox(const Surroundings& at);

// "" where `status`, the text of /proc/self/status, is that of a process in a sandbox of ours:
// filtered by seccomp, and gaining no privileges.
[[nodiscard]] std::string why_no_sandbox(std::string_view status);

// For people, and {apiVersion, kind: SandboxReport, of, sandbox, acts, summary} for programs.
[[nodiscard]] std::string sandbox_text(const SandboxReport& report);
[[nodiscard]] Value sandbox_document(const SandboxReport& report);

}  // namespace elbowroom::daemon
