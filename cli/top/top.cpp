// `elbowroom top`: a live view of a cluster.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <semaphore>
#include <string>

#include "cli/explain_options.h"
#include "cli/input/from_cluster.h"
#include "cli/simulate_options.h"
#include "cli/top/cluster_source.h"
#include "cli/top/keys.h"
#include "cli/top/screen.h"
#include "cli/top/source.h"
#include "cli/top/terminal.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

using top::Sight;
using top::Source;
using top::View;

// Ages are drawn again that often, where nothing else happens.
constexpr std::chrono::milliseconds kEachSecond{1'000};

constexpr const char* kFooter =
    "keys: ? shows all; q quits, Tab shows the next table, s sorts, / filters, Enter explains\n"
    "\n"
    "examples:\n"
    "  elbowroom top\n"
    "  elbowroom top --context prod --sort memory\n"
    "  elbowroom top --once | less\n"
    "\n"
    "exit status: 0 shown, 1 failed, 2 usage, 69 unreachable, 77 not permitted,\n"
    "78 the kubeconfig is of no use";

top::Scene scene_of(const Source& source, const Sight& sight) {
  return {.overview = sight.overview,
          .source = source.name(),
          .is_complete = sight.is_complete,
          .notes = sight.notes,
          .explained = &sight.explained};
}

// ---- once ----

// Why neither nodes nor pods can be read, as an exit status.
[[noreturn]] void stop_unread(ClusterReader& reader) {
  constexpr ClusterKind kNodes{.group = "", .version = "v1", .name = "Node", .plural = "nodes"};
  const Listed nodes = std::move(reader.list({{.kind = kNodes}})[0]);
  if (nodes) stop(kExitFailure, "pods cannot be read");
  stop(exit_status_of(nodes.error()), nodes.error().message);
}

void show_once(const ClusterAccess& cluster, const View& view) {
  std::counting_semaphore<> news(0);
  const top::ClusterSource source(cluster.access, [&news] { news.release(); });
  std::shared_ptr<const Sight> sight = source.last();
  while (!sight->is_complete) {
    news.acquire();
    sight = source.last();
  }
  if (sight->sees_nothing) stop_unread(*cluster.reader);
  for (const std::string& each : sight->notes) complain(each);
  print(top::plain_tables(scene_of(source, *sight), view));
}

// ---- live ----

bool wants_colours() {
  const char* refused = std::getenv("NO_COLOR");
  return refused == nullptr || *refused == '\0';
}

class LiveView {
 public:
  LiveView(top::Terminal& terminal, Source& source, View view)
      : terminal_(terminal), source_(source), view_(std::move(view)) {}

  // Until a key or a signal ends it: the signal's number, or 0.
  int run() {
    for (;;) {
      draw();
      const std::vector<top::Key> keys = terminal_.keys(kEachSecond);
      if (const int number = terminal_.stopped_by(); number != 0) return number;
      sight_ = *source_.last();
      sight_.overview.now = std::chrono::floor<std::chrono::seconds>(clock_time());
      for (const top::Key& key : keys) {
        if (top::press(key, scene_of(source_, sight_), view_)) return 0;
      }
    }
  }

 private:
  void draw() {
    const auto [width, height] = terminal_.size();
    view_.width = width;
    view_.height = height;
    const top::Scene scene = scene_of(source_, sight_);
    top::settle(scene, view_);
    std::string wanted = top::wanted_pod(sight_.overview, view_);
    if (wanted != wanted_) source_.explain(wanted_ = std::move(wanted));
    terminal_.show(top::screen(scene, view_));
  }

  top::Terminal& terminal_;
  Source& source_;
  View view_;
  Sight sight_ = *source_.last();
  std::string wanted_{};
};

int show_live(const ClusterAccess& cluster, const View& view) {
  auto terminal = top::Terminal::open(wants_colours());
  if (!terminal) stop(kExitUsage, terminal.error().message);
  top::ClusterSource source(cluster.access, [] { top::Terminal::wake(); });
  return LiveView(**terminal, source, view).run();
}

void run_top(const CLI::App& verb) {
  View view;
  const std::string sort = value_of(verb, "--sort", "");
  if (!sort.empty() && !top::sort_by(sort, view))
    stop(kExitUsage, "--sort " + sort + ": no column");
  Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  const bool is_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (!is_terminal || verb.get_option("--once")->count() > 0) return show_once(*cluster, view);
  const int number = show_live(*cluster, view);
  if (number != 0 && number != SIGINT) std::raise(number);
}

}  // namespace

void add_top(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "top",
      "watch the cluster: what is held, promised and free, resizes that wait, and who leaves");
  add_cluster_options(*verb);
  add_valued(*verb, "--sort",
             "by name, cpu, memory, promised, pods, age, expected, node, allows or budget")
      ->type_name("COLUMN")
      ->check(CLI::IsMember({"name", "cpu", "memory", "promised", "pods", "age", "expected", "node",
                             "allows", "budget"}));
  verb->add_flag("--once")->description(
      "print plain tables and end, as where standard output is no terminal");
  verb->footer(kFooter);
  verb->callback([verb] { run_top(*verb); });
}

}  // namespace elbowroom::cli
