// The pages of a daemon, /ui, and what it shows as JSON, /overview. It asks the reactor for its
// state a part at a time, keeps the view that came of it for a while, and adds the decisions that
// it was told of.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mailbox.h"
#include "daemon/http/endpoints.h"
#include "daemon/log/log_entry.h"
#include "page/growing_view.h"
#include "page/page_part.h"
#include "page/view.h"

namespace elbowroom::control {

class DaemonPage {
 public:
  using Clock = std::chrono::steady_clock;
  // nullopt: the reactor did not answer in time.
  using Ask = std::function<std::optional<page::PagePart>(page::PageAsked)>;

  // What the daemon says of a pod, NAMESPACE/NAME, as JSON; "": nothing; nullopt: as above.
  using Explain = std::function<std::optional<std::string>(const std::string& pod)>;

  DaemonPage(std::string program, Ask ask, Explain explain,
             std::function<Clock::time_point()> now = Clock::now)
      : program_(std::move(program)),
        ask_(std::move(ask)),
        explain_(std::move(explain)),
        now_(std::move(now)) {}

  // ---- of any thread ----

  // What the log tells of an effect. Entries below Info, and without a pod or a node, are none of a
  // decision. It never waits.
  void note(const std::vector<daemon::LogEntry>& entries, policy::Time now);

  // ---- of one thread at a time ----

  // /ui, /ui?node=NAME, /ui?pod=NAMESPACE/NAME, and the files that the pages load.
  [[nodiscard]] daemon::Reply answer(const daemon::Request& request);
  [[nodiscard]] daemon::Reply overview();

 private:
  static constexpr std::size_t kMostDecisions = 1'000;
  // A request reads no longer; what is left is read by the next ones.
  static constexpr std::chrono::milliseconds kReadWithin{300};
  // A view is shown for as long, and for so many times the time that it took to read it.
  static constexpr std::chrono::seconds kShownFor{1};
  static constexpr int kReadShare = 20;
  static constexpr std::size_t kNamesAtOnce = 64;

  // The reading of all nodes, which may take several requests.
  struct Reading {
    page::GrowingView view;
    std::vector<std::string> nodes{};
    std::vector<std::string> namespaces{};
    std::size_t nodes_read = 0;
    std::size_t namespaces_read = 0;
    Clock::duration took{0};
  };

  [[nodiscard]] bool begin_reading();
  [[nodiscard]] bool read_next();
  [[nodiscard]] bool refresh();
  void finish_reading(Clock::time_point began);
  // As far as it was read; nullopt: the reactor did not answer.
  [[nodiscard]] std::optional<page::View> view();
  [[nodiscard]] daemon::Reply silent() const;
  [[nodiscard]] daemon::Reply node_page(const std::string& name);
  [[nodiscard]] daemon::Reply pod_page(const std::string& pod);
  void add_decisions(page::View& view);
  void take_told();

  const std::string program_;
  const Ask ask_;
  const Explain explain_;
  const std::function<Clock::time_point()> now_;
  Mailbox<page::Decision> told_{kMostDecisions};
  std::deque<page::Decision> decisions_{};  // oldest first
  std::optional<page::View> last_{};        // that was read whole
  Clock::time_point shown_until_{};
  std::optional<Reading> reading_{};
};

}  // namespace elbowroom::control
