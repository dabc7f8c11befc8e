#include "api/protobuf_object.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "api/json.h"
#include "api/timestamp.h"
#include "api/wire_fields.h"
#include "base/utf8.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxValues = 500'000;

enum class Form : std::uint8_t { Text, Integer, Bool, Time, Quantity, Message };
// Inlined: its members are the outer message's own, as with structs that Go embeds.
enum class Shape : std::uint8_t { One, List, Map, Inlined };
// Pointers of the Go types: what is there and empty differs from what is not there.
enum class Zero : std::uint8_t { IsAbsent, IsValue };

struct WireMember;

// The members that are read.
struct WireMessage {
  constexpr WireMessage() = default;
  template <std::size_t count>
  // NOLINTNEXTLINE(google-explicit-constructor): the array is the message
  constexpr WireMessage(const std::array<WireMember, count>& members);

  [[nodiscard]] constexpr const WireMember* begin() const { return first; }
  [[nodiscard]] constexpr const WireMember* end() const;

  const WireMember* first = nullptr;
  std::size_t size = 0;
};

struct WireMember {
  std::uint32_t number = 0;
  std::string_view key{};
  Form form = Form::Text;
  Shape shape = Shape::One;
  WireMessage message{};  // of the form Message
  Zero zero = Zero::IsAbsent;
};

template <std::size_t count>
constexpr WireMessage::WireMessage(const std::array<WireMember, count>& members)
    : first(members.data()), size(count) {}
constexpr const WireMember* WireMessage::end() const { return first + size; }

constexpr WireMember text(std::uint32_t number, std::string_view key, Shape shape = Shape::One) {
  return {.number = number, .key = key, .shape = shape};
}
constexpr WireMember pointer(WireMember member) {
  member.zero = Zero::IsValue;
  return member;
}
constexpr WireMember of(std::uint32_t number, std::string_view key, Form form,
                        Shape shape = Shape::One) {
  return {.number = number, .key = key, .form = form, .shape = shape};
}
constexpr WireMember part(std::uint32_t number, std::string_view key, WireMessage message,
                          Shape shape = Shape::One) {
  return {.number = number, .key = key, .form = Form::Message, .shape = shape, .message = message};
}

// Source: generated.proto of k8s.io/api and k8s.io/apimachinery, 1.37; no number was ever used for
// another type since 1.30.
constexpr std::array kOwnerReference{text(1, "kind"), text(3, "name"), text(4, "uid"),
                                     pointer(of(6, "controller", Form::Bool))};
constexpr std::array kObjectMeta{text(1, "name"),
                                 text(3, "namespace"),
                                 text(5, "uid"),
                                 text(6, "resourceVersion"),
                                 of(7, "generation", Form::Integer),
                                 of(8, "creationTimestamp", Form::Time),
                                 of(9, "deletionTimestamp", Form::Time),
                                 pointer(of(10, "deletionGracePeriodSeconds", Form::Integer)),
                                 text(11, "labels", Shape::Map),
                                 text(12, "annotations", Shape::Map),
                                 part(13, "ownerReferences", kOwnerReference, Shape::List)};
constexpr std::array kShardInfo{text(1, "selector")};
constexpr std::array kListMeta{text(2, "resourceVersion"), text(3, "continue"),
                               pointer(part(5, "shardInfo", kShardInfo))};
constexpr std::array kLabelSelectorRequirement{text(1, "key"), text(2, "operator"),
                                               text(3, "values", Shape::List)};
constexpr std::array kLabelSelector{
    text(1, "matchLabels", Shape::Map),
    part(2, "matchExpressions", kLabelSelectorRequirement, Shape::List)};
constexpr std::array kStatusCause{text(1, "reason"), text(2, "message"), text(3, "field")};
constexpr std::array kStatusDetails{part(4, "causes", kStatusCause, Shape::List),
                                    of(5, "retryAfterSeconds", Form::Integer)};
constexpr std::array kStatus{part(1, "metadata", kListMeta),
                             text(2, "status"),
                             text(3, "message"),
                             text(4, "reason"),
                             part(5, "details", kStatusDetails),
                             of(6, "code", Form::Integer)};

