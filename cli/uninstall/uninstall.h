// `elbowroom uninstall`: finds what our programs leave in a cluster, and removes it.
#pragma once

#include <string>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/evict/cluster_writer.h"
#include "cli/input/cluster_reader.h"
#include "cli/uninstall/leftovers.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

struct UninstallWish {
  std::string lease_namespace{};
  bool is_dry_run = false;
  bool is_forced = false;  // although programs of ours still run
};

enum class RemovalResult {
  WouldRemove,  // a dry run
  Removed,
  Absent,   // it was removed meanwhile
  Changed,  // others write it all the time
  Failed,
  Kept,  // programs of ours still run
};
[[nodiscard]] std::string_view to_string(RemovalResult result);

struct UninstallRow {
  Leftover leftover{};
  RemovalResult result = RemovalResult::WouldRemove;
  std::string why{};  // of Changed and Failed
};

struct UninstallReport {
  bool is_dry_run = false;
  bool is_refused = false;             // nothing is removed because of what runs; no dry run
  std::vector<std::string> running{};  // programs of ours, in words
  std::vector<UninstallRow> rows{};    // Pods, Nodes, PodGroups, then the others; each by name
  std::vector<std::string> notes{};    // objects that could not be read

  [[nodiscard]] bool is_done() const;  // nothing has Changed or Failed
};

// Removes nothing in a dry run, and while a program of ours holds its Lease or runs in a Pod of a
// DaemonSet, unless forced. Each write has preconditions; an object that has changed is read again,
// three times. `now`: the wall clock, where the server does not tell its own. Denied: what is left
// may not be read.
[[nodiscard]] Result<UninstallReport> uninstall(ClusterReader& reader, ClusterWriter& writer,
                                                const UninstallWish& wish, policy::Time now);

// Kind UninstallReport.
[[nodiscard]] Value encode_uninstall(const UninstallReport& report);
// The same for people.
[[nodiscard]] std::string uninstall_text(const UninstallReport& report);

}  // namespace elbowroom::cli
