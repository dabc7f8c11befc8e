#include "cluster/debit_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "policy/preemption/budget_charge.h"
#include "test/pods.h"

namespace elbowroom::cluster {
namespace {

using policy::DisruptionBudget;
using policy::Ledger;
using policy::LedgerEntry;
using policy::Pod;
using policy::Time;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

using Result = DebitQueue::Result;

constexpr Time kNoon{hours{500'000}};

Pod replica(const std::string& name) {
  Pod pod = test::running_pod(name, 100);
  pod.labels["app"] = "x";
  pod.conditions.push_back({.type = std::string(policy::kReady), .status = "True"});
  return pod;
}

DisruptionBudget hard_budget(std::int64_t min_available) {
  DisruptionBudget budget;
  budget.ns = "default";
  budget.name = "db";
  budget.uid = "uid-db";
  budget.version = "1";
  budget.hard = true;
  budget.selector = policy::LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
  budget.min_available = policy::IntOrPercent{min_available};
  return budget;
}

// The API server, and a watch that shows what it is told to show.
class Server {
 public:
  explicit Server(DisruptionBudget budget) : now_(std::move(budget)), shown_(now_) {}

  DisruptionBudget& budget() { return now_; }
  void show() { shown_ = now_; }
  void show_none() { shown_.reset(); }
  std::vector<Pod> pods{};
  Time time = kNoon;

  // Another program's write, or this one's.
  std::optional<Error> write(const std::string& version, Ledger ledger) {
    if (version != now_.version) return Error{Code::Conflict, "the budget was written since", {}};
    now_.recent = std::move(ledger);
    now_.version = std::to_string(std::stoi(now_.version) + 1);
    return std::nullopt;
  }
  LedgerSight sight() {
    return {
        .budget = [this](const BudgetName& name) -> const DisruptionBudget* {
          return shown_ && name_of(*shown_) == name ? &*shown_ : nullptr;
        },
        .strength = [this](const DisruptionBudget& of) { return policy::strength_of(of, pods); },
        .pods = [this](const DisruptionBudget&, const Ledger&) { return pods; },
        .now = time};
  }

 private:
  DisruptionBudget now_;
  std::optional<DisruptionBudget> shown_;
};

// Sends what the queue has to send until it has nothing left.
void perform(DebitQueue& queue, Server& server) {
  for (int i = 0; i < 100; ++i) {
    const auto tasks = queue.take_tasks(server.sight());
    if (tasks.empty()) return;
    for (const DebitQueue::Task& task : tasks) {
      if (std::holds_alternative<DebitQueue::Read>(task)) {
        queue.read(server.budget());
        continue;
      }
      const auto& write = std::get<DebitQueue::Write>(task);
      if (const auto error = server.write(write.version, write.ledger)) {
        queue.failed(write.budget, *error);
      } else {
        queue.written(server.budget());
      }
    }
  }
  FAIL() << "it goes on for ever";
}

std::vector<Result> results(const std::vector<DebitQueue::Verdict>& verdicts) {
  std::vector<Result> all;
  for (const auto& each : verdicts) all.push_back(each.result);
  return all;
}

class DebitQueueTest : public testing::Test {
 protected:
  DebitQueueTest() {
    for (const char* name : {"a", "b", "c", "d"}) server.pods.push_back(replica(name));
  }
  Server server{hard_budget(2)};
  DebitQueue queue{"one"};
};

TEST_F(DebitQueueTest, OneWriteEntersAllThatWaits) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  queue.debit(name_of(server.budget()), 2, {server.pods[1]});
  const auto tasks = queue.take_tasks(server.sight());
  ASSERT_THAT(tasks, SizeIs(1));
  const auto write = std::get<DebitQueue::Write>(tasks[0]);
  EXPECT_EQ(write.version, "1");
  EXPECT_THAT(write.ledger, ElementsAre(LedgerEntry{"a", "uid-a", kNoon, "one"},
                                        LedgerEntry{"b", "uid-b", kNoon, "one"}));
  EXPECT_THAT(queue.take_tasks(server.sight()), IsEmpty()) << "one at a time";
  EXPECT_THAT(queue.take_verdicts(), IsEmpty());
  ASSERT_FALSE(server.write(write.version, write.ledger));
  queue.written(server.budget());
  EXPECT_THAT(results(queue.take_verdicts()), ElementsAre(Result::Entered, Result::Entered));
  EXPECT_EQ(queue.counts(true).debits, 2U);
}

TEST_F(DebitQueueTest, AHardBudgetRefusesWhatIsTooMuchBesideTheOthers) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  queue.debit(name_of(server.budget()), 2, {server.pods[1], server.pods[2]});
  queue.debit(name_of(server.budget()), 3, {server.pods[3]});
  perform(queue, server);
  const auto verdicts = queue.take_verdicts();
  ASSERT_THAT(verdicts, SizeIs(3));
  EXPECT_EQ(verdicts[0].removal, 2U);
  EXPECT_EQ(verdicts[0].result, Result::Refused);
  EXPECT_EQ(verdicts[0].allowed, 1);
  EXPECT_EQ(verdicts[1].removal, 1U);
  EXPECT_EQ(verdicts[2].removal, 3U);
  EXPECT_THAT(server.budget().recent, SizeIs(2));
}

TEST_F(DebitQueueTest, ASoftBudgetIsNotAsked) {
  server.budget().hard = false;
  server.show();
  queue.debit(name_of(server.budget()), 1, server.pods);
  perform(queue, server);
  EXPECT_THAT(results(queue.take_verdicts()), ElementsAre(Result::Entered));
  EXPECT_THAT(server.budget().recent, SizeIs(4));
}

TEST_F(DebitQueueTest, WhereAllAreWallsASoftBudgetIsAsked) {
  server.budget().hard = false;
  server.show();
  DebitQueue careful{"one", DebitQueue::Walls::All};
  careful.debit(name_of(server.budget()), 1, server.pods);
  perform(careful, server);
  EXPECT_THAT(results(careful.take_verdicts()), ElementsAre(Result::Refused));
  EXPECT_THAT(server.budget().recent, IsEmpty());
  careful.debit({"default", "unknown", "uid-unknown"}, 2, server.pods);
  perform(careful, server);
  EXPECT_THAT(results(careful.take_verdicts()), ElementsAre(Result::Failed));
}

TEST_F(DebitQueueTest, ByUpstreamsRulesAHardBudgetIsNotAsked) {
  DebitQueue upstream{"one", DebitQueue::walls_by(policy::RuleSet::Upstream)};
  upstream.debit(name_of(server.budget()), 1, server.pods);
  perform(upstream, server);
  EXPECT_THAT(results(upstream.take_verdicts()), ElementsAre(Result::Entered));
  EXPECT_THAT(server.budget().recent, SizeIs(4));
  upstream.debit({"default", "unknown", "uid-unknown"}, 2, server.pods);
  perform(upstream, server);
  EXPECT_THAT(results(upstream.take_verdicts()), ElementsAre(Result::Passed));
}

// The watch does not show our own write yet.
TEST_F(DebitQueueTest, WhatWasWrittenCountsBeforeTheWatchShowsIt) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  perform(queue, server);
  queue.debit(name_of(server.budget()), 2, {server.pods[1]});
  const auto tasks = queue.take_tasks(server.sight());
  ASSERT_THAT(tasks, SizeIs(1));
  EXPECT_EQ(std::get<DebitQueue::Write>(tasks[0]).version, "2");
  EXPECT_THAT(std::get<DebitQueue::Write>(tasks[0]).ledger, SizeIs(2));
}

TEST_F(DebitQueueTest, AConflictReadsAndDecidesAgain) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  // Another program has taken what was allowed.
  ASSERT_FALSE(server.write("1", {{"c", "uid-c", kNoon, "two"}, {"d", "uid-d", kNoon, "two"}}));
  perform(queue, server);
  const auto verdicts = queue.take_verdicts();
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_EQ(verdicts[0].result, Result::Refused);
  EXPECT_EQ(verdicts[0].allowed, 0);
  EXPECT_THAT(server.budget().recent, SizeIs(2));
  EXPECT_EQ(queue.counts(true).conflicts, 1U);
}

