// What the owner of a Deferred resize is told of a turn. The one thing to know: the times are not
// part of the words, so the same news with another time is no news.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/time.h"
#include "scheduler/cure.h"

namespace elbowroom::scheduler {

struct OwnerNote {
  std::string words{};  // "": nothing is told
  bool warning = true;
  std::string_view joint = ", until ";
  std::optional<policy::Time> time{};

  friend bool operator==(const OwnerNote&, const OwnerNote&) = default;
};

// Of a turn that came out so, for that reason; `victims` in words where pods go.
[[nodiscard]] OwnerNote note_of(TurnResult result, std::string_view why, std::string_view victims);

// "Removing default/a makes room for the resize, expected by 2026-05-28T20:27:10Z".
[[nodiscard]] std::string in_full(const OwnerNote& note);

}  // namespace elbowroom::scheduler