constexpr std::array kRequirements{of(1, "limits", Form::Quantity, Shape::Map),
                                   of(2, "requests", Form::Quantity, Shape::Map)};
constexpr std::array kResizePolicy{text(1, "resourceName"), text(2, "restartPolicy")};
constexpr std::array kContainerPort{of(2, "hostPort", Form::Integer),
                                    of(3, "containerPort", Form::Integer), text(4, "protocol"),
                                    text(5, "hostIP")};
constexpr std::array kContainer{text(1, "name"), part(6, "ports", kContainerPort, Shape::List),
                                part(8, "resources", kRequirements),
                                part(23, "resizePolicy", kResizePolicy, Shape::List),
                                pointer(text(24, "restartPolicy"))};
constexpr std::array kSchedulingGroup{pointer(text(1, "podGroupName"))};
constexpr std::array kResourceClaim{text(1, "name")};
constexpr std::array kNodeSelectorRequirement{text(1, "key"), text(2, "operator"),
                                              text(3, "values", Shape::List)};
constexpr std::array kNodeSelectorTerm{
    part(1, "matchExpressions", kNodeSelectorRequirement, Shape::List),
    part(2, "matchFields", kNodeSelectorRequirement, Shape::List)};
constexpr std::array kNodeSelector{part(1, "nodeSelectorTerms", kNodeSelectorTerm, Shape::List)};
constexpr std::array kPreferredNodes{of(1, "weight", Form::Integer),
                                     part(2, "preference", kNodeSelectorTerm)};
constexpr std::array kNodeAffinity{
    pointer(part(1, "requiredDuringSchedulingIgnoredDuringExecution", kNodeSelector)),
    part(2, "preferredDuringSchedulingIgnoredDuringExecution", kPreferredNodes, Shape::List)};
constexpr std::array kPodTerm{pointer(part(1, "labelSelector", kLabelSelector)),
                              text(2, "namespaces", Shape::List),
                              text(3, "topologyKey"),
                              pointer(part(4, "namespaceSelector", kLabelSelector)),
                              text(5, "matchLabelKeys", Shape::List),
                              text(6, "mismatchLabelKeys", Shape::List)};
constexpr std::array kPreferredPods{of(1, "weight", Form::Integer),
                                    part(2, "podAffinityTerm", kPodTerm)};
constexpr std::array kPodAffinity{
    part(1, "requiredDuringSchedulingIgnoredDuringExecution", kPodTerm, Shape::List),
    part(2, "preferredDuringSchedulingIgnoredDuringExecution", kPreferredPods, Shape::List)};
constexpr std::array kAffinity{pointer(part(1, "nodeAffinity", kNodeAffinity)),
                               pointer(part(2, "podAffinity", kPodAffinity)),
                               pointer(part(3, "podAntiAffinity", kPodAffinity))};
constexpr std::array kToleration{text(1, "key"), text(2, "operator"), text(3, "value"),
                                 text(4, "effect")};
constexpr std::array kSpreadConstraint{of(1, "maxSkew", Form::Integer),
                                       text(2, "topologyKey"),
                                       text(3, "whenUnsatisfiable"),
                                       pointer(part(4, "labelSelector", kLabelSelector)),
                                       pointer(of(5, "minDomains", Form::Integer)),
                                       pointer(text(6, "nodeAffinityPolicy")),
                                       pointer(text(7, "nodeTaintsPolicy")),
                                       text(8, "matchLabelKeys", Shape::List)};
constexpr std::array kSchedulingGate{text(1, "name")};
constexpr std::array<WireMember, 0> kNothing{};
constexpr std::array kVolumeSource{pointer(part(10, "persistentVolumeClaim", kNothing)),
                                   pointer(part(29, "ephemeral", kNothing))};
