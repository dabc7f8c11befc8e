// `elbowroom top`: a live view of a cluster, or of what one daemon knows.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>

#include "api/transport/url.h"
#include "cli/explain_options.h"
#include "cli/input/from_cluster.h"
#include "cli/output/progress.h"
#include "cli/output/screen.h"
#include "cli/simulate_options.h"
#include "cli/top/cluster_source.h"
#include "cli/top/daemon_source.h"
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
    "  elbowroom top --server http://127.0.0.1:10362\n"
    "\n"
    "exit status: 0 shown, 1 failed, 2 usage, 69 unreachable, 77 not permitted,\n"
    "78 the kubeconfig cannot be used";

top::Scene scene_of(const Source& source, const Sight& sight) {
  return {.overview = sight.overview,
          .source = source.name(),
          .is_complete = sight.is_complete,
          .notes = sight.notes,
          .explained = &sight.explained};
}

// Where overviews come from.
struct Origin {
  std::function<std::unique_ptr<Source>(std::function<void()> news)> open{};
  // Ends the verb: nothing can be seen.
  std::function<void(const Sight&)> stop_unread{};
};

// ---- a cluster ----

// Why neither nodes nor pods can be read, as an exit status.
[[noreturn]] void stop_unread(ClusterReader& reader) {
  constexpr ClusterKind kNodes{.group = "", .version = "v1", .name = "Node", .plural = "nodes"};
  const Listed nodes = std::move(reader.list({{.kind = kNodes}})[0]);
  if (nodes) stop(kExitFailure, "pods cannot be read");
  stop(exit_status_of(nodes.error()), nodes.error().message);
}

Origin cluster_of(const CLI::App& verb) {
  Result<ClusterAccess> opened = open_cluster(verb);
  if (!opened) stop(kExitConfiguration, opened.error().message);
  const auto cluster = std::make_shared<ClusterAccess>(std::move(*opened));
  return {.open =
              [cluster](std::function<void()> news) {
                return std::make_unique<top::ClusterSource>(cluster->access, std::move(news));
              },
          .stop_unread = [cluster](const Sight& /*sight*/) { stop_unread(*cluster->reader); }};
}

// ---- a daemon ----

Origin daemon_of(const CLI::App& verb, const std::string& url) {
  for (const char* option : {"--kubeconfig", "--context"}) {
    if (verb.get_option(option)->count() == 0) continue;
    stop(kExitUsage, std::string(option) + " and --server exclude each other: give one of them");
  }
  const auto server = api::parse_server_url(url);
  if (!server) stop(kExitUsage, "--server " + url + ": " + server.error().message);
  return {.open = [at = *server](std::function<void()> news) -> std::unique_ptr<Source> {
            auto source = top::DaemonSource::open(at, std::move(news));
            if (!source) stop(exit_status_of(source.error()), source.error().message);
            return std::move(*source);
          },
          .stop_unread = [](const Sight& sight) { stop(kExitUnreachable, sight.notes.front()); }};
}

// ---- once ----

constexpr std::chrono::milliseconds kBetweenTells{250};

void show_once(const Origin& origin, const View& view) {
  std::counting_semaphore<> news(0);
  const std::unique_ptr<Source> source = origin.open([&news] { news.release(); });
  std::shared_ptr<const Sight> sight = source->last();
  while (!sight->is_complete) {
    progress().tell("reading " + source->name());
    (void)news.try_acquire_for(kBetweenTells);
    sight = source->last();
  }
  progress().erase();
  if (sight->sees_nothing) origin.stop_unread(*sight);
  for (const std::string& each : sight->notes) complain(each);
  print(top::plain_tables(scene_of(*source, *sight), view), OutputFormat::Table);
}

// ---- live ----

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

// The source opens first, as it may end the verb, and ends first, as it wakes the terminal.
int show_live(const Origin& origin, const View& view) {
  std::unique_ptr<Source> source = origin.open([] { top::Terminal::wake(); });
  auto terminal = top::Terminal::open(has_colours());
  if (!terminal) {
    source.reset();
    stop(kExitUsage, terminal.error().message);
  }
  const int number = LiveView(**terminal, *source, view).run();
  source.reset();
  return number;
}

void run_top(const CLI::App& verb) {
  View view;
  const std::string sort = value_of(verb, "--sort", "");
  if (!sort.empty() && !top::sort_by(sort, view))
    stop(kExitUsage, "--sort " + sort + ": no column");
  const bool is_daemon = verb.get_option("--server")->count() > 0;
  const Origin origin =
      is_daemon ? daemon_of(verb, value_of(verb, "--server", "")) : cluster_of(verb);
  const bool is_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (!is_terminal || verb.get_option("--once")->count() > 0) return show_once(origin, view);
  const int number = show_live(origin, view);
  if (number != 0 && number != SIGINT) std::raise(number);
}

}  // namespace

void add_top(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "top",
      "watch the cluster: what is held, promised and free, resizes that wait, and who leaves");
  add_valued(*verb, "--server", "ask this daemon, such as http://127.0.0.1:10362, not the cluster")
      ->type_name("URL");
  add_cluster_options(*verb);
  add_color_option(*verb);
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
