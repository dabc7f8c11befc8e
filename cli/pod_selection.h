// Which pods a verb is about: one by its name, or all that wait (-A, -l); looked at once, or again
// and again (-w). One reading for `explain pod`, `simulate resize` and `simulate schedule`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/input/manifests.h"
#include "policy/model/pod.h"
#include "policy/model/selector.h"

namespace elbowroom::cli {

// Adds -A, -l and -w; the verb has `pod`, -n and -f.
void add_selection_options(CLI::App& verb);

[[nodiscard]] bool is_given(const CLI::App& verb, const std::string& option);
[[nodiscard]] bool names_one_pod(const CLI::App& verb);
[[nodiscard]] bool watches(const CLI::App& verb);

// Ends the verb where -w is beside -f.
void check_watch(const CLI::App& verb);
// The same; and where the command line names neither one pod nor several, or both, or, with
// several, has one of the options that `need_one` pod.
void check_selection(const CLI::App& verb, const std::vector<std::string>& need_one);

struct PodSelection {
  std::string ns{};                // "" for all
  policy::LabelSelector labels{};  // empty for any
};
// `fallback`: the namespace where neither -A nor -n says one. Ends the verb where -l is no
// selector.
[[nodiscard]] PodSelection selection_of(const CLI::App& verb, const std::string& fallback);

enum class WaitsFor : std::uint8_t { Room, Node, Either };

// A pod without a node that has no scheduling gates and does not end.
[[nodiscard]] bool waits_for_node(const policy::Pod& pod);
// A pod whose resize its node has not allocated yet.
[[nodiscard]] bool waits_for_room(const policy::Pod& pod);

struct WaitingPods {
  std::vector<std::string> keys{};   // NAMESPACE/NAME, web-2 before web-10
  std::vector<std::string> notes{};  // how many there are, where those are too many
};
// At most 100.
[[nodiscard]] WaitingPods waiting_pods(const Manifests& manifests, const PodSelection& selection,
                                       WaitsFor what);

}  // namespace elbowroom::cli
