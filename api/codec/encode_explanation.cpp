#include "api/codec/encode_explanation.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/encode_resize_report.h"
#include "api/codec/json.h"
#include "api/codec/quantity.h"
#include "api/codec/report_text.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"
#include "base/text.h"

namespace elbowroom::api {
namespace {

constexpr std::string_view kApiVersion = "elbowroom.dev/v1alpha1";
constexpr std::string_view kExplanation = "explanation";

using report::text;
using report::texts;

Value time(const std::optional<policy::Time>& time) {
  return time ? text_value(format_timestamp(*time)) : Value{};
}

template <class T, class Encode>
Value list_of(const std::vector<T>& all, Encode encode) {
  std::vector<Value> values;
  for (const T& each : all) values.push_back(encode(each));
  return list_value(std::move(values));
}

Value quantity(std::string_view resource, std::int64_t amount) {
  return text_value(format_quantity(resource, amount));
}

Value encode_container(const policy::ContainerSize& each) {
  return map_value({
      member("container", text(each.container)),
      member("kind", text(to_string(each.kind))),
      member("requests", map_value({member("desired", encode_resources(each.desired.requests)),
                                    member("allocated", encode_resources(each.allocated)),
                                    member("actual", encode_resources(each.actual))})),
      member("limits", map_value({member("desired", encode_resources(each.desired.limits)),
                                  // Not reported: as desired.
                                  member("actual", encode_resources(each.actual_limits.value_or(
                                                       each.desired.limits)))})),
  });
}

Value encode_sums(const policy::NodeSum& sums) {
  return map_value({
      member("resource", text(sums.resource)),
      member("requested", quantity(sums.resource, sums.requested)),
      member("used", quantity(sums.resource, sums.used)),
      member("allocatable", quantity(sums.resource, sums.capacity)),
  });
}

// Our sums for the resource that the node's message names.
Value our_sums(const policy::Explanation& about) {
  if (!about.node.sums) return {};
  const std::string& name = about.node.sums->resource;
  return encode_sums(
      {.resource = name,
       .requested = policy::amount_of(policy::resizing_charge(about.report.totals), name),
       .used = policy::amount_of(about.report.others, name),
       .capacity = policy::amount_of(about.report.allocatable, name)});
}

Value encode_node(const policy::Explanation& about) {
  const policy::NodeVerdict& word = about.node;
  return map_value({
      member("reason", text(word.reason)),
      member("message", text(word.message)),
      member("generation", word.generation ? number_value(*word.generation) : Value{}),
      member("since", time(word.since)),
      member("agreement", text(to_string(word.agreement))),
      member("why", text(word.why)),
      member("sums", word.sums ? encode_sums(*word.sums) : Value{}),
      member("ourSums", our_sums(about)),
      member("inProgress", bool_value(word.in_progress)),
      member("inProgressSince", time(word.in_progress_since)),
      member("error", text(word.error)),
  });
}

Value encode_shortage(const policy::Shortage& each) {
  return map_value({
      member("resource", text(each.resource)),
      member("requested", quantity(each.resource, each.requested)),
      member("used", quantity(each.resource, each.used)),
      member("allocatable", quantity(each.resource, each.capacity)),
      member("lacking", quantity(each.resource, each.lacking)),
  });
}

Value encode_holders(const policy::Explanation& about) {
  std::vector<Value> all;
  for (std::size_t i = 0; i < about.holding.size(); ++i) {
    const policy::RoomHolder& each = about.report.holders[i];
    all.push_back(map_value({
        member("pod", text(each.pod)),
        member("uid", text(each.uid)),
        member("priority", number_value(each.priority)),
        member("qos", text(to_string(each.qos))),
        member("held", encode_resources(each.held)),
        member("why", text(about.holding[i].why)),
        member("until", time(about.holding[i].until)),
    }));
  }
  return list_value(std::move(all));
}

Value encode_coming(const policy::PendingRoom& each) {
  return map_value({
      member("pod", text(each.pod)),
      member("uid", text(each.uid)),
      member("how", text(each.leaves ? "leaves" : "shrinks")),
      member("frees", encode_resources(each.frees)),
      member("expected", time(each.expected)),
      member("counts", bool_value(each.counts)),
      member("why", text(each.why)),
  });
}

Value encode_budget(const policy::BudgetSummary& each) {
  return map_value({
      member("budget", text(each.budget)),
      member("hard", bool_value(each.hard)),
      member("allowed", each.allowed ? number_value(*each.allowed) : Value{}),
      member("pods", texts(each.pods)),
  });
}

Value encode_mark(const policy::MarkedPod& each) {
  return map_value({
      member("pod", text(each.pod)),
      member("uid", text(each.uid)),
      member("by", text(to_string(each.by))),
      member("for", text(each.for_pod)),
      member("forUid", text(each.for_uid)),
      member("generation", number_value(each.generation)),
      member("leaves", bool_value(each.leaves)),
      member("stands", bool_value(each.stands)),
  });
}

Value encode_remedy(const policy::Remedy& each) {
  return map_value({
      member("kind", text(to_string(each.kind))),
      member("text", text(each.text)),
      member("pods", texts(each.pods)),
  });
}

Value encode_next(const policy::NextStep& next) {
  return map_value({
      member("by", text(to_string(next.by))),
      member("text", text(next.text)),
      member("againWhen", texts(next.again_when)),
      member("expected", time(next.expected)),
  });
}

std::vector<Member> parts_of(const policy::Explanation& about) {
  return {
      member("time", time(about.now)),
      member("summary", text(about.summary)),
      member("since", time(about.since)),
      member("priority", number_value(about.priority)),
      member("ownPriority", number_value(about.own_priority)),
      member("group", about.group ? encode_membership(*about.group) : Value{}),
      member("containers", list_of(about.containers, encode_container)),
      member("shortages", list_of(about.report.decision.shortages, encode_shortage)),
      member("nodeSays", encode_node(about)),
      member("holders", encode_holders(about)),
      member("coming", list_of(about.coming, encode_coming)),
      member("budgets", list_of(about.budgets, encode_budget)),
      member("marks", list_of(about.marks, encode_mark)),
      member("helps", list_of(about.remedies, encode_remedy)),
      member("next", encode_next(about.next)),
  };
}

// The head, the decision, and the parts of either document.
Value assembled(Value decision, std::vector<Member> parts) {
  std::vector<Member> all = {
      member("apiVersion", text(kApiVersion)),
      member("kind", text("PodExplanation")),
      member("pod", text(text_at(decision, "pod"))),
      member("uid", text(text_at(decision, "uid"))),
      member("node", text(text_at(decision, "node"))),
      member("decision", std::move(decision)),
  };
  for (Member& each : parts) all.push_back(std::move(each));
  return map_value(std::move(all));
}

}  // namespace

Value encode_membership(const policy::GroupMembership& about) {
  const policy::GroupStanding says = about.standing.value_or(policy::GroupStanding{});
  const bool is_known = about.standing.has_value();
  return map_value({
      member("group", text(about.group)),
      member("uid", text(says.uid)),
      member("known", bool_value(is_known)),
      member("gang", bool_value(says.is_gang())),
      member("minCount", says.min_count ? number_value(*says.min_count) : Value{}),
      member("priority", is_known ? number_value(says.priority) : Value{}),
      member("preemptionPolicy", text(is_known ? report::name_of(says.preemption_policy) : "")),
      member("disruptionMode", text(is_known ? to_string(says.mode) : "")),
      member("obstacle", text(to_string(says.obstacle))),
      member("waitsFor", text(about.waits_for)),
  });
}

Value encode_explanation(const policy::Explanation& about) {
  return assembled(encode_resize_report(about.report), parts_of(about));
}

Value encode_decision_with_explanation(const policy::Explanation& about) {
  Value document = encode_resize_report(about.report);
  document.members.push_back(member(std::string(kExplanation), map_value(parts_of(about))));
  return document;
}

Result<Value> as_explanation(Value document) {
  const std::string kind(text_at(document, "kind"));
  if (kind == "PodExplanation") return document;
  const Value* parts = document.find(kExplanation);
  if (kind != "ResizeDecision" || parts == nullptr || parts->kind != Value::Kind::Map) {
    return failure(Code::Invalid,
                   "the answer is no explanation (kind \"" + clipped(kind, 100) +
                       "\"): the daemon is of another version, or something else answers there");
  }
  std::vector<Member> members = parts->members;
  drop_member(document, kExplanation);
  return assembled(std::move(document), std::move(members));
}

}  // namespace elbowroom::api
