#include "rescheduler/moving/avoidances.h"

#include <algorithm>

#include "api/codec/object_ref.h"
#include "api/write/node_annotation.h"
#include "base/document.h"
#include "rescheduler/removal/ledgers.h"

namespace elbowroom::rescheduler {

Result<api::Request> Avoidances::put(const AvoidNode& avoid, const std::string& pod,
                                     const std::string& node) {
  ASSIGN_OR_RETURN(const Value pod_object, parse_json(pod));
  if (api::ref_of(pod_object).uid != avoid.pod.uid) {
    return failure(Code::NotFound, "pod " + name_of(avoid.pod) + " is another one by now");
  }
  ASSIGN_OR_RETURN(const auto controller, api::controller_of(pod_object));
  if (!controller) {
    return failure(Code::Invalid, "pod " + name_of(avoid.pod) + " has no controller by now");
  }
  ASSIGN_OR_RETURN(const Value node_object, parse_json(node));
  ASSIGN_OR_RETURN(const api::NodeAnnotation read,
                   api::annotation_in(node_object, api::kPreferAvoidPods));
  ASSIGN_OR_RETURN(api::AvoidEntries entries, api::AvoidEntries::parse(read.value));
  ASSIGN_OR_RETURN(api::AvoidChange change, entries.put({.controller = *controller,
                                                         .pod_uid = avoid.pod.uid,
                                                         .by = Ledgers::kBy,
                                                         .evicted = avoid.now,
                                                         .until = avoid.now + avoid.lasts}));
  std::erase_if(written_, [&](const auto& each) { return each.first == avoid.pod.uid; });
  if (written_.size() >= kMost) written_.pop_front();
  written_.emplace_back(avoid.pod.uid, std::move(change));
  return api::annotation_request(read, entries.text());
}

Result<std::optional<api::Request>> Avoidances::take_back(const AllowNode& allow,
                                                          const std::string& node) {
  const auto at =
      std::ranges::find(written_, allow.pod_uid, &std::pair<std::string, api::AvoidChange>::first);
  if (at == written_.end()) return std::nullopt;
  ASSIGN_OR_RETURN(const Value object, parse_json(node));
  ASSIGN_OR_RETURN(const api::NodeAnnotation read,
                   api::annotation_in(object, api::kPreferAvoidPods));
  ASSIGN_OR_RETURN(api::AvoidEntries entries, api::AvoidEntries::parse(read.value));
  if (!entries.take_back(at->second, allow.now)) return std::nullopt;
  return api::annotation_request(read, entries.text());
}

}  // namespace elbowroom::rescheduler
