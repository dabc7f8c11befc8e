// One scheduler, put together: the reactor on its own thread, the API's beside it. These are all
// its threads, and they exchange values through the inbox only.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "api/transport/access.h"
#include "api/transport/curl_transport.h"
#include "api/watch/server_version.h"
#include "base/disk.h"
#include "base/mailbox.h"
#include "recording/recording_file.h"
#include "scheduler/api_worker.h"
#include "scheduler/reactor.h"
#include "scheduler/recorder.h"
#include "scheduler/status.h"

namespace elbowroom::scheduler {

struct SchedulerOptions {
  ReactorOptions reactor{};
  ApiWorkerOptions worker{};
  api::Access access{};
  std::string record{};  // the file to record to; "": none
  std::uint64_t record_limit = recording::kUsualRecordLimit;
};

// What the scheduler tells about itself while it runs; each may be called from any of its threads,
// and may be missing.
struct SchedulerReports {
  // By the reactor's thread: about once a second, and soon after it did something.
  std::function<void(const SchedulerStatus&)> measured{};
  std::function<void(const Effect&)> performed{};      // an effect is about to be performed
  std::function<void(const Observation&)> observed{};  // before it is handled
  std::function<void(const Unreadable&)> unreadable{};
  std::function<void(const std::string&)> trouble{};
  std::function<void(const std::string&)>
      noticed{};                              // a pod that is larger than what is kept of it
  std::function<void()> recording_stopped{};  // its trouble was told; at most once
  // How long one turn of a loop took without its waits.
  std::function<void(std::string_view loop, std::chrono::nanoseconds worked)> turned{};
  // So many Deferred resizes were judged in one turn of the reactor, in that time.
  std::function<void(std::uint64_t turns, std::chrono::nanoseconds worked)> judged{};
  std::function<void(const ApiRound&)> followed{};
  std::function<void(const api::RequestOutcome&)> api_called{};
  // Called by each loop ("reactor", "api") when it made progress.
  std::function<void(std::string_view loop)> alive{};
};

class Scheduler {
 public:
  Scheduler(SchedulerOptions options, SchedulerReports reports);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Runs until stop is requested; hands over, within a second where the API server answers; returns
  // when all its threads have ended.
  void run(const std::stop_token& stop);

  // From now on this is how the API server is reached. May be called by any thread while run()
  // runs.
  void use(api::Access access);

  // Why room is made for the pod, or not, as JSON; "" for a pod that does not wait; nullopt when
  // the reactor did not answer in time. May be called by any thread while run() runs.
  [[nodiscard]] std::optional<std::string> explain(const std::string& pod);

  // How it is; nullopt as above.
  [[nodiscard]] std::optional<SchedulerStatus> check_up();

 private:
  using Seen = decltype(Observation::what);
  struct Question {
    std::string pod{};
    std::promise<std::string> answer{};
  };
  struct Checkup {
    std::promise<SchedulerStatus> answer{};
  };
  using Incoming = std::variant<Seen, Question, Checkup>;
  using Inbox = Mailbox<Incoming>;

  void react(const std::stop_token& stop);
  void hand_over();
  void turn(const std::stop_token& stop);
  [[nodiscard]] bool answer(Incoming& asked);
  void tell(Seen seen);
  void hand_on();
  void handle(Seen seen);
  void perform();
  void note_recording();
  void measure();
  void look_around();
  void tell_of_credentials();
  [[nodiscard]] SchedulerStatus standing() const;
  [[nodiscard]] Moment now() const;
  [[nodiscard]] std::unique_ptr<api::Transport> made_transport();
  template <class Answer, class Ask>
  [[nodiscard]] std::optional<Answer> ask(Ask question);

  SchedulerOptions options_;
  SchedulerReports reports_;
  Inbox inbox_{4096};
  std::deque<Incoming> told_{};  // in this round of the API's thread, which alone looks at it
  Effects effects_{};            // of this turn
  Reactor reactor_;
  const RealDisk disk_{};
  std::optional<Recorder> recorder_{};
  const api::Clock::time_point started_ = api::Clock::now();
  std::stop_token api_stop_{};               // of the API's thread, which alone looks at it
  api::CurlTransport* transport_ = nullptr;  // worker_'s; set while that is made
  ApiWorker worker_;
  std::string credential_problem_{};         // told already; on the API's thread
  api::VersionLook version_look_;            // the same thread's
  api::Clock::time_point look_around_at_{};  // on the API's thread
  api::Clock::time_point measure_at_{};
  bool is_measured_ = false;  // what was done last is in the figures
};

}  // namespace elbowroom::scheduler