TEST_F(DebitQueueTest, AServerThatKeepsAnsweringConflictIsGivenUp) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  int writes = 0;
  for (auto tasks = queue.take_tasks(server.sight()); !tasks.empty();
       tasks = queue.take_tasks(server.sight())) {
    if (std::holds_alternative<DebitQueue::Read>(tasks[0])) {
      queue.read(server.budget());
    } else {
      ++writes;
      queue.failed(name_of(server.budget()), Error{Code::Conflict, "again", {}});
    }
    ASSERT_LT(writes, 50);
  }
  EXPECT_EQ(writes, DebitQueue::kMostAttempts);
  EXPECT_THAT(results(queue.take_verdicts()), ElementsAre(Result::Failed));
}

TEST_F(DebitQueueTest, ARefusedWriteStopsAHardBudgetAndPassesASoftOne) {
  for (const bool hard : {true, false}) {
    server.budget().hard = hard;
    server.show();
    queue.debit(name_of(server.budget()), 1, {server.pods[0]});
    ASSERT_THAT(queue.take_tasks(server.sight()), SizeIs(1));
    queue.failed(name_of(server.budget()), Error{Code::Denied, "no right", {}});
    EXPECT_THAT(queue.take_tasks(server.sight()), IsEmpty());
    EXPECT_THAT(results(queue.take_verdicts()),
                ElementsAre(hard ? Result::Failed : Result::Passed));
  }
}