constexpr std::array kVolume{text(1, "name"), part(2, "", kVolumeSource, Shape::Inlined)};
constexpr std::array kPodSpec{part(1, "volumes", kVolume, Shape::List),
                              part(2, "containers", kContainer, Shape::List),
                              pointer(of(4, "terminationGracePeriodSeconds", Form::Integer)),
                              text(7, "nodeSelector", Shape::Map),
                              text(10, "nodeName"),
                              of(11, "hostNetwork", Form::Bool),
                              pointer(part(18, "affinity", kAffinity)),
                              text(19, "schedulerName"),
                              part(20, "initContainers", kContainer, Shape::List),
                              part(22, "tolerations", kToleration, Shape::List),
                              pointer(of(25, "priority", Form::Integer)),
                              pointer(text(31, "preemptionPolicy")),
                              of(32, "overhead", Form::Quantity, Shape::Map),
                              part(33, "topologySpreadConstraints", kSpreadConstraint, Shape::List),
                              part(38, "schedulingGates", kSchedulingGate, Shape::List),
                              part(39, "resourceClaims", kResourceClaim, Shape::List),
                              pointer(part(40, "resources", kRequirements)),
                              pointer(part(43, "schedulingGroup", kSchedulingGroup))};
constexpr std::array kPodCondition{
    text(1, "type"),   text(2, "status"),  of(4, "lastTransitionTime", Form::Time),
    text(5, "reason"), text(6, "message"), of(7, "observedGeneration", Form::Integer)};
constexpr std::array kContainerState{pointer(part(2, "running", kNothing)),
                                     pointer(part(3, "terminated", kNothing))};
constexpr std::array kContainerStatus{text(1, "name"), part(2, "state", kContainerState),
                                      of(10, "allocatedResources", Form::Quantity, Shape::Map),
                                      pointer(part(11, "resources", kRequirements))};
constexpr std::array kPodStatus{text(1, "phase"),
                                part(2, "conditions", kPodCondition, Shape::List),
                                of(7, "startTime", Form::Time),
                                part(8, "containerStatuses", kContainerStatus, Shape::List),
                                text(9, "qosClass"),
                                part(10, "initContainerStatuses", kContainerStatus, Shape::List),
                                text(11, "nominatedNodeName"),
                                of(19, "allocatedResources", Form::Quantity, Shape::Map),
                                pointer(part(20, "resources", kRequirements))};
constexpr std::array kPod{part(1, "metadata", kObjectMeta), part(2, "spec", kPodSpec),
                          part(3, "status", kPodStatus)};

constexpr std::array kPodPreemptionPolicy{text(1, "disableResizePreemption", Shape::List)};
constexpr std::array kTaint{text(1, "key"), text(2, "value"), text(3, "effect")};
constexpr std::array kNodeSpec{of(4, "unschedulable", Form::Bool),
                               part(5, "taints", kTaint, Shape::List),
                               pointer(part(8, "podPreemptionPolicy", kPodPreemptionPolicy))};
constexpr std::array kNodeCondition{text(1, "type"), text(2, "status"),
                                    of(4, "lastTransitionTime", Form::Time), text(5, "reason"),
                                    text(6, "message")};
constexpr std::array kNodeStatus{of(1, "capacity", Form::Quantity, Shape::Map),
                                 of(2, "allocatable", Form::Quantity, Shape::Map),
                                 part(4, "conditions", kNodeCondition, Shape::List)};
constexpr std::array kNode{part(1, "metadata", kObjectMeta), part(2, "spec", kNodeSpec),
                           part(3, "status", kNodeStatus)};

constexpr std::array kBudgetSpec{pointer(part(2, "selector", kLabelSelector))};
constexpr std::array kBudgetStatus{of(2, "disruptedPods", Form::Time, Shape::Map),
                                   of(3, "disruptionsAllowed", Form::Integer)};
constexpr std::array kBudget{part(1, "metadata", kObjectMeta), part(2, "spec", kBudgetSpec),
                             part(3, "status", kBudgetStatus)};

constexpr std::array kTypeMeta{text(1, "apiVersion"), text(2, "kind")};
constexpr std::array kEnvelope{part(1, "typeMeta", kTypeMeta)};

constexpr std::array<std::pair<std::string_view, WireMessage>, 6> kKinds{
    {{"Pod", kPod},
     {"Node", kNode},
     {"PodDisruptionBudget", kBudget},
     {"ListMeta", kListMeta},
     {"Status", kStatus},
     {"TypeMeta", kTypeMeta}}};

