#include "scheduler/breaker/circuit_breaker_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace elbowroom::scheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr policy::Time kNoon{seconds(1'780'000'000)};

// A keeper, and a server beside it that stores what it writes.
class Kept {
 public:
  Kept() { keeper.begin(); }

  // Everything it asks for at that time is answered.
  void settle(milliseconds now = milliseconds(0)) {
    while (const auto asked = keeper.step(now, kNoon + now)) answer(*asked, now);
  }
  void answer(const CircuitBreakerStore::Asked& asked, milliseconds now = milliseconds(0)) {
    const auto* write = std::get_if<WriteBreaker>(&asked);
    if (write == nullptr) return keeper.read(stored, may_be_missing, kNoon + now);
    ++writes;
    stored = write->stored;
    stored->resource_version = std::to_string(writes);
    keeper.written(stored);
  }
  CircuitBreakerStore::Number add(const std::string& preemptor, const std::string& victim,
                                  milliseconds now = milliseconds(0)) {
    return keeper.add(preemptor, "node-1", std::vector<std::string>{victim}, kNoon + now);
  }
  CircuitBreakerRecord read() const {
    return parse_record(stored->text).value_or(CircuitBreakerRecord{});
  }

  CircuitBreakerStore keeper{minutes(10)};
  std::optional<StoredBreaker> stored{};
  bool may_be_missing = true;
  int writes = 0;
};

TEST(CircuitBreakerStore, ReadsFirstAndMakesWhatIsMissing) {
  Kept kept;
  EXPECT_FALSE(kept.keeper.has_looked());
  const auto asked = kept.keeper.step(milliseconds(0), kNoon);
  ASSERT_TRUE(asked && std::holds_alternative<ReadBreaker>(*asked));
  EXPECT_FALSE(kept.keeper.step(milliseconds(0), kNoon)) << "one at a time";
  kept.answer(*asked);
  EXPECT_TRUE(kept.keeper.has_looked());
  kept.settle();
  EXPECT_EQ(kept.writes, 1);
  EXPECT_EQ(kept.read(), CircuitBreakerRecord{});
  EXPECT_FALSE(kept.keeper.next());
}

TEST(CircuitBreakerStore, ASetIsKeptOnceItIsWritten) {
  Kept kept;
  kept.settle();
  const auto set = kept.add("u", "a");
  EXPECT_FALSE(kept.keeper.is_kept(set));
  EXPECT_TRUE(kept.keeper.is_kept(0));
  kept.settle();
  EXPECT_TRUE(kept.keeper.is_kept(set));
  ASSERT_EQ(kept.read().sets.size(), 1U);
  EXPECT_EQ(kept.read().sets[0].preemptor, short_name("u"));
  EXPECT_EQ(kept.read().sets[0].victims, std::vector{short_name("a")});
}

TEST(CircuitBreakerStore, ManySetsShareAWrite) {
  Kept kept;
  kept.settle();
  kept.writes = 0;
  milliseconds now{0};
  std::vector<CircuitBreakerStore::Number> sets;
  for (; now < seconds(1); now += milliseconds(1)) {
    const std::string name = std::to_string(now.count());
    sets.push_back(kept.add("u" + name, "v" + name, now));
    kept.settle(now);
  }
  kept.settle(now + milliseconds(10));
  EXPECT_TRUE(kept.keeper.is_kept(sets.back()));
  EXPECT_LE(kept.writes, 222);
  EXPECT_EQ(kept.read().sets.size(), 1000U);
}

TEST(CircuitBreakerStore, WhatComesWhileAWriteIsOnItsWayIsNotKeptByIt) {
  Kept kept;
  kept.settle();
  const auto first = kept.add("u", "a");
  const auto asked = kept.keeper.step(milliseconds(0), kNoon);
  ASSERT_TRUE(asked);
  const auto second = kept.add("v", "b");
  kept.answer(*asked);
  EXPECT_TRUE(kept.keeper.is_kept(first));
  EXPECT_FALSE(kept.keeper.is_kept(second));
  kept.settle();
  EXPECT_TRUE(kept.keeper.is_kept(second));
}

TEST(CircuitBreakerStore, ASuccessorHasWhatWasKept) {
  Kept kept;
  kept.settle();
  kept.add("u", "a");
  kept.settle();
  CircuitBreakerStore successor{minutes(10)};
  successor.begin();
  ASSERT_TRUE(successor.step(milliseconds(0), kNoon));
  successor.read(kept.stored, false, kNoon);
  EXPECT_EQ(successor.record(), kept.read());
  EXPECT_FALSE(successor.next()) << "there is nothing to write";
}

