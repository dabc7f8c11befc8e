#include "policy/moves/node_load.h"

#include <algorithm>

#include "policy/model/wide_sum.h"

namespace elbowroom::policy {
namespace {

using Wide = __int128;

constexpr int kMostBits = 59;  // so that a hundred times a product of two amounts is within Wide

// Both amounts of a share, shifted alike where they are astronomic.
int shift_of(std::int64_t one, std::int64_t other) {
  int shift = 0;
  while ((std::max(one, other) >> shift) >= (std::int64_t{1} << kMostBits)) ++shift;
  return shift;
}

std::int64_t floored(Wide over, Wide under) {
  Wide whole = over / under;
  if (over % under != 0 && (over < 0) != (under < 0)) --whole;
  return static_cast<std::int64_t>(whole);
}

}  // namespace

bool NodeLoad::is_less(const Share& one, const Share& other) {
  return Wide(one.used) * std::max<std::int64_t>(other.of, 1) <
         Wide(other.used) * std::max<std::int64_t>(one.of, 1);
}

NodeLoad NodeLoad::with(const Resources& charge) const {
  const auto sum = [](std::int64_t one, std::int64_t other) {
    return one > kMaxAmount - other ? kMaxAmount : one + other;
  };
  NodeLoad more = *this;
  more.cpu_.used = sum(cpu_.used, charge.cpu.value);
  more.memory_.used = sum(memory_.used, charge.memory.value);
  return more;
}

bool NodeLoad::is_underutilized(std::int64_t threshold) const {
  const auto is_low = [&](const Share& each) {
    return each.of > 0 && Wide(each.used) * 100 < Wide(each.of) * threshold;
  };
  return is_low(cpu_) && is_low(memory_);
}

bool NodeLoad::is_crowded(std::int64_t target) const {
  const auto is_high = [&](const Share& each) {
    return Wide(each.used) * 100 > Wide(each.of) * target;
  };
  return cpu_.of > 0 && memory_.of > 0 && (is_high(cpu_) || is_high(memory_));
}

std::int64_t NodeLoad::percent_above(const NodeLoad& other) const {
  const Share& mine = larger();
  const Share& theirs = other.larger();
  const int shift = shift_of(mine.used, mine.of);
  const int their_shift = shift_of(theirs.used, theirs.of);
  const Wide used = mine.used >> shift;
  const Wide of = std::max<std::int64_t>(mine.of >> shift, 1);
  const Wide their_used = theirs.used >> their_shift;
  const Wide their_of = std::max<std::int64_t>(theirs.of >> their_shift, 1);
  return floored(100 * (used * their_of - their_used * of), of * their_of);
}

bool NodeLoad::is_fuller_than(const NodeLoad& other) const {
  return is_less(other.larger(), larger());
}

}  // namespace elbowroom::policy
