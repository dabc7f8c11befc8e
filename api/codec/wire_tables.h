// The fields of API objects that our decoders read, as tables: protobuf numbers and JSON names. Add
// a field here when a decoder begins to read it: fields outside the tables are ignored in both
// encodings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace elbowroom::api {

enum class Form : std::uint8_t { Text, Integer, Bool, Time, Quantity, Message };
// Inlined: its members belong to the outer message, like structs that Go embeds.
enum class Shape : std::uint8_t { One, List, Map, Inlined };
// For pointers in the Go types: present but empty differs from absent.
enum class Zero : std::uint8_t { IsAbsent, IsValue };
// How much of a Pod is read, or of a Node. Other kinds are always read completely.
enum class Part : std::uint8_t {
  Whole,
  Sizes,     // without the fields that matter only for placement
  Finished,  // identity, node, phase, conditions, and container states
  Identity,  // for any kind, in the tables or not: the identity; for a pod also the node
};

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
  // A member that is not in the table changes what the object means, so it is read, too: in
  // protobuf as kUnknownMember.
  bool is_closed = false;
};

inline constexpr std::string_view kUnknownMember = "unknown";

struct WireMember {
  std::uint32_t number = 0;
  std::string_view key{};
  Form form = Form::Text;
  Shape shape = Shape::One;
  WireMessage message{};  // if its form is Message
  Zero zero = Zero::IsAbsent;
  // For a list or a mapping: how many entries become part of a tree if there is an overflow
  // (list_overflow.h). The overflow receives further items one by one if `hands_on`.
  std::size_t most = std::numeric_limits<std::size_t>::max();
  bool hands_on = false;
  // A placement term; the values of all of them share one bound, too.
  bool is_placement = false;
};

// For all placement terms of one pod: a thousand terms of twenty values each.
inline constexpr std::size_t kMostPlacementValues = 20'000;

template <std::size_t count>
constexpr WireMessage::WireMessage(const std::array<WireMember, count>& members)
    : first(members.data()), size(count) {}
constexpr const WireMember* WireMessage::end() const { return first + size; }

// For Pod, Node, PodDisruptionBudget, PodGroup; Status; and the parts ListMeta and TypeMeta;
// otherwise nullptr. Part::Identity also works for any other kind. `version`, like "v1alpha2",
// matters only for kinds whose numbers depend on it; "": the newest.
[[nodiscard]] const WireMessage* message_of(std::string_view kind, Part part = Part::Whole,
                                            std::string_view version = {});

}  // namespace elbowroom::api
