#include "api/codec/avoid_entries.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/codec/field.h"
#include "api/codec/json.h"
#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

constexpr std::string_view kList = "preferAvoidPods";
constexpr DocumentLimits kAnnotationLimits{
    .bytes = kMostAnnotationBytes, .depth = 16, .values = 20'000};
// What tells entries of ours from others', together with the time at the end of the message.
constexpr std::string_view kOurReason = "ElbowroomEviction";

const Value* member_of(const Value* map, std::string_view key) {
  return map == nullptr ? nullptr : map->find(key);
}

std::string_view controller_uid(const Value& entry) {
  const Value* controller = value_at(entry, {"podSignature", "podController"});
  return controller == nullptr ? std::string_view() : text_at(*controller, "uid");
}

Result<void> check_entry(const Field& at) {
  if (!at.present()) return at.refuse("must be a mapping");
  ASSIGN_OR_RETURN(const Field signature, at.get("podSignature"));
  ASSIGN_OR_RETURN(const Field controller, signature.get("podController"));
  for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
    RETURN_IF_ERROR(controller.text(key));
  }
  for (const char* key : {"evictionTime", "reason", "message"}) RETURN_IF_ERROR(at.text(key));
  return {};
}

// The times of an entry of ours.
struct OurTimes {
  policy::Time evicted{};
  policy::Time until{};
};
std::optional<OurTimes> our_times(const Value& entry) {
  if (text_at(entry, "reason") != kOurReason || controller_uid(entry).empty()) return std::nullopt;
  const auto evicted = parse_timestamp(text_at(entry, "evictionTime"));
  const auto until = avoided_until(text_at(entry, "message"));
  if (!evicted || !until) return std::nullopt;
  return OurTimes{.evicted = *evicted, .until = *until};
}

