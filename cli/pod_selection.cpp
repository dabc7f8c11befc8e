#include "cli/pod_selection.h"

#include <algorithm>

#include "cli/named_object.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "lab/world/kind.h"
#include "lab/world/selector.h"
#include "policy/model/natural_order.h"
#include "policy/overview/overview.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMostPods = 100;

bool names_several(const CLI::App& verb) {
  return is_given(verb, "--all-namespaces") || is_given(verb, "--selector");
}

bool waits(const policy::Pod& pod, WaitsFor what) {
  return (what != WaitsFor::Node && waits_for_room(pod)) ||
         (what != WaitsFor::Room && waits_for_node(pod));
}

}  // namespace

void add_selection_options(CLI::App& verb) {
  verb.add_flag("-A,--all-namespaces")->description("all that wait, in all namespaces");
  add_valued(verb, "-l,--selector", "all that wait and have these labels")->type_name("SELECTOR");
  verb.add_flag("-w,--watch")->description("again whenever something changed, until Ctrl-C");
}

bool is_given(const CLI::App& verb, const std::string& option) {
  return verb.get_option(option)->count() > 0;
}

bool names_one_pod(const CLI::App& verb) { return !value_of(verb, "pod", "").empty(); }

bool watches(const CLI::App& verb) { return is_given(verb, "--watch"); }

void check_watch(const CLI::App& verb) {
  if (!watches(verb) || !is_given(verb, "--filename")) return;
  stop(kExitUsage, "-w and -f exclude each other: files do not change by themselves");
}

void check_selection(const CLI::App& verb, const std::vector<std::string>& need_one) {
  check_watch(verb);
  if (names_one_pod(verb) && names_several(verb)) {
    stop(kExitUsage, "a pod's name beside -A or -l: ask about one pod, or about all that wait");
  }
  if (names_one_pod(verb)) return;
  if (!names_several(verb)) {
    stop(kExitUsage,
         "no pod: write " + name_syntax(Named::Pod) + ", -l SELECTOR, or -A for all that wait");
  }
  for (const std::string& option : need_one) {
    if (is_given(verb, option)) stop(kExitUsage, option + " needs a pod's name, not -A or -l");
  }
}

PodSelection selection_of(const CLI::App& verb, const std::string& fallback) {
  PodSelection selection;
  if (!is_given(verb, "--all-namespaces")) selection.ns = value_of(verb, "--namespace", fallback);
  const std::string labels = value_of(verb, "--selector", "");
  const auto parsed = lab::parse_selector(*lab::find_kind("", "v1", "pods"), labels, "");
  if (!parsed) stop(kExitUsage, "-l \"" + labels + "\": " + parsed.error().message);
  selection.labels = parsed->labels;
  return selection;
}

bool waits_for_node(const policy::Pod& pod) {
  return pod.node.empty() && pod.placement.gates.empty() && !policy::is_finished(pod) &&
         !policy::is_terminating(pod);
}

bool waits_for_room(const policy::Pod& pod) {
  const auto wait = pod.node.empty() ? std::nullopt : policy::wait_of(pod);
  return wait && *wait != policy::ResizeWait::InProgress;
}

WaitingPods waiting_pods(const Manifests& manifests, const PodSelection& selection, WaitsFor what) {
  WaitingPods found;
  for (const policy::Pod& each : manifests.pods) {
    const bool is_there = selection.ns.empty() || each.ns == selection.ns;
    if (!is_there || !waits(each, what) || !policy::matches(selection.labels, each.labels))
      continue;
    found.keys.push_back(key_of(each));
  }
  std::ranges::sort(found.keys, policy::natural_less);
  if (found.keys.size() > kMostPods) {
    found.notes.push_back(std::to_string(found.keys.size()) + " pods wait; the first " +
                          std::to_string(kMostPods) + " are shown");
    found.keys.resize(kMostPods);
  }
  return found;
}

}  // namespace elbowroom::cli
