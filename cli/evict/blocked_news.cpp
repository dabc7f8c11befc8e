#include "cli/evict/blocked_news.h"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/transport/status_error.h"
#include "api/transport/url.h"
#include "api/write/event_correlator.h"
#include "cli/evict/event_table.h"
#include "cli/explain_options.h"

namespace elbowroom::cli {
namespace {

// The same on every machine: the name of an event.
std::string name_of(const api::EventNote& note) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kLongestName = 236;  // with the digits within 253 bytes
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const std::string_view part :
       {std::string_view(note.regarding.ref.uid), std::string_view(note.note)}) {
    for (const char each : part) {
      digest = (digest ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
    }
  }
  std::string name = note.regarding.ref.name.substr(0, kLongestName) + ".";
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[(digest >> shift) & 0xf];
  return name;
}

api::Request request_for(const api::EventNote& note, policy::Time now) {
  api::EventCorrelator correlator({.controller = "elbowroom.dev/evict", .instance = "elbowroom"});
  const auto write = correlator.record(note, now, {});
  Value event = *parse_json(write->body);
  Value metadata = *event.find("metadata");
  api::set_member(metadata, "name", api::json_text(name_of(note)));
  api::set_member(event, "metadata", std::move(metadata));
  api::Request request;
  request.method = api::Method::Post;
  request.path = "/apis/events.k8s.io/v1/namespaces/" + api::percent_encoded(write->ns) + "/events";
  request.content_type = api::kJson;
  request.body = api::to_json(event);
  return request;
}

}  // namespace

void BlockedNews::tell(const EvictionDecision& blocked) {
  const std::size_t slash = blocked.pod.find('/');
  const EventRow& row = row_of(EventReason::EvictionBlocked);
  const api::EventNote note{
      .regarding = {.ref = {.ns = blocked.pod.substr(0, slash),
                            .name = blocked.pod.substr(slash + 1),
                            .uid = blocked.uid}},
      .severity = row.warning ? api::EventSeverity::Warning : api::EventSeverity::Normal,
      .reason = std::string(row.reason),
      .action = std::string(row.action),
      .note = "The eviction is blocked: " + blocked.by};
  if (note.note == std::exchange(last_, note.note)) return;
  const policy::Time now = writer_.server_time().value_or(clock_time());
  const auto answer = writer_.send(request_for(note, now));
  if (!answer || has_failed_ || api::is_success(*answer)) return;
  const api::Status status = api::status_from(*answer, api::Method::Post);
  if (api::is_already_exists(status)) return;
  has_failed_ = true;
  tell_("the event on the pod is not written: " + api::error_from(status).message);
}

}  // namespace elbowroom::cli