// A time that the API's format can say.
bool is_sayable(policy::Time time) {
  using namespace std::chrono;
  return time < sys_days{year(10'000) / January / 1} && time >= sys_days{year(0) / January / 1};
}

bool has_ended(const OurTimes& times, policy::Time now) {
  return times.until <= now || times.until > now + kLongestAvoidance;
}

std::string message_of(const AvoidEntry& entry) {
  return entry.by + " evicts pod " + entry.pod_uid + " (until " + format_timestamp(entry.until) +
         ")";
}

Value encoded(const AvoidEntry& entry) {
  Value controller = json_map({{"apiVersion", json_text(entry.controller.api_version)},
                               {"kind", json_text(entry.controller.kind)},
                               {"name", json_text(entry.controller.name)},
                               {"uid", json_text(entry.controller.uid)},
                               {"controller", json_bool(true)}});
  return json_map({{"podSignature", json_map({{"podController", std::move(controller)}})},
                   {"evictionTime", json_text(format_timestamp(entry.evicted))},
                   {"reason", json_text(std::string(kOurReason))},
                   {"message", json_text(message_of(entry))}});
}

bool is_as_written(const Value& item, const AvoidEntry& entry) {
  const auto times = our_times(item);
  return times && times->evicted == entry.evicted && controller_uid(item) == entry.controller.uid &&
         text_at(item, "message") == message_of(entry);
}

}  // namespace

std::optional<policy::Time> avoided_until(std::string_view message) {
  constexpr std::string_view kOpens = "(until ";
  const std::size_t at = message.rfind(kOpens);
  if (at == std::string_view::npos || !message.ends_with(')')) return std::nullopt;
  message.remove_prefix(at + kOpens.size());
  message.remove_suffix(1);
  const Result<policy::Time> time = parse_timestamp(message);
  return time ? std::optional(*time) : std::nullopt;
}

std::vector<policy::AvoidedController> avoided_controllers(std::string_view annotation) {
  std::vector<policy::AvoidedController> avoided;
  const Result<Value> parsed = parse_json(annotation, kAnnotationLimits);
  if (!parsed) return avoided;
  const Value* list = parsed->find(kList);
  if (list == nullptr) return avoided;
  for (const Value& entry : list->items) {
    if (avoided.size() == kMostAvoidEntries) break;
    const Value* uid = member_of(member_of(entry.find("podSignature"), "podController"), "uid");
    if (uid == nullptr || uid->kind != Value::Kind::String || uid->text.empty()) continue;
    avoided.push_back({.uid = uid->text, .until = avoided_until(text_at(entry, "message"))});
  }
  // Of two entries the one that counts longer.
  const auto rank = [](const policy::AvoidedController& each) {
    return std::tuple(std::string_view(each.uid), each.until.has_value(),
                      each.until ? -each.until->time_since_epoch() : policy::Time::duration(0));
  };
  std::ranges::sort(avoided, {}, rank);
  const auto repeated = std::ranges::unique(avoided, {}, &policy::AvoidedController::uid);
  avoided.erase(repeated.begin(), repeated.end());
  return avoided;
}

Result<std::optional<ControllerReference>> controller_of(const Value& pod) {
  const Field root(pod, Source::Server);
  ASSIGN_OR_RETURN(const Field metadata, root.get("metadata"));
  ASSIGN_OR_RETURN(const Field list, metadata.get("ownerReferences"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    ASSIGN_OR_RETURN(const bool controls, at.boolean("controller"));
    if (!controls) continue;
    ControllerReference found;
    ASSIGN_OR_RETURN(found.api_version, at.text("apiVersion"));
    ASSIGN_OR_RETURN(found.kind, at.text("kind"));
    ASSIGN_OR_RETURN(found.name, at.text("name"));
    ASSIGN_OR_RETURN(found.uid, at.text("uid"));
    if (found.uid.empty()) return at.refuse("uid", "must be given");
    return found;
  }
  return std::nullopt;
}

Result<AvoidEntries> AvoidEntries::parse(const std::optional<std::string>& annotation) {
  AvoidEntries entries;
  if (annotation && !annotation->empty()) {
    ASSIGN_OR_RETURN(entries.root_, parse_json(*annotation, kAnnotationLimits));
  }
  if (entries.root_.kind == Value::Kind::Null) entries.root_.kind = Value::Kind::Map;
  const Field root(entries.root_, Source::Server);
  ASSIGN_OR_RETURN(const Field list, root.get(kList));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) RETURN_IF_ERROR(check_entry(list.item(i)));
  if (!list.present()) set_member(entries.root_, kList, json_list({}));
  return entries;
}

std::vector<Value>& AvoidEntries::items() {
  return std::ranges::find(root_.members, kList, &Member::key)->value.items;
}

std::optional<std::string> AvoidEntries::text() const {
  if (root_.members.size() == 1 && root_.find(kList)->items.empty()) return std::nullopt;
  return to_json(root_);
}

bool AvoidEntries::has_room() const {
  return root_.find(kList)->items.size() <= kMostAvoidEntries &&
         to_json(root_).size() <= kMostAnnotationBytes;
}

std::size_t AvoidEntries::drop_expired(policy::Time now) {
  return std::erase_if(items(), [&](const Value& each) {
    const auto times = our_times(each);
    return times && has_ended(*times, now);
  });
}

std::size_t AvoidEntries::drop_ours() {
  return std::erase_if(items(), [](const Value& each) { return our_times(each).has_value(); });
}

// The last entry is the one to be added.
bool AvoidEntries::drop_oldest() {
  std::vector<Value>& all = items();
  auto oldest = all.end();
  policy::Time then{};
  for (auto at = all.begin(); at != std::prev(all.end()); ++at) {
    const auto times = our_times(*at);
    if (!times || (oldest != all.end() && times->evicted >= then)) continue;
    oldest = at;
    then = times->evicted;
  }
  if (oldest == all.end()) return false;
  all.erase(oldest);
  return true;
}

Result<AvoidChange> AvoidEntries::put(const AvoidEntry& entry) {
  if (!is_sayable(entry.evicted) || !is_sayable(entry.until)) {
    return failure(Code::Invalid, "the server's clock is beyond the year 9999");
  }
  AvoidEntries edited = *this;
  edited.drop_expired(entry.evicted);
  AvoidChange change{.written = entry};
  std::vector<Value>& all = edited.items();
  const auto same = std::ranges::find_if(all, [&](const Value& each) {
    return our_times(each) && controller_uid(each) == entry.controller.uid;
  });
  if (same != all.end()) {
    change.written.until = std::max(entry.until, our_times(*same)->until);
    change.replaced = std::move(*same);
    all.erase(same);
  }
  all.push_back(encoded(change.written));
  while (!edited.has_room()) {
    if (edited.drop_oldest()) continue;
    return failure(Code::Exhausted, "the entries of others leave no room for one more: at most " +
                                        std::to_string(kMostAvoidEntries) + " entries and " +
                                        std::to_string(kMostAnnotationBytes) + " bytes");
  }
  *this = std::move(edited);
  return change;
}

bool AvoidEntries::take_back(const AvoidChange& change, policy::Time now) {
  std::vector<Value>& all = items();
  const auto at = std::ranges::find_if(
      all, [&](const Value& each) { return is_as_written(each, change.written); });
  if (at == all.end()) return false;
  const auto times = change.replaced ? our_times(*change.replaced) : std::nullopt;
  if (times && !has_ended(*times, now)) {
    *at = *change.replaced;
  } else {
    all.erase(at);
  }
  return true;
}

}  // namespace elbowroom::api
