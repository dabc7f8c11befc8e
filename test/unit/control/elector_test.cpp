#include "control/elector.h"

#include <gtest/gtest.h>

namespace elbowroom::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr policy::Time kNoon{seconds(1'780'000'000)};

Elector elector(const std::string& identity) { return Elector({.identity = identity}); }

// What the API server answers to a write that it takes.
api::Lease stored(api::Lease lease, int version) {
  lease.uid = "u";
  lease.resource_version = std::to_string(version);
  return lease;
}

api::Lease held_by(const std::string& holder, int version = 1) {
  return {.uid = "u",
          .resource_version = std::to_string(version),
          .holder = holder,
          .duration_seconds = 15};
}

TEST(Elector, TakesALeaseThatIsNotThere) {
  Elector one = elector("one");
  EXPECT_FALSE(one.step(seconds(0), kNoon)) << "nothing is known yet";
  one.saw(std::nullopt, seconds(1));
  const auto lease = one.step(seconds(1), kNoon);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->holder, "one");
  EXPECT_EQ(lease->transitions, 0);
  EXPECT_EQ(lease->acquired, kNoon);
  EXPECT_FALSE(one.leads(seconds(1)));
  one.written(stored(*lease, 1));
  EXPECT_TRUE(one.leads(seconds(1)));
}

TEST(Elector, TheFenceCountsFromBeforeTheWrite) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(1));
  const auto lease = one.step(seconds(1), kNoon);
  one.written(stored(*lease, 1));  // whenever that was
  EXPECT_EQ(one.fence(), seconds(11));
  EXPECT_TRUE(one.leads(milliseconds(10'999)));
  EXPECT_FALSE(one.leads(seconds(11)));
}

TEST(Elector, RenewsEveryTwoSecondsAndKeepsItsTerm) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  one.written(stored(*one.step(seconds(0), kNoon), 1));
  EXPECT_FALSE(one.step(milliseconds(1'999), kNoon));
  EXPECT_EQ(one.next(seconds(1)), seconds(2));
  const auto renewal = one.step(seconds(2), kNoon + seconds(2));
  ASSERT_TRUE(renewal);
  EXPECT_EQ(renewal->acquired, kNoon);
  EXPECT_EQ(renewal->renewed, kNoon + seconds(2));
  EXPECT_EQ(renewal->resource_version, "1");
  EXPECT_EQ(renewal->transitions, 0);
  EXPECT_FALSE(one.step(seconds(5), kNoon)) << "one write at a time";
}

TEST(Elector, WaitsForAnotherHoldersLeaseOnItsOwnClock) {
  Elector two = elector("two");
  api::Lease lease = held_by("one");
  lease.renewed = kNoon - std::chrono::hours(5);  // whatever it says
  two.saw(lease, seconds(100));
  EXPECT_FALSE(two.step(milliseconds(114'999), kNoon));
  EXPECT_EQ(two.next(seconds(100)), seconds(115));
  two.saw(held_by("one", 2), seconds(110));
  EXPECT_FALSE(two.step(seconds(115), kNoon));
  const auto taken = two.step(seconds(125), kNoon);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->transitions, 1);
  EXPECT_EQ(taken->resource_version, "2");
}

TEST(Elector, ALeaseGivenBackIsTakenAtOnce) {
  Elector two = elector("two");
  two.saw(held_by("one"), seconds(100));
  two.saw(held_by("", 2), seconds(101));
  EXPECT_TRUE(two.step(seconds(101), kNoon));
}

TEST(Elector, AShortDurationInTheLeaseIsNotBelieved) {
  Elector two = elector("two");
  api::Lease lease = held_by("one");
  lease.duration_seconds = 1;
  two.saw(lease, seconds(0));
  EXPECT_FALSE(two.step(seconds(14), kNoon));
  EXPECT_TRUE(two.step(seconds(15), kNoon));
}

TEST(Elector, StopsAtTheFenceWhenRenewalsFail) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  one.written(stored(*one.step(seconds(0), kNoon), 1));
  milliseconds now = seconds(2);
  while (now < seconds(10)) {
    if (one.step(now, kNoon)) one.failed(false, now);
    EXPECT_TRUE(one.leads(now));
    now = *one.next(now);
    if (now <= seconds(2)) break;
  }
  EXPECT_FALSE(one.leads(seconds(10)));
}

TEST(Elector, AnotherHolderEndsItAtOnce) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  one.written(stored(*one.step(seconds(0), kNoon), 1));
  one.saw(held_by("two", 2), seconds(1));
  EXPECT_FALSE(one.leads(seconds(1)));
  EXPECT_FALSE(one.step(seconds(3), kNoon));
}

TEST(Elector, GivesItBackOnceAndLeadsNoMore) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  one.written(stored(*one.step(seconds(0), kNoon), 1));
  const auto back = one.release(seconds(1), kNoon);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->holder, "");
  EXPECT_EQ(back->duration_seconds, 1);
  EXPECT_FALSE(one.leads(seconds(1)));
  EXPECT_TRUE(one.is_writing());
  one.written(stored(*back, 2));
  EXPECT_FALSE(one.is_writing());
  EXPECT_FALSE(one.step(seconds(60), kNoon));
  EXPECT_FALSE(one.leads(seconds(2)));
}

// Giving the Lease back while a renewal was in flight would be refused: it has an older version.
TEST(Elector, WaitsForARenewalBeforeItGivesTheLeaseBack) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  one.written(stored(*one.step(seconds(0), kNoon), 1));
  const auto renewal = one.step(seconds(2), kNoon);
  ASSERT_TRUE(renewal);
  EXPECT_FALSE(one.release(seconds(2), kNoon));
  EXPECT_FALSE(one.leads(seconds(2)));
  EXPECT_FALSE(one.is_released(seconds(2)));
  one.written(stored(*renewal, 2));
  EXPECT_FALSE(one.leads(seconds(2)));
  EXPECT_FALSE(one.is_released(seconds(2)));
  const auto back = one.step(seconds(2), kNoon);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->resource_version, "2");
  EXPECT_EQ(back->holder, "");
  one.written(stored(*back, 3));
  EXPECT_TRUE(one.is_released(seconds(2)));
}