TEST_F(DebitQueueTest, ALostAnswerIsNoSecondDebit) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  const auto tasks = queue.take_tasks(server.sight());
  const auto& write = std::get<DebitQueue::Write>(tasks.at(0));
  ASSERT_FALSE(server.write(write.version, write.ledger));
  queue.failed(write.budget, Error{Code::Unavailable, "the connection broke", {}});
  perform(queue, server);
  EXPECT_THAT(results(queue.take_verdicts()), ElementsAre(Result::Entered));
  EXPECT_THAT(server.budget().recent, SizeIs(1));
  EXPECT_EQ(server.budget().version, "3") << "that the entry is there is proved by a write";
}

TEST_F(DebitQueueTest, WhatWasEnteredIsTakenBack) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  queue.debit(name_of(server.budget()), 2, {server.pods[1]});
  perform(queue, server);
  queue.take_back(1);
  perform(queue, server);
  EXPECT_THAT(server.budget().recent, ElementsAre(Field(&LedgerEntry::uid, "uid-b")));
  queue.forget(2);
  queue.take_back(2);
  perform(queue, server);
  EXPECT_THAT(server.budget().recent, SizeIs(1)) << "the removal was over";
  EXPECT_EQ(queue.counts(true).refunds, 1U);
}

TEST_F(DebitQueueTest, WhatIsTakenBackWhileItIsWrittenIsRefundedAfterwards) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  const auto tasks = queue.take_tasks(server.sight());
  queue.take_back(1);
  const auto& write = std::get<DebitQueue::Write>(tasks.at(0));
  ASSERT_FALSE(server.write(write.version, write.ledger));
  queue.written(server.budget());
  EXPECT_THAT(queue.take_verdicts(), IsEmpty());
  perform(queue, server);
  EXPECT_THAT(server.budget().recent, IsEmpty());
}

// Another program was about to remove that pod too. Whoever gives up does not take the other's
// entry back.
TEST_F(DebitQueueTest, AnEntryBelongsToTheProgramThatDebitedItLast) {
  server.budget().recent = {{"a", "uid-a", kNoon, "two"}};
  server.show();
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  perform(queue, server);
  EXPECT_THAT(results(queue.take_verdicts()), ElementsAre(Result::Entered));
  EXPECT_THAT(server.budget().recent, ElementsAre(LedgerEntry{"a", "uid-a", kNoon, "one"}));
  ASSERT_FALSE(server.write(server.budget().version, {{"a", "uid-a", kNoon, "two"}}));
  queue.take_back(1);
  perform(queue, server);
  EXPECT_THAT(server.budget().recent, SizeIs(1));
}

TEST_F(DebitQueueTest, ABudgetThatIsGoneStopsTheRemoval) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  server.show_none();
  EXPECT_THAT(queue.take_tasks(server.sight()), IsEmpty());
  EXPECT_THAT(results(queue.take_verdicts()), ElementsAre(Result::Failed));
}

TEST_F(DebitQueueTest, AnotherSelectorIsDecidedOnOnceTheWatchShowsIt) {
  queue.debit(name_of(server.budget()), 1, {server.pods[0]});
  server.budget().selector->match_labels = {{"app", "y"}};
  ASSERT_FALSE(server.write("1", {}));
  perform(queue, server);
  EXPECT_THAT(results(queue.take_verdicts()), ElementsAre(Result::Failed));
}

// ---- several programs at one budget ----

