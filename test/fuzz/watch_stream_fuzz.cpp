// What a server may send on a list or a watch. Properties: no crash, and however the bytes are cut
// into pieces, the same lines and the same items come out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/json.h"
#include "api/lines.h"
#include "api/list_items.h"
#include "api/status_error.h"
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

std::string lines_of(std::string_view bytes, std::size_t piece) {
  api::Lines lines(kMaxLine);
  std::string out;
  in_pieces(bytes, piece, [&](std::string_view part) {
    const auto fed = lines.feed(part, [&](std::string_view line) {
      out += std::string(line) + "\n";
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
  const std::string lines = lines_of(text, whole);
  const std::string items = items_of(text, whole);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    check(lines_of(text, piece) == lines);
    check(items_of(text, piece) == items);
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