const WireMessage* message_of(std::string_view kind) {
  const auto found = std::ranges::find(kKinds, kind, [](const auto& each) { return each.first; });
  return found == kKinds.end() ? nullptr : &found->second;
}

std::unexpected<Error> broken() { return failure(Code::Invalid, "the protobuf is broken"); }

std::string clean_text(std::string_view bytes) {
  std::string clean;
  for (;;) {
    const std::size_t valid = first_invalid_utf8(bytes);
    clean += bytes.substr(0, valid);
    if (valid == bytes.size()) return clean;
    clean += "\xef\xbf\xbd";
    bytes.remove_prefix(valid + 1);
  }
}

// "" where it is the zero of Go's time.
Result<std::string> time_in(std::string_view message) {
  std::int64_t seconds = 0;
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() != 1) continue;
    if (fields.type() != WireType::Varint) return broken();
    seconds = static_cast<std::int64_t>(fields.value());
  }
  if (fields.is_broken()) return broken();
  if (message.empty()) return std::string();
  constexpr std::int64_t kEarliest = -62'167'219'200;  // the year 0
  constexpr std::int64_t kLatest = 253'402'300'799;    // the year 9999
  if (seconds < kEarliest || seconds > kLatest) {
    return failure(Code::Invalid, "a time is outside the years 0 to 9999");
  }
  return format_timestamp(policy::Time(std::chrono::seconds(seconds)));
}

Result<std::string> quantity_in(std::string_view message) {
  std::string text = "0";
  WireFields fields(message);
  while (fields.next()) {
    if (fields.number() != 1) continue;
    if (fields.type() != WireType::Bytes) return broken();
    text = clean_text(fields.bytes());
  }
  if (fields.is_broken()) return broken();
  return text;
}

class Reader {
 public:
  // Puts the message's members into the map. As deep as kKinds is, whatever comes.
  // NOLINTNEXTLINE(misc-no-recursion): bounded by the tables, which have no circle
  Result<void> read(WireMessage message, std::string_view bytes, Value& map) {
    WireFields fields(bytes);
    while (fields.next()) {
      const auto member = std::ranges::find(message, fields.number(), &WireMember::number);
      if (member != message.end()) RETURN_IF_ERROR(take(*member, fields, map));
    }
    if (fields.is_broken()) return broken();
    for (const WireMember& member : message) {
      if (member.shape == Shape::Map) leave_last_of_each(map, member.key);
    }
    return {};
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): see read()
  Result<void> take(const WireMember& member, const WireFields& field, Value& map) {
    const bool is_number = member.form == Form::Integer || member.form == Form::Bool;
    const WireType wanted =
        is_number && member.shape == Shape::One ? WireType::Varint : WireType::Bytes;
    if (field.type() != wanted) return broken();
    if (++values_ > kMaxValues) {
      return failure(Code::Exhausted,
                     "the object has more than " + std::to_string(kMaxValues) + " values");
    }
    if (member.shape == Shape::Inlined) return read(member.message, field.bytes(), map);
    if (member.shape == Shape::Map) return take_entry(member, field.bytes(), place(map, member));
    if (member.shape == Shape::List) {
      Value& list = place(map, member);
      return fill(member, field, list.items.emplace_back());
    }
    if (member.form == Form::Message) return fill(member, field, place(map, member));
    Value value;
    RETURN_IF_ERROR(fill(member, field, value));
    // Of a field that comes twice the last one counts, an empty one too.
    if (value.kind == Value::Kind::Null) {
      drop_member(map, member.key);
    } else {
      set_member(map, member.key, std::move(value));
    }
    return {};
  }

  // NOLINTNEXTLINE(misc-no-recursion): see read()
  Result<void> fill(const WireMember& member, const WireFields& field, Value& value) {
    const bool keeps_zero = member.zero == Zero::IsValue || member.shape != Shape::One;
    switch (member.form) {
      case Form::Text:
        if (!field.bytes().empty() || keeps_zero) value = json_text(clean_text(field.bytes()));
        return {};
      case Form::Integer: {
        const auto number = static_cast<std::int64_t>(field.value());
        if (number != 0 || keeps_zero) value = json_number(number);
        return {};
      }
      case Form::Bool:
        if (field.value() != 0 || keeps_zero) value = json_bool(field.value() != 0);
        return {};
      case Form::Time:
        return fill_time(field.bytes(), value);
      case Form::Quantity: {
        ASSIGN_OR_RETURN(std::string text, quantity_in(field.bytes()));
        value = json_text(std::move(text));
        return {};
      }
      case Form::Message:
        value.kind = Value::Kind::Map;
        return read(member.message, field.bytes(), value);
    }
    return {};
  }

