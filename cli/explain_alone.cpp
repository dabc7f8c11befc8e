#include "cli/explain_alone.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/json.h"
#include "base/document_text.h"
#include "policy/model/condition.h"
#include "policy/model/node.h"
#include "policy/overview/overview.h"
#include "policy/resize/explanation.h"

namespace elbowroom::cli {
namespace {

constexpr std::string_view kPodScheduled = "PodScheduled";
constexpr const char* kNext =
    "what happens next is not known here: it depends on what may not be read";

std::string summary_of(const policy::Pod& pod) {
  if (pod.node.empty()) return "pod " + key_of(pod) + " waits for a node";
  const std::string subject = "pod " + key_of(pod) + " on node " + pod.node + ": ";
  const auto wait = policy::wait_of(pod);
  if (!wait) return subject + "nothing is pending";
  switch (*wait) {
    case policy::ResizeWait::Deferred:
    case policy::ResizeWait::Infeasible:
      return subject + "its resize is " + std::string(to_string(*wait)) + ", as the node says";
    case policy::ResizeWait::Unjudged:
      return subject + "its resize waits for the node";
    case policy::ResizeWait::InProgress:
      break;
  }
  return subject + "its resize is being carried out";
}

// What is true of the pod whatever there is beside it.
policy::Explanation own_part(const policy::Pod& pod, policy::Time now) {
  const policy::Node unread{.name = pod.node};
  const std::vector<policy::Pod> pods = {pod};
  const policy::Budgets none;
  const policy::OverduePods lapsed;
  const policy::ResizeQuestion question{.node = unread,
                                        .pods = pods,
                                        .pod = pods.front(),
                                        .nominated = {},
                                        .budgets = none,
                                        .lapsed = lapsed,
                                        .now = now};
  const policy::Explanation judged =
      policy::explain_without_remedies(question, policy::report_resize(question));
  policy::Explanation about{.now = now,
                            .summary = summary_of(pod),
                            .priority = judged.priority,
                            .own_priority = judged.own_priority,
                            .group = judged.group,
                            .since = judged.since,
                            .containers = judged.containers,
                            .node = judged.node,
                            .marks = judged.marks,
                            .next = {.text = kNext}};
  about.report.pod = key_of(pod);
  about.report.uid = pod.uid;
  about.report.node = pod.node;
  about.node.why.clear();
  return about;
}

// The scheduler's words, of a pod that has no node.
void add_words_of_scheduler(const policy::Pod& pod, policy::Explanation& about) {
  const policy::Condition* placed = policy::find_condition(pod.conditions, kPodScheduled);
  if (!pod.node.empty() || placed == nullptr || placed->status == "True") return;
  about.node.reason = placed->reason;
  about.node.message = placed->message;
  about.node.since = placed->last_transition;
}

Value& at(Value& map, std::string_view key) {
  return std::ranges::find(map.members, key, &Member::key)->value;
}

}  // namespace

Value explain_alone(const policy::Pod& pod, policy::Time now) {
  policy::Explanation about = own_part(pod, now);
  add_words_of_scheduler(pod, about);
  if (pod.node.empty()) about.since = pod.created;
  Value document = api::encode_explanation(about);
  api::set_member(document, "decision", Value{});
  Value& says = at(document, "nodeSays");
  api::set_member(says, "agreement", text_value(""));  // there is nothing to compare it with
  api::set_member(says, "ourSums", Value{});
  return document;
}

}  // namespace elbowroom::cli
