#include "rescheduler/moving/owner_rests.h"

#include <algorithm>
#include <utility>

#include "api/codec/field.h"
#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "base/document.h"

namespace elbowroom::rescheduler {
namespace {

using api::json_list;
using api::json_map;
using api::json_number;
using api::json_text;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::int64_t kMostVain = 100;
// A ConfigMap holds at most 1 MiB.
constexpr DocumentLimits kLimits{.bytes = std::size_t{1} << 20, .depth = 8, .values = 50'000};

std::string time_text(policy::Time time) { return api::format_timestamp(floor<seconds>(time)); }

Result<policy::Time> needed_time(const api::Field& of, std::string_view key) {
  ASSIGN_OR_RETURN(const auto time, of.time(key));
  if (!time) return of.refuse(key, "is missing");
  return *time;
}

}  // namespace

Result<void> OwnerRests::restore(std::string_view text) {
  *this = OwnerRests();
  ASSIGN_OR_RETURN(const Value document, parse_json(text, kLimits));
  const api::Field root(document);
  OwnerRests read;
  ASSIGN_OR_RETURN(read.all_until_, root.time("allUntil"));
  ASSIGN_OR_RETURN(const api::Field owners, root.get("owners"));
  ASSIGN_OR_RETURN(const std::size_t count, owners.size());
  for (std::size_t i = 0; i < std::min(count, kMostOwners); ++i) {
    const api::Field item = owners.item(i);
    ASSIGN_OR_RETURN(const std::string uid, item.text("uid"));
    if (uid.empty()) return item.refuse("uid", "is missing");
    OwnerRest& rest = read.owners_[uid];
    ASSIGN_OR_RETURN(rest.name, item.text("name"));
    ASSIGN_OR_RETURN(rest.until, needed_time(item, "until"));
    ASSIGN_OR_RETURN(const auto vain, item.integer("vain", 0, kMostVain));
    rest.vain = vain.value_or(0);
  }
  ASSIGN_OR_RETURN(const api::Field moves, root.get("moves"));
  ASSIGN_OR_RETURN(const std::size_t made, moves.size());
  for (std::size_t i = 0; i < std::min(made, kMostMoves); ++i) {
    const api::Field item = moves.item(i);
    MadeMove move;
    ASSIGN_OR_RETURN(move.time, needed_time(item, "time"));
    ASSIGN_OR_RETURN(move.node, item.text("node"));
    read.moves_.push_back(std::move(move));
  }
  std::ranges::stable_sort(read.moves_, {}, &MadeMove::time);
  *this = std::move(read);
  return {};
}

std::string OwnerRests::text() const {
  std::vector<Value> owners;
  for (const auto& [uid, rest] : owners_) {
    owners.push_back(json_map({{"uid", json_text(uid)},
                               {"name", json_text(rest.name)},
                               {"until", json_text(time_text(rest.until))},
                               {"vain", json_number(rest.vain)}}));
  }
  std::vector<Value> moves;
  for (const MadeMove& each : moves_) {
    moves.push_back(
        json_map({{"time", json_text(time_text(each.time))}, {"node", json_text(each.node)}}));
  }
  Value root =
      json_map({{"owners", json_list(std::move(owners))}, {"moves", json_list(std::move(moves))}});
  if (all_until_) api::set_member(root, "allUntil", json_text(time_text(*all_until_)));
  return api::to_json(root);
}

void OwnerRests::forget(policy::Time all_until) {
  *this = OwnerRests();
  all_until_ = floor<seconds>(all_until);
}

// Of an owner that rests no more it is remembered for a day how often its moves were in vain.
void OwnerRests::advance(policy::Time now) {
  std::erase_if(owners_, [&](const auto& each) {
    const OwnerRest& rest = each.second;
    return rest.until + (rest.vain > 0 ? kLongestRest : hours(0)) <= now;
  });
  std::erase_if(moves_, [&](const MadeMove& each) { return each.time + hours(1) <= now; });
  if (all_until_ && *all_until_ <= now) all_until_.reset();
}

void OwnerRests::begin(const std::string& owner, std::string name, Seconds cool_down,
                       policy::Time now) {
  OwnerRest& rest = owners_[owner];
  rest.name = std::move(name);
  rest.until = floor<seconds>(now + kLongestMove + cool_down);
}

void OwnerRests::moved(const std::string& node, policy::Time now) {
  moves_.push_back({.time = floor<seconds>(now), .node = node});
  if (moves_.size() > kMostMoves) moves_.erase(moves_.begin());
}

void OwnerRests::end(const std::string& owner, bool was_vain, Seconds cool_down, policy::Time now) {
  OwnerRest& rest = owners_[owner];
  rest.vain = was_vain ? std::min(rest.vain + 1, kMostVain) : 0;
  Seconds lasts = cool_down;
  for (std::int64_t i = 0; i < rest.vain && lasts < kLongestRest; ++i) lasts *= 2;
  rest.until = floor<seconds>(now + std::min<Seconds>(lasts, kLongestRest));
}

void OwnerRests::drop(const std::string& owner, policy::Time now) {
  const auto at = owners_.find(owner);
  if (at == owners_.end()) return;
  if (at->second.vain == 0) {
    owners_.erase(at);
  } else {
    at->second.until = floor<seconds>(now);
  }
}

std::map<std::string, std::string> OwnerRests::resting(policy::Time now) const {
  std::map<std::string, std::string> all;
  for (const auto& [uid, rest] : owners_) {
    if (rest.until <= now) continue;
    std::string why = rest.name + " rests until " + time_text(rest.until) + " after a move";
    if (rest.vain > 0) {
      why +=
          ", longer as " + std::to_string(rest.vain) + " of its moves in a row gained too little";
    }
    all.emplace(uid, std::move(why));
  }
  return all;
}

std::optional<policy::Time> OwnerRests::rests_until(const std::string& owner,
                                                    policy::Time now) const {
  std::optional<policy::Time> until = all_rest_until(now);
  const auto at = owners_.find(owner);
  if (at != owners_.end() && at->second.until > now) {
    until = std::max(until.value_or(at->second.until), at->second.until);
  }
  return until;
}

std::optional<policy::Time> OwnerRests::all_rest_until(policy::Time now) const {
  if (!all_until_ || *all_until_ <= now) return std::nullopt;
  return all_until_;
}

std::int64_t OwnerRests::moves_in_hour(policy::Time now) const {
  return std::ranges::count_if(moves_,
                               [&](const MadeMove& each) { return each.time + hours(1) > now; });
}

std::map<std::string, std::int64_t> OwnerRests::moves_off(policy::Time now) const {
  std::map<std::string, std::int64_t> all;
  for (const MadeMove& each : moves_) {
    if (each.time + hours(1) > now) ++all[each.node];
  }
  return all;
}

}  // namespace elbowroom::rescheduler
