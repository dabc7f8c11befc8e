#include "cli/follow.h"

#include <algorithm>
#include <string>

#include "base/document_text.h"

namespace elbowroom::cli {
namespace {

// The document without the moment that it was made at.
std::string timeless(const Value& document) {
  Value copy = document;
  std::erase_if(copy.members, [](const Member& each) { return each.key == "time"; });
  for (Member& each : copy.members) {
    if (each.key != "items") continue;
    for (Value& item : each.value.items) {
      std::erase_if(item.members, [](const Member& of) { return of.key == "time"; });
    }
  }
  return to_json_line(copy);
}

}  // namespace

Error follow(const Following& with) {
  std::string told;
  bool is_away = false;
  for (;; with.pause()) {
    const Result<Value> document = with.look();
    if (!document) {
      if (document.error().code != Code::Unavailable) return document.error();
      if (!is_away) with.trouble(document.error());
      is_away = true;
      continue;
    }
    is_away = false;
    std::string now = timeless(*document);
    if (now == told) continue;
    told = std::move(now);
    with.tell(*document);
  }
}

std::chrono::steady_clock::duration pause_after(std::chrono::steady_clock::duration look) {
  constexpr std::chrono::steady_clock::duration kLeast = std::chrono::seconds(2);
  return std::max(kLeast, 9 * look);
}

}  // namespace elbowroom::cli
