// What one daemon knows, asked for at /overview again and again. No kubeconfig is needed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "api/transport/url.h"
#include "base/result.h"
#include "cli/top/source.h"

namespace elbowroom::cli::top {

class DaemonSource final : public Source {
 public:
  struct Pace {
    std::chrono::milliseconds between{2'000};        // from an answer to the next request
    std::chrono::milliseconds while_unread{250};     // until the first overview
    std::chrono::milliseconds first_within{60'000};  // later than that, none is waited for
    std::chrono::milliseconds deadline{10'000};      // of a request
    std::chrono::milliseconds old_after{30'000};     // an overview that does not change any more
  };

  // Asks once on this thread, and then in a thread of its own. Unavailable: no answer. NotFound,
  // Denied, Invalid: an answer that is no overview. A daemon that has none yet (503) is no error.
  // `news` is called by its thread, after each sight.
  [[nodiscard]] static Result<std::unique_ptr<DaemonSource>> open(const api::ServerUrl& server,
                                                                  std::function<void()> news,
                                                                  Pace pace);
  [[nodiscard]] static Result<std::unique_ptr<DaemonSource>> open(const api::ServerUrl& server,
                                                                  std::function<void()> news) {
    return open(server, std::move(news), Pace());
  }
  ~DaemonSource() override;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::shared_ptr<const Sight> last() const override { return sights_.last(); }
  void explain(std::string pod) override;

 private:
  class Poller;

  DaemonSource(const api::ServerUrl& server, std::function<void()> news, Pace pace);

  std::string name_;
  Sights sights_;
  std::unique_ptr<Poller> poller_;
  std::jthread thread_;  // last, so that it ends first
};

}  // namespace elbowroom::cli::top
