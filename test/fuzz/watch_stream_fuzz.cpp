// What a server may send on a list or a watch. Properties: no crash, and the lines, frames and
// items do not depend on how the bytes are split.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/transport/status_error.h"
#include "api/watch/frames.h"
#include "api/watch/lines.h"
#include "api/watch/list_items.h"
#include "api/watch/watch_event.h"
#include "base/document.h"

namespace {

using namespace elbowroom;

constexpr std::size_t kMaxLine = 512;

// `piece` bytes at a time.
template <class Feed>
void in_pieces(std::string_view bytes, std::size_t piece, const Feed& feed) {
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (!feed(bytes.substr(at, piece))) return;
  }
}

// Of api::Lines or api::Frames.
template <class Cut>
std::string events_of(std::string_view bytes, std::size_t piece) {
  Cut cut(kMaxLine);
  std::string out;
  in_pieces(bytes, piece, [&](std::string_view part) {
    const auto fed = cut.feed(part, [&](std::string_view event) {
      out += std::string(event) + "\n";
      return true;
    });
    if (!fed) out += "!";
    return fed.has_value();
  });
  return out;
}

std::string items_of(std::string_view bytes, std::size_t piece) {
  api::ListItems items({.item_bytes = 256, .head_bytes = 256, .bytes = 1 << 20, .depth = 16});
  std::string out;
  bool is_sound = true;
  in_pieces(bytes, piece, [&](std::string_view part) {
    is_sound = items
                   .feed(part,
                         [&](std::string_view item) {
                           out += std::string(item) + "\n";
                           return true;
                         })
                   .has_value();
    return is_sound;
  });
  const auto head = items.head();
  return out + (is_sound && head ? *head : "!");
}

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t whole = size == 0 ? 1 : size;
  const std::string lines = events_of<api::Lines>(text, whole);
  const std::string frames = events_of<api::Frames>(text, whole);
  const std::string items = items_of(text, whole);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    check(events_of<api::Lines>(text, piece) == lines);
    check(events_of<api::Frames>(text, piece) == frames);
    check(items_of(text, piece) == items);
  }

  if (const auto event = api::event_in_protobuf(text)) {
    check(!api::to_json(event->object).empty());
  }

  api::Response response;
  response.status = 410;
  response.body = text;
  check(api::error_from(response, api::Method::Get).message.size() < 4096);
  api::take_header(response, text);
  if (const auto value = parse_json(text, {.bytes = 1 << 20, .depth = 32, .values = 10'000})) {
    check(api::error_from(api::status_from(*value)).message.size() < 4096);
    const std::string written = api::to_json(*value);
    const auto again = parse_json(written);
    check(again.has_value() && api::to_json(*again) == written);
  }
  return 0;
}
