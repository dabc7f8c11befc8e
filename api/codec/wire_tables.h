// Which fields of the API's objects our decoders read, as tables: their numbers in protobuf and
// their names in JSON. A field that a decoder begins to read is added here, or it is never seen:
// what is not in the tables is passed over in either encoding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace elbowroom::api {

enum class Form : std::uint8_t { Text, Integer, Bool, Time, Quantity, Message };
// Inlined: its members are the outer message's own, as with structs that Go embeds.
enum class Shape : std::uint8_t { One, List, Map, Inlined };
// Pointers of the Go types: what is there and empty differs from what is not there.
enum class Zero : std::uint8_t { IsAbsent, IsValue };
// How much of a Pod is read; of other kinds always all that is in the tables.
enum class Part : std::uint8_t {
  Whole,
  Sizes,     // without what matters only where pods are placed
  Finished,  // who and where it was, its phase and conditions, and the states of its containers
  Identity,  // of an object of any kind, in the tables or not: who it is; of a pod where, too
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
};

struct WireMember {
  std::uint32_t number = 0;
  std::string_view key{};
  Form form = Form::Text;
  Shape shape = Shape::One;
  WireMessage message{};  // of the form Message
  Zero zero = Zero::IsAbsent;
  // Of a list or a mapping: how many entries become part of a tree where somebody takes the others
  // (overflow.h); those of a list that is handed on he gets one by one.
  std::size_t most = std::numeric_limits<std::size_t>::max();
  bool hands_on = false;
  // A term of placement, whose values are bounded all together, too.
  bool is_placement = false;
};

// Of all terms of placement of one pod: a thousand terms of twenty values each.
inline constexpr std::size_t kMostPlacementValues = 20'000;

template <std::size_t count>
constexpr WireMessage::WireMessage(const std::array<WireMember, count>& members)
    : first(members.data()), size(count) {}
constexpr const WireMember* WireMessage::end() const { return first + size; }

// Of Pod, Node, PodDisruptionBudget; Status; and the parts ListMeta and TypeMeta; else nullptr. The
// identity is that of any other kind, too.
[[nodiscard]] const WireMessage* message_of(std::string_view kind, Part part = Part::Whole);

}  // namespace elbowroom::api