// A writer that deletes the record, or writes something else, does not make it look as if no pod
// was removed.
TEST(CircuitBreakerStore, WhatCannotBeReadIsUnknown) {
  for (const bool is_there : {true, false}) {
    Kept kept;
    kept.may_be_missing = false;
    if (is_there) kept.stored = StoredBreaker{.resource_version = "7", .text = "odd"};
    kept.settle();
    EXPECT_EQ(kept.keeper.record().whole_since, kNoon);
    EXPECT_EQ(kept.read().whole_since, kNoon) << "the next one learns it too";
  }
}

TEST(CircuitBreakerStore, TakesBackWhoDoesNotGo) {
  Kept kept;
  kept.settle();
  const auto none = kept.add("u", "a");
  const std::vector<std::string> two = {"b", "c"};
  kept.keeper.add("v", "node-1", two, kNoon);
  kept.settle();
  kept.keeper.take_back(none);
  kept.keeper.take_back("node-1", "b");
  kept.keeper.take_back("node-2", "c");
  kept.settle();
  ASSERT_EQ(kept.read().sets.size(), 1U);
  EXPECT_EQ(kept.read().sets[0].victims, std::vector{short_name("c")});
}

TEST(CircuitBreakerStore, ASetThatGoesLateCountsFromThen) {
  Kept kept;
  kept.settle();
  const auto set = kept.add("u", "a");
  kept.settle();
  kept.keeper.goes(set, kNoon + seconds(7));
  kept.settle(seconds(7));
  EXPECT_EQ(kept.read().sets[0].at, kNoon + seconds(7));
}

// Another replica has written in between: both count.
TEST(CircuitBreakerStore, AfterAConflictItReadsAndWritesAgain) {
  Kept kept;
  kept.settle();
  const auto set = kept.add("u", "a");
  ASSERT_TRUE(kept.keeper.step(milliseconds(0), kNoon));
  kept.keeper.failed({Code::Conflict, "changed", {}}, milliseconds(0));
  EXPECT_EQ(kept.keeper.trouble(), "");
  kept.stored = StoredBreaker{.resource_version = "9",
                              .text = record_text({.sets = {{.at = kNoon,
                                                             .preemptor = short_name("v"),
                                                             .node = short_name("node-1"),
                                                             .victims = {short_name("b")}}}})};
  kept.settle();
  EXPECT_TRUE(kept.keeper.is_kept(set));
  EXPECT_EQ(kept.read().sets.size(), 2U);
}

TEST(CircuitBreakerStore, TellsWhatKeepsItFromWritingAndTriesAgain) {
  Kept kept;
  kept.settle();
  const auto set = kept.add("u", "a");
  ASSERT_TRUE(kept.keeper.step(milliseconds(0), kNoon));
  kept.keeper.failed({Code::Denied, "no right to update leases", {}}, milliseconds(0));
  EXPECT_EQ(kept.keeper.trouble(), "no right to update leases");
  EXPECT_FALSE(kept.keeper.step(milliseconds(1), kNoon));
  ASSERT_TRUE(kept.keeper.next());
  const milliseconds next = *kept.keeper.next();
  EXPECT_LE(next, seconds(1));
  kept.settle(next);
  EXPECT_TRUE(kept.keeper.is_kept(set));
  EXPECT_EQ(kept.keeper.trouble(), "");
}

TEST(CircuitBreakerStore, ForgetsWhatIsOlderThanTheWindow) {
  Kept kept;
  kept.settle();
  kept.add("u", "a");
  kept.settle();
  kept.add("v", "b", minutes(10));
  kept.settle(minutes(10));
  ASSERT_EQ(kept.read().sets.size(), 1U);
  EXPECT_EQ(kept.read().sets[0].preemptor, short_name("v"));
}

// Of an earlier leadership: it was never removed.
TEST(CircuitBreakerStore, WhatWasNeverKeptIsForgottenAtTheNextBeginning) {
  Kept kept;
  kept.settle();
  kept.add("u", "a");
  kept.keeper.begin();
  kept.settle();
  EXPECT_EQ(kept.keeper.record(), CircuitBreakerRecord{});
}

}  // namespace
}  // namespace elbowroom::scheduler
