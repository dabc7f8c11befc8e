#include "api/wire_sieve.h"

#include <algorithm>
#include <cassert>

namespace elbowroom::api {
namespace {

// Places beside the tables' own: the event, the object in it, and whatever is read whole.
constexpr WireMessage kEvent;
constexpr WireMessage kObject;
constexpr WireMessage kWhole;

// NOLINTNEXTLINE(misc-no-recursion): bounded by the tables, which have no circle
const WireMember* find(const WireMessage& message, std::string_view key) {
  for (const WireMember& member : message) {
    if (member.shape == Shape::Inlined) {
      if (const WireMember* inner = find(member.message, key)) return inner;
    } else if (member.key == key) {
      return &member;
    }
  }
  return nullptr;
}

Sieve::Place place_of(const WireMember* member) {
  if (member == nullptr) return nullptr;
  const bool has_parts = member->form == Form::Message && member->shape != Shape::Map;
  return has_parts ? &member->message : &kWhole;
}

}  // namespace

WireSieve::WireSieve(std::string_view kind, Of of)
    : object_(message_of(kind)), status_(message_of("Status")), of_(of) {
  assert(object_ != nullptr);
}

Sieve::Place WireSieve::root() const { return of_ == Of::Event ? &kEvent : &kObject; }

Sieve::Place WireSieve::member(Place of, std::string_view key) const {
  if (of == &kWhole) return &kWhole;
  if (of == &kEvent) return key == "object" ? &kObject : &kWhole;
  if (of != &kObject) return place_of(find(*static_cast<const WireMessage*>(of), key));
  if (key == "kind" || key == "apiVersion") return &kWhole;
  const WireMember* known = find(*object_, key);
  return place_of(known != nullptr ? known : find(*status_, key));
}

}  // namespace elbowroom::api