// It had begun to lead when stop() was called, and its answer was in flight.
TEST(Elector, GivesBackWhatItHasJustTaken) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  const auto taken = one.step(seconds(0), kNoon);
  EXPECT_FALSE(one.release(seconds(0), kNoon));
  one.written(stored(*taken, 1));
  EXPECT_FALSE(one.leads(seconds(0)));
  EXPECT_TRUE(one.step(seconds(0), kNoon));
}

TEST(Elector, GivesBackTheVersionThatTheWatchShowsAfterAConflict) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  one.written(stored(*one.step(seconds(0), kNoon), 1));
  ASSERT_TRUE(one.release(seconds(1), kNoon));
  one.failed(true, seconds(1));
  EXPECT_FALSE(one.step(seconds(1), kNoon)) << "the same version again";
  EXPECT_FALSE(one.is_released(seconds(1)));
  one.saw(held_by("one", 2), seconds(1));
  const auto back = one.step(seconds(1), kNoon);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->resource_version, "2");
}

TEST(Elector, DoesNotInsistWhereTheLeaseCannotBeGivenBack) {
  Elector one = elector("one");
  one.saw(std::nullopt, seconds(0));
  one.written(stored(*one.step(seconds(0), kNoon), 1));
  ASSERT_TRUE(one.release(seconds(1), kNoon));
  one.failed(false, seconds(2));
  EXPECT_FALSE(one.step(seconds(2), kNoon));
  EXPECT_TRUE(one.is_released(seconds(2)));
}

TEST(Elector, WhoeverFollowsHasNothingToGiveBack) {
  Elector two = elector("two");
  two.saw(held_by("one"), seconds(0));
  EXPECT_FALSE(two.release(seconds(1), kNoon));
  EXPECT_FALSE(two.is_writing());
  EXPECT_TRUE(two.is_released(seconds(1)));
}

}  // namespace
}  // namespace elbowroom::control