struct Program {
  explicit Program(const std::string& name) : queue(name) {}
  DebitQueue queue;
  std::vector<DebitQueue::Task> sent{};
  Time sent_at{};
  std::map<std::uint64_t, Pod> wishes{};  // by removal, not decided
  std::uint64_t last = 0;
  DisruptionBudget shown{};
  std::vector<Pod> pods{};
  Time pods_at{};
};

class SideBySide {
 public:
  explicit SideBySide(std::uint32_t seed) : random_(seed) {
    const std::size_t count = 3 + below(8);
    for (std::size_t i = 0; i < count; ++i) pods_.push_back(replica("p" + std::to_string(i)));
    budget_ = hard_budget(static_cast<std::int64_t>(below(count)));
    budget_.rate_disruptions = static_cast<std::int64_t>(1 + below(4));
    budget_.rate_per = minutes(10);
    for (const char* name : {"one", "two", "three"}) {
      programs_.push_back(std::make_unique<Program>(name));
      look(*programs_.back());
    }
  }

  void play() {
    for (int step = 0; step < 120; ++step) {
      now_ += seconds(below(8));
      // A request takes half a minute at most.
      for (auto& each : programs_) {
        if (!each->sent.empty() && now_ - each->sent_at > seconds(20)) answer(*each);
      }
      Program& program = *programs_[below(programs_.size())];
      switch (below(5)) {
        case 0:
          wish(program);
          break;
        case 1:
          look(program);
          break;
        case 2:
          if (below(20) == 0) restart(program);
          break;
        default:
          answer(program);
      }
      if (now_ - program.pods_at > minutes(1)) look(program);
      send(program);
      for (auto& each : programs_) settle(*each);
      if (testing::Test::HasFatalFailure()) return;
    }
    for (int i = 0; i < 60; ++i) {
      for (auto& each : programs_) {
        look(*each);
        answer(*each);
        send(*each);
        settle(*each);
      }
    }
    for (auto& each : programs_) ASSERT_THAT(each->wishes, IsEmpty()) << "each gets its verdict";
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }

  LedgerSight sight(Program& of) {
    return {
        .budget = [&](const BudgetName&) { return &of.shown; },
        .strength =
            [&](const DisruptionBudget& budget) { return policy::strength_of(budget, of.pods); },
        .pods = [&](const DisruptionBudget&, const Ledger&) { return of.pods; },
        .now = now_};
  }
  void look(Program& program) {
    program.shown = budget_;
    program.pods = pods_;
    program.pods_at = now_;
  }
  void wish(Program& program) {
    if (program.pods.empty()) return;
    const Pod victim = program.pods[below(program.pods.size())];
    // A program removes a pod once at a time.
    for (const auto& [removal, wished] : program.wishes) {
      if (wished.uid == victim.uid) return;
    }
    program.wishes.emplace(++program.last, victim);
    program.queue.debit(name_of(program.shown), program.last, {victim});
  }
  void restart(Program& program) {
    program.queue.forget_all();
    program.sent.clear();
    program.wishes.clear();
  }
  void send(Program& program) {
    for (auto& each : program.queue.take_tasks(sight(program))) {
      program.sent.push_back(each);
      program.sent_at = now_;
    }
  }
  void answer(Program& program) {
    if (program.sent.empty()) return;
    const DebitQueue::Task task = program.sent.front();
    program.sent.erase(program.sent.begin());
    if (std::holds_alternative<DebitQueue::Read>(task)) return program.queue.read(budget_);
    const auto& write = std::get<DebitQueue::Write>(task);
    const bool is_lost = below(8) == 0;
    const bool arrives = !is_lost || below(2) == 0;
    const bool conflicts = write.version != budget_.version;
    if (arrives && !conflicts) store(write.ledger);
    if (is_lost) {
      return program.queue.failed(write.budget, Error{Code::Unavailable, "lost", {}});
    }
    if (conflicts) return program.queue.failed(write.budget, Error{Code::Conflict, "old", {}});
    program.queue.written(budget_);
  }
  void store(const Ledger& ledger) {
    std::set<std::string> uids;
    for (const LedgerEntry& each : ledger) ASSERT_TRUE(uids.insert(each.uid).second) << "twice";
    // Nothing that still counts is lost.
    for (const LedgerEntry& each : budget_.recent) {
      const bool went = std::ranges::find(went_, each.uid, &LedgerEntry::uid) != went_.end();
      if (!went || now_ - each.time >= minutes(10)) continue;
      ASSERT_TRUE(uids.contains(each.uid));
    }
    budget_.recent = ledger;
    budget_.version = std::to_string(std::stoi(budget_.version) + 1);
  }
  // What is allowed is removed, or now and then is not.
  void settle(Program& program) {
    for (const DebitQueue::Verdict& each : program.queue.take_verdicts()) {
      const auto at = program.wishes.find(each.removal);
      ASSERT_NE(at, program.wishes.end()) << "one verdict each";
      const Pod victim = at->second;
      program.wishes.erase(at);
      if (each.result != Result::Entered) continue;
      if (below(4) == 0) {
        program.queue.take_back(each.removal);
        continue;
      }
      program.queue.forget(each.removal);
      remove(victim);
    }
  }
  void remove(const Pod& victim) {
    const std::size_t left =
        std::erase_if(pods_, [&](const Pod& each) { return each.uid == victim.uid; });
    if (left == 0) return;
    went_.push_back({victim.name, victim.uid, now_, ""});
    ASSERT_GE(static_cast<std::int64_t>(pods_.size()), budget_.min_available->value);
    const auto lately = std::ranges::count_if(
        went_, [&](const LedgerEntry& each) { return now_ - each.time < minutes(10); });
    ASSERT_LE(lately, *budget_.rate_disruptions);
    const auto entry = std::ranges::find(budget_.recent, victim.uid, &LedgerEntry::uid);
    ASSERT_NE(entry, budget_.recent.end()) << "it is debited before it goes";
  }

