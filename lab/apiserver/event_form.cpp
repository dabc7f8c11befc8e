#include "lab/apiserver/event_form.h"

#include <array>
#include <string>
#include <utility>

namespace elbowroom::lab {
namespace {

struct Names {
  const char* core;
  const char* group;
};
constexpr std::array kNames{Names{"involvedObject", "regarding"},
                            Names{"message", "note"},
                            Names{"source", "deprecatedSource"},
                            Names{"firstTimestamp", "deprecatedFirstTimestamp"},
                            Names{"lastTimestamp", "deprecatedLastTimestamp"},
                            Names{"count", "deprecatedCount"},
                            Names{"reportingComponent", "reportingController"}};

void rename(Json& object, const char* from, const char* to) {
  const auto it = object.find(from);
  if (it == object.end()) return;
  Json value = std::move(*it);
  object.erase(it);
  object[to] = std::move(value);
}

}  // namespace

Json core_event(Json event) {
  for (const Names& names : kNames) rename(event, names.group, names.core);
  event["apiVersion"] = "v1";
  // Upstream always sets them; kubectl sorts by them.
  for (const char* time : {"firstTimestamp", "lastTimestamp"}) {
    if (!event.contains(time)) event[time] = nullptr;
  }
  return event;
}

Json events_k8s_io_event(Json event) {
  for (const Names& names : kNames) rename(event, names.core, names.group);
  event["apiVersion"] = "events.k8s.io/v1";
  return event;
}

}  // namespace elbowroom::lab
