// What one program has to write into the ledgers: the debits of its removals, and what it takes
// back of them. Each budget is written once at a time, and one write carries all that waits for it.
// A budget that another program has written meanwhile is read, and decided on again.
//
//   debit() --> take_tasks(): Write --> written()                         --> Verdict
//                  ^            |
//                  |            `----> failed(), five times at most --> take_tasks(): Read
//                  `------------------------------------------------------- read()
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/ledger/ledger.h"
#include "policy/model/budget.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"

namespace elbowroom::cluster {

struct BudgetName {
  std::string ns{};
  std::string name{};
  std::string uid{};

  friend auto operator<=>(const BudgetName&, const BudgetName&) = default;
};
[[nodiscard]] BudgetName name_of(const policy::DisruptionBudget& budget);
// NAMESPACE/NAME.
[[nodiscard]] std::string to_string(const BudgetName& budget);

// How the queue sees the cluster.
struct LedgerSight {
  // As the watch shows it; nullptr: there is none of that uid.
  std::function<const policy::DisruptionBudget*(const BudgetName&)> budget{};
  // Of all pods, by the selector that the watch shows.
  std::function<policy::Strength(const policy::DisruptionBudget&)> strength{};
  // Those that the entries name, as far as they exist.
  std::function<std::vector<policy::Pod>(const policy::DisruptionBudget&, const policy::Ledger&)>
      pods{};
  policy::Time now{};  // by the API server's clock
};

class DebitQueue {
 public:
  using Removal = std::uint64_t;  // its number

  // `at_once`: a client waits for what comes of it, so it waits for no rate of calls.
  struct Read {
    BudgetName budget{};
    bool at_once = false;
    friend bool operator==(const Read&, const Read&) = default;
  };
  // Under the version as precondition.
  struct Write {
    BudgetName budget{};
    std::string version{};
    policy::Ledger ledger{};
    bool at_once = false;
    friend bool operator==(const Write&, const Write&) = default;
  };
  using Task = std::variant<Read, Write>;

  enum class Result : std::uint8_t {
    Entered,  // all victims that the budget covers are in its ledger
    Passed,   // it could not be written, and is a preference only
    Refused,  // it is a wall, and does not allow so many
    Failed,   // it is a wall, and could not be written
  };
  struct Verdict {
    Removal removal = 0;
    BudgetName budget{};
    Result result = Result::Entered;
    std::int64_t allowed = 0;  // Refused: what it allows
    std::optional<policy::Time>
        next{};     // Refused: when it allows so many; none: time changes nothing
    Error error{};  // Passed, Failed
  };

  // A budget is given up after so many conflicts and lost answers in a row.
  static constexpr int kMostAttempts = 5;

  // Which budgets are asked; the others are preferences. By upstream's rules none is, in preemption
  // the hard ones are, and nothing that could as well wait breaks any.
  enum class Walls : std::uint8_t { None, Hard, All };
  [[nodiscard]] static Walls walls_by(policy::RuleSet rules) {
    return rules == policy::RuleSet::Upstream ? Walls::None : Walls::Hard;
  }

  // `by`: the program. Of the budgets of one namespace at most `share` are written or read at once,
  // the one that has waited longest first; 0: all. What each tenant asks for then costs the others
  // little.
  explicit DebitQueue(std::string by, Walls walls = Walls::Hard, std::size_t share = 0)
      : by_(std::move(by)), walls_(walls), share_(share) {}

  [[nodiscard]] bool has_walls() const { return walls_ != Walls::None; }

  // Enters those of the victims that the budget covers; a Verdict follows. One that is a wall is
  // asked, another one is not.
  void debit(const BudgetName& budget, Removal removal, std::vector<policy::Pod> victims);
  // No pod is removed, or not the one of that uid: what was entered for the removal is taken back.
  // No Verdict follows any more.
  void take_back(Removal removal);
  void take_back(Removal removal, std::string_view uid);
  // The removal is over, and its entries stay.
  void forget(Removal removal) { entered_.erase(removal); }
  void forget_all();

  // What is to be sent now; written(), read() or failed() must answer each.
  [[nodiscard]] std::vector<Task> take_tasks(const LedgerSight& sight);
  // As the budget is now.
  void written(policy::DisruptionBudget budget);
  void read(policy::DisruptionBudget budget);
  void failed(const BudgetName& budget, const Error& error);

  [[nodiscard]] std::vector<Verdict> take_verdicts();

  // Of all writes so far.
  struct Counts {
    std::uint64_t debits = 0;   // entries written
    std::uint64_t refunds = 0;  // taken back, or because the pod lives on
    std::uint64_t conflicts = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  // By whether the budget is hard.
  [[nodiscard]] const Counts& counts(bool hard) const { return hard ? hard_ : soft_; }

 private:
  struct Wish {
    Removal removal = 0;
    std::vector<policy::Pod> victims{};
    std::vector<std::string> added{};  // uids that the write in flight enters
    bool is_void = false;              // taken back while it was in flight
  };
  // All that is known of a budget that is written.
  struct Desk {
    std::optional<policy::DisruptionBudget> ahead{};  // newer than what the watch shows
    bool hard = false;
    bool is_busy = false;  // a task is in flight
    bool must_read = false;
    int attempts = 0;
    std::uint64_t turn = 0;  // when it last had a task; 0: never
    std::vector<Wish> waiting{};
    std::vector<Wish> carried{};  // by the write in flight
    std::set<std::string> refunds{};
    std::set<std::string> refunded{};  // by the write in flight
  };
  using Desks = std::map<BudgetName, Desk>;

  [[nodiscard]] bool is_wall(bool hard) const {
    return walls_ == Walls::All || (walls_ == Walls::Hard && hard);
  }
  // Those without a task in flight, in the order of their turns.
  [[nodiscard]] std::vector<Desks::iterator> idle_desks();
  [[nodiscard]] std::optional<Task> next_task(const BudgetName& name, Desk& desk,
                                              const LedgerSight& sight);
  [[nodiscard]] policy::Debit decided(const policy::LedgerState& state, const Wish& wish) const;
  [[nodiscard]] std::optional<Task> write_of(const BudgetName& name, Desk& desk,
                                             const policy::DisruptionBudget& base,
                                             const LedgerSight& sight);
  void settle(const BudgetName& name, Desk& desk, const Error& error);
  void drop_if_idle(Desks::iterator at);
  Counts& counts_of(const Desk& desk) { return desk.hard ? hard_ : soft_; }

  std::string by_;
  Walls walls_;
  std::size_t share_;
  std::uint64_t last_turn_ = 0;
  Desks desks_{};
  // The uids that were entered for a removal, by budget.
  std::map<Removal, std::map<BudgetName, std::vector<std::string>>> entered_{};
  std::vector<Verdict> verdicts_{};
  Counts hard_{};
  Counts soft_{};
};

}  // namespace elbowroom::cluster
