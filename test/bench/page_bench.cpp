// How long the page holds up the reactor's thread, in a cluster of 5,000 nodes with 100,000 pods,
// in one of a hundred of which a resize waits: its longest part, and all of them together, which
// come one after the other between decisions. What is done with the copies, on the thread that
// answers HTTP, is the last figure.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cluster/page_part.h"
#include "page/growing_view.h"
#include "page/page.h"
#include "test/bench/large_cluster.h"

namespace {

using namespace elbowroom;
using page::PageAsked;

// The thread's own time, so that what else the machine does is not in it.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;

  static time_point now() {
    timespec spent{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return time_point(std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec));
  }
};
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kPods = 20;
constexpr std::size_t kNamesAtOnce = 64;
const policy::Time kNow = policy::Time(std::chrono::seconds(1'780'000'000));

void defer(policy::Pod& pod) {
  pod.containers[0].desired.requests.cpu.value = 15'000;
  ++pod.generation;
  pod.conditions.push_back(
      {.type = std::string(policy::kPodResizePending), .status = "True", .reason = "Deferred"});
}

const cluster::Snapshot& large() {
  static const cluster::Snapshot snapshot = [] {
    cluster::Snapshot made;
    for (std::size_t on = 0; on < bench::kNodes; ++on) {
      made.put(bench::node_of(on));
      for (std::size_t at = 0; at < kPods; ++at) {
        policy::Pod pod = bench::pod_of(on, at);
        for (policy::Container& each : pod.containers) {
          each.desired.requests.cpu.value /= 2;
          each.allocated_requests = each.actual_requests = each.desired.requests;
        }
        if (on % 100 == 0 && at == 0) defer(pod);
        made.put(cluster::PackedPod::packed(pod));
      }
    }
    return made;
  }();
  return snapshot;
}

struct Read {
  Seconds longest{0};
  Seconds sum{0};
  Seconds rest{0};  // on the other thread
};

page::PagePart timed(const cluster::PageSource& source, const PageAsked& asked, Read& read) {
  const Clock::time_point began = Clock::now();
  page::PagePart part = cluster::page_part(source, asked);
  const Seconds took = Clock::now() - began;
  read.longest = std::max(read.longest, took);
  read.sum += took;
  return part;
}

Read read_whole() {
  const cluster::Snapshot& snapshot = large();
  const cluster::PageSource source{
      .snapshot = snapshot,
      .view_of = [&](const std::string& node) { return snapshot.view(node, kNow); },
      .now = kNow};
  Read read;
  const std::vector<std::string> names = timed(source, {}, read).nodes;
  page::GrowingView view("elbowroom-scheduler", kNow, 16);
  for (std::size_t done = 0; done < names.size();) {
    PageAsked asked{.kind = PageAsked::Kind::Nodes};
    const std::size_t to = std::min(done + kNamesAtOnce, names.size());
    for (std::size_t at = done; at < to; ++at) asked.names.push_back(names[at]);
    const page::PagePart part = timed(source, asked, read);
    const Clock::time_point began = Clock::now();
    for (const page::NodeCopy& each : part.copies) view.add(each);
    read.rest += Clock::now() - began;
    done += part.done;
  }
  const Clock::time_point began = Clock::now();
  benchmark::DoNotOptimize(page::page_of(std::move(view).finished()));
  read.rest += Clock::now() - began;
  return read;
}

template <Seconds Read::* kOf>
void read_page(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime((read_whole().*kOf).count());
}

BENCHMARK(read_page<&Read::longest>)
    ->Name("page/longest_part/5000x100000")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_page<&Read::sum>)
    ->Name("page/all_parts/5000x100000")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_page<&Read::rest>)
    ->Name("page/drawn/5000x100000")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
