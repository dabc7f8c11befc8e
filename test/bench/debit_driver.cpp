// Measures how fast victims are entered in the ledgers of DisruptionBudgets against the lab's API
// server, and prints JSON lines for test/bench/run: by one program into a hundred budgets, and by
// four programs into one budget, each of which meets the others' conflicts.
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "api/codec/decode_budget.h"
#include "api/transport/curl_transport.h"
#include "api/transport/kubeconfig.h"
#include "api/write/client.h"
#include "api/write/debit.h"
#include "base/document.h"
#include "cluster/debit_queue.h"
#include "lab/apiserver/api_server.h"
#include "lab/world/json.h"
#include "lab/world/world.h"
#include "test/bench/figure.h"

namespace {

namespace fs = std::filesystem;
using namespace elbowroom;
using namespace std::chrono_literals;
using bench::give_up;
using cluster::BudgetName;
using cluster::DebitQueue;
using lab::Json;
using Clock = std::chrono::steady_clock;
using policy::DisruptionBudget;

constexpr std::size_t kBudgets = 100;
constexpr std::size_t kDebitsOver = 5'000;
constexpr std::size_t kPrograms = 4;
constexpr std::size_t kDebitsEach = 150;  // the ledger of one budget holds a thousand
constexpr std::size_t kUnderWay = 5;      // removals of one program over pods of one budget
constexpr auto kPatience = 120s;

Json budget_json(const std::string& name) {
  return {
      {"apiVersion", "elbowroom.dev/v1alpha1"},
      {"kind", "DisruptionBudget"},
      {"metadata", {{"name", name}, {"namespace", "default"}}},
      {"spec", {{"selector", Json::object()}, {"rate", {{"disruptions", 1000}, {"per", "24h"}}}}}};
}

policy::Pod pod_of(const std::string& name) {
  policy::Pod pod;
  pod.ns = "default";
  pod.name = name;
  pod.uid = "uid-of-" + name;
  pod.node = "node-1";
  return pod;
}

Result<DisruptionBudget> budget_in(const Result<api::Response>& response) {
  if (!response) return std::unexpected(response.error());
  ASSIGN_OR_RETURN(const Value object, parse_json(response->body));
  return api::decode_disruption_budget(object);
}

// A program that debits, with its own connection.
class Program {
 public:
  Program(const std::string& kubeconfig, const std::string& name)
      : transport_(access_in(kubeconfig), fast()), client_(transport_, name), queue_(name) {}

  void knows(DisruptionBudget budget) {
    const BudgetName name = cluster::name_of(budget);
    known_.insert_or_assign(name, std::move(budget));
  }

  void debit(const BudgetName& budget, const std::string& pod) {
    queue_.debit(budget, ++removals_, {pod_of(pod)});
  }

  // Returns the number of debits that were entered, once `wanted` have been decided.
  std::size_t settle(std::size_t wanted) {
    const auto until = Clock::now() + kPatience;
    std::size_t entered = 0;
    while (wanted > 0) {
      send();
      for (const auto& each : queue_.take_verdicts()) {
        entered += each.result == DebitQueue::Result::Entered ? 1 : 0;
        --wanted;
      }
      if (Clock::now() > until) give_up("the debits were not decided in time");
      if (wanted > 0) transport_.run_once(10ms);
    }
    return entered;
  }

 private:
  static api::Access access_in(const std::string& kubeconfig) {
    auto access = api::daemon_access(kubeconfig, {});
    if (!access) give_up(access.error().message);
    return *std::move(access);
  }
  static api::TransportOptions fast() {
    api::TransportOptions of;
    of.calls = {0ms, 1000};
    return of;
  }

  void send() {
    const cluster::LedgerSight sight{
        .budget = [this](const BudgetName& name) { return &known_.at(name); },
        .strength = [](const auto&) { return policy::Strength{}; },
        .pods = [](const auto&, const auto&) { return std::vector<policy::Pod>{}; },
        .now = std::chrono::floor<std::chrono::seconds>(
            std::chrono::time_point_cast<policy::Time::duration>(
                std::chrono::system_clock::now()))};
    for (const DebitQueue::Task& task : queue_.take_tasks(sight)) {
      if (const auto* write = std::get_if<DebitQueue::Write>(&task)) {
        this->write(*write);
      } else {
        read(std::get<DebitQueue::Read>(task).budget);
      }
    }
  }

