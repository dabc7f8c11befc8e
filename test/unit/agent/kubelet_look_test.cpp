// Looking for a kubelet on loopback: what counts as an answer, and that nobody makes us wait.
#include "agent/kubelet_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/fd.h"
#include "daemon/listener.h"

namespace elbowroom::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Says this to the first who connects, whatever is asked, and then nothing more.
class Sayer {
 public:
  explicit Sayer(std::string words)
      : listener_(daemon::listen_on({"127.0.0.1", 0}).value()), words_(std::move(words)) {}

  [[nodiscard]] const daemon::Address& address() const { return listener_.address; }

  [[nodiscard]] bool is_seen_as_kubelet(std::chrono::milliseconds within) {
    // What connects waits in the listener's queue, so it may be answered from here.
    std::jthread sayer([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const Fd peer(::accept(listener_.socket.get(), nullptr, nullptr));
        if (peer.get() < 0) {
          std::this_thread::yield();
          continue;
        }
        (void)::send(peer.get(), words_.data(), words_.size(), MSG_NOSIGNAL);
        while (!stop.stop_requested()) std::this_thread::yield();
      }
    });
    return kubelet_answers(address(), within);
  }

 private:
  daemon::Listener listener_;
  std::string words_;
};

TEST(KubeletLook, AnyAnswerOverHttpIsAKubelet) {
  for (const char* words :
       {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 3\r\n\r\nbad",
        "HTTP/1.0 401 Unauthorized\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok"}) {
    EXPECT_TRUE(Sayer(words).is_seen_as_kubelet(5s)) << words;
  }
}

TEST(KubeletLook, SilenceAndOtherProtocolsAreNone) {
  EXPECT_FALSE(Sayer("").is_seen_as_kubelet(100ms));
  EXPECT_FALSE(Sayer("SSH-2.0-OpenSSH_9.2\r\n").is_seen_as_kubelet(200ms));
  daemon::Address closed;
  {
    closed = daemon::listen_on({"127.0.0.1", 0}).value().address;
  }
  EXPECT_FALSE(kubelet_answers(closed, 5s));
  EXPECT_TRUE(check_no_kubelet(closed));
}

}  // namespace
}  // namespace elbowroom::agent
