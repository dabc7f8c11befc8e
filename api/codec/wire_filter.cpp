#include "api/codec/wire_filter.h"

#include <algorithm>
#include <cassert>

namespace elbowroom::api {
namespace {

// A place is a member of the tables, or one of these: the event, the object in it, and any value
// that is read completely.
constexpr WireMember kEvent;
constexpr WireMember kObject;
constexpr WireMember kWhole;

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

const WireMember& member_at(JsonFilter::Place place) {
  return *static_cast<const WireMember*>(place);
}

bool has_parts(const WireMember& member) {
  return member.form == Form::Message && member.shape != Shape::Map;
}

}  // namespace

WireFilter::WireFilter(std::string_view kind, Of of, Part part, ListOverflow* overflow,
                       std::string_view version)
    : object_(message_of(kind, part, version)),
      status_(part == Part::Identity ? nullptr : message_of("Status")),
      overflow_(overflow),
      of_(of) {
  assert(object_ != nullptr);
}

JsonFilter::Place WireFilter::root() const { return of_ == Of::Event ? &kEvent : &kObject; }

JsonFilter::Place WireFilter::member(Place of, std::string_view key) const {
  if (of == &kEvent) return key == "object" ? &kObject : &kWhole;
  if (of != &kObject) {
    if (!has_parts(member_at(of))) return &kWhole;
    const WireMessage& message = member_at(of).message;
    const WireMember* known = find(message, key);
    return known == nullptr && message.is_closed ? &kWhole : known;
  }
  if (key == "kind" || key == "apiVersion") return &kWhole;
  const WireMember* known = find(*object_, key);
  return known != nullptr || status_ == nullptr ? known : find(*status_, key);
}

std::size_t WireFilter::most(Place of, Shape shape) const {
  const WireMember& member = member_at(of);
  return overflow_ != nullptr && member.shape == shape ? member.most : kNoLimit;
}

std::size_t WireFilter::most_items(Place of) const { return most(of, Shape::List); }
std::size_t WireFilter::most_members(Place of) const { return most(of, Shape::Map); }

bool WireFilter::hands_on(Place of) const { return member_at(of).hands_on; }
void WireFilter::hand_on(Place of, const Value& item) const {
  overflow_->take(member_at(of).key, item);
}
void WireFilter::left_out(Place of) const { overflow_->left_out(member_at(of).key); }

std::size_t* WireFilter::budget(Place of) const {
  const bool is_bounded = overflow_ != nullptr && member_at(of).is_placement;
  return is_bounded ? &overflow_->placement_left() : nullptr;
}

}  // namespace elbowroom::api