  static Result<void> fill_time(std::string_view message, Value& value) {
    ASSIGN_OR_RETURN(std::string text, time_in(message));
    if (!text.empty()) value = json_text(std::move(text));
    return {};
  }

  Result<void> take_entry(const WireMember& member, std::string_view entry, Value& map) {
    Member made;
    std::string_view value;
    WireFields fields(entry);
    while (fields.next()) {
      if (fields.number() > 2) continue;
      if (fields.type() != WireType::Bytes) return broken();
      if (fields.number() == 1) made.key = clean_text(fields.bytes());
      if (fields.number() == 2) value = fields.bytes();
    }
    if (fields.is_broken()) return broken();
    if (member.form == Form::Quantity) {
      ASSIGN_OR_RETURN(std::string text, quantity_in(value));
      made.value = json_text(std::move(text));
    } else if (member.form == Form::Time) {
      RETURN_IF_ERROR(fill_time(value, made.value));
    } else {
      made.value = json_text(clean_text(value));
    }
    map.members.push_back(std::move(made));
    return {};
  }

  // The member's value: a list, a mapping, or a message that comes in parts.
  static Value& place(Value& map, const WireMember& member) {
    const auto found = std::ranges::find(map.members, member.key, &Member::key);
    if (found != map.members.end()) return found->value;
    Value& made = map.members.emplace_back(Member{std::string(member.key), {}, {}}).value;
    made.kind = member.shape == Shape::List ? Value::Kind::List : Value::Kind::Map;
    return made;
  }

  // Of several entries of one key the last one counts.
  static void leave_last_of_each(Value& map, std::string_view key) {
    const auto found = std::ranges::find(map.members, key, &Member::key);
    if (found == map.members.end()) return;
    std::vector<Member>& entries = found->value.members;
    // As Go writes them: nothing is to be done.
    if (std::ranges::adjacent_find(entries, std::ranges::greater_equal{}, &Member::key) ==
        entries.end()) {
      return;
    }
    std::ranges::reverse(entries);
    std::ranges::stable_sort(entries, {}, &Member::key);
    const auto repeated = std::ranges::unique(entries, {}, &Member::key);
    entries.erase(repeated.begin(), repeated.end());
  }

  std::size_t values_ = 0;
};

}  // namespace

bool reads_protobuf(std::string_view kind) { return message_of(kind) != nullptr; }

Result<Value> protobuf_message(std::string_view kind, std::string_view message) {
  Value map = json_map({});
  RETURN_IF_ERROR(Reader().read(*message_of(kind), message, map));
  return map;
}

Result<Value> protobuf_object(std::string_view body) {
  if (!body.starts_with(kProtobufMagic)) {
    return failure(Code::Invalid, "the body does not begin as Kubernetes' protobuf does");
  }
  body.remove_prefix(kProtobufMagic.size());
  Value envelope = json_map({});
  RETURN_IF_ERROR(Reader().read(kEnvelope, body, envelope));
  std::string_view raw;
  for (WireFields fields(body); fields.next();) {
    if (fields.number() == 2 && fields.type() == WireType::Bytes) raw = fields.bytes();
  }
  const Value* type = envelope.find("typeMeta");
  const std::string kind(type == nullptr ? "" : text_at(*type, "kind"));
  if (!reads_protobuf(kind)) {
    return failure(Code::Invalid,
                   "an object of kind \"" + kind.substr(0, 100) + "\" is not read in protobuf");
  }
  ASSIGN_OR_RETURN(Value object, protobuf_message(kind, raw));
  set_member(object, "kind", json_text(kind));
  set_member(object, "apiVersion", json_text(std::string(text_at(*type, "apiVersion"))));
  return object;
}

}  // namespace elbowroom::api