  std::mt19937 random_;
  Time now_ = kNoon;
  DisruptionBudget budget_{};
  std::vector<Pod> pods_{};
  Ledger went_{};
  std::vector<std::unique_ptr<Program>> programs_{};
};

// Budgets a/0 to a/4 and b/0, each over every pod of its namespace.
struct TwoTenants : testing::Test {
  TwoTenants() {
    for (int i = 0; i < 5; ++i) put("a", i);
    put("b", 0);
  }
  void put(const std::string& ns, int i) {
    DisruptionBudget budget = hard_budget(0);
    budget.ns = ns;
    budget.name = std::to_string(i);
    budget.uid = ns + budget.name;
    budgets[name_of(budget)] = budget;
  }
  void ask(const std::string& ns, DebitQueue::Removal removal) {
    Pod pod = replica("web");
    pod.ns = ns;
    for (const auto& [name, budget] : budgets) {
      if (name.ns == ns) queue.debit(name, removal, {pod});
    }
  }
  // The budgets of what is sent now.
  std::vector<std::string> sent() {
    const LedgerSight sight{
        .budget = [this](const BudgetName& name) { return &budgets.at(name); },
        .strength = [](const DisruptionBudget& /*of*/) { return policy::Strength{}; },
        .pods = [](const DisruptionBudget&, const Ledger&) { return std::vector<Pod>{}; },
        .now = kNoon};
    std::vector<std::string> names;
    for (const DebitQueue::Task& task : queue.take_tasks(sight)) {
      names.push_back(std::visit([](const auto& each) { return to_string(each.budget); }, task));
    }
    return names;
  }
  std::map<BudgetName, DisruptionBudget> budgets;
  DebitQueue queue{"one", DebitQueue::Walls::None, 2};
};

TEST_F(TwoTenants, EachHasItsShareOfTheWrites) {
  ask("a", 1);
  EXPECT_THAT(sent(), ElementsAre("a/0", "a/1"));
  ask("b", 2);
  EXPECT_THAT(sent(), ElementsAre("b/0"));
  EXPECT_THAT(sent(), IsEmpty());
}

TEST_F(TwoTenants, WhatWaitedLongestIsWrittenNext) {
  ask("a", 1);
  EXPECT_THAT(sent(), ElementsAre("a/0", "a/1"));
  queue.written(budgets.at({"a", "0", "a0"}));
  ask("a", 3);
  EXPECT_THAT(sent(), ElementsAre("a/2"));
  queue.written(budgets.at({"a", "1", "a1"}));
  queue.written(budgets.at({"a", "2", "a2"}));
  EXPECT_THAT(sent(), ElementsAre("a/3", "a/4"));
}

TEST(DebitQueueSideBySide, ProgramsNeverGoThroughAWallTogether) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(SideBySide(seed).play());
  }
}

}  // namespace
}  // namespace elbowroom::cluster