  void write(const DebitQueue::Write& write) {
    auto request = api::debit_request({write.budget.ns, write.budget.name, write.budget.uid},
                                      write.version, write.ledger);
    if (!request) give_up(request.error().message);
    client_.request(request->method, request->path, {}, request->content_type,
                    std::move(request->body),
                    [this, name = write.budget](const Result<api::Response>& response) {
                      auto budget = budget_in(response);
                      if (!budget) return queue_.failed(name, budget.error());
                      knows(*budget);
                      queue_.written(*std::move(budget));
                    });
  }

  void read(const BudgetName& name) {
    client_.request(api::Method::Get, api::budget_path({name.ns, name.name, name.uid}), {}, "", "",
                    [this, name](const Result<api::Response>& response) {
                      auto budget = budget_in(response);
                      if (!budget) return queue_.failed(name, budget.error());
                      knows(*budget);
                      queue_.read(*std::move(budget));
                    });
  }

  api::CurlTransport transport_;
  api::Client client_;
  DebitQueue queue_;
  std::map<BudgetName, DisruptionBudget> known_{};
  std::uint64_t removals_ = 0;
};

class Bench {
 public:
  explicit Bench(const fs::path& folder) : kubeconfig_((folder / "kubeconfig").string()) {
    if (auto started = api_.start(); !started) give_up(started.error().message);
    std::ofstream(kubeconfig_) << api_.kubeconfig();
  }

  // One debit is on its way for each budget, and the next ones wait behind it.
  void over_many() {
    Program program(kubeconfig_, "one");
    std::vector<BudgetName> names;
    for (std::size_t i = 0; i < kBudgets; ++i) {
      DisruptionBudget budget = make("many-" + std::to_string(i));
      names.push_back(cluster::name_of(budget));
      program.knows(std::move(budget));
    }
    const auto begun = Clock::now();
    std::size_t entered = 0;
    for (std::size_t round = 0; round < kDebitsOver / kBudgets; ++round) {
      for (const BudgetName& name : names) {
        program.debit(name, name.name + "-" + std::to_string(round));
      }
      entered += program.settle(kBudgets);
    }
    report("ledger/debits/100_budgets", entered, begun);
  }

  // Each enters its victims one after the other, or as the scheduler does, for so many removals
  // that are under way at the same time.
  void side_by_side(std::size_t under_way, const std::string& figure) {
    const DisruptionBudget budget = make("shared-" + std::to_string(under_way));
    const BudgetName name = cluster::name_of(budget);
    std::vector<std::size_t> entered(kPrograms, 0);
    const auto begun = Clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < kPrograms; ++i) {
        threads.emplace_back([&, i] {
          Program program(kubeconfig_, "program-" + std::to_string(i));
          program.knows(budget);
          for (std::size_t pod = 0; pod < kDebitsEach; pod += under_way) {
            for (std::size_t next = pod; next < pod + under_way; ++next) {
              program.debit(name, std::to_string(i) + "-" + std::to_string(next));
            }
            entered[i] += program.settle(under_way);
          }
        });
      }
    }
    std::size_t all = 0;
    for (const std::size_t each : entered) all += each;
    report("ledger/debits/" + figure, all, begun);
    bench::report("ledger/debits/" + figure + "/given_up",
                  100.0 * static_cast<double>(kPrograms * kDebitsEach - all) /
                      static_cast<double>(kPrograms * kDebitsEach),
                  "% of debits");
  }

 private:
  static void report(const std::string& name, std::size_t entered, Clock::time_point begun) {
    const double seconds = bench::milliseconds(Clock::now() - begun) / 1000;
    bench::report(name, static_cast<double>(entered) / seconds, "debits/s");
  }

  DisruptionBudget make(const std::string& name) {
    const auto made =
        api_.with_world([&](lab::World& world) { return world.load(budget_json(name)); });
    if (!made) give_up("a budget of the benchmark's own was refused");
    const lab::Kind& kind = *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
    const Json stored = api_.with_world(
        [&](lab::World& world) { return Json(*world.peek(kind, "default", name)); });
    auto budget = api::decode_disruption_budget(lab::to_value(stored));
    if (!budget) give_up(budget.error().message);
    return *std::move(budget);
  }

  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
  const std::string kubeconfig_;
};

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main() {
  std::string name = (fs::temp_directory_path() / "elbowroom-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) give_up("no folder could be made for temporary files");
  {
    Bench bench(name);
    bench.over_many();
    bench.side_by_side(1, "one_budget_four_people");
    bench.side_by_side(kUnderWay, "one_budget_four_programs");
  }
  std::error_code ignored;
  fs::remove_all(name, ignored);
}
