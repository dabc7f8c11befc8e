// Probing for a kubelet on loopback: what counts as an answer, and that no server makes us wait.
#include "agent/worker/kubelet_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/fd.h"
#include "daemon/http/listener.h"

namespace elbowroom::agent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Says this to the first client that connects, whatever is asked, and then nothing more.
class Sayer {
 public:
  explicit Sayer(std::string words)
      : listener_(daemon::listen_on({"127.0.0.1", 0}).value()), words_(std::move(words)) {}

  [[nodiscard]] const daemon::Address& address() const { return listener_.address; }

  [[nodiscard]] std::optional<KubeletSeen> is_seen(KubeletProbe& look,
                                                   std::chrono::milliseconds within) {
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
    return look.look(within);
  }

 private:
  daemon::Listener listener_;
  std::string words_;
};

TEST(KubeletProbe, AnyAnswerOverHttpIsAKubelet) {
  for (const char* words :
       {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 3\r\n\r\nbad",
        "HTTP/1.0 401 Unauthorized\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok"}) {
    Sayer sayer(words);
    KubeletProbe look(sayer.address());
    const auto seen = sayer.is_seen(look, 5s);
    ASSERT_TRUE(seen) << words;
    EXPECT_FALSE(seen->silent);
    EXPECT_EQ(seen->where, "http://" + daemon::to_string(sayer.address()) + "/healthz");
  }
}

// One that hangs may come back and write at any time.
TEST(KubeletProbe, SilenceTwiceInARowIsAKubeletThatHangs) {
  const Sayer silent("");  // the system takes connections for it
  KubeletProbe look(silent.address());
  EXPECT_FALSE(look.look(50ms)) << "a machine under load may be slow once";
  const auto seen = look.look(50ms);
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->silent);
  const auto alone = check_no_kubelet(silent.address());
  ASSERT_FALSE(alone) << "at the start nothing is lost by waiting";
  EXPECT_EQ(alone.error().code, Code::Invalid);
  EXPECT_THAT(alone.error().message,
              AllOf(HasSubstr("says nothing, like a kubelet that hangs"),
                    HasSubstr("stop the kubelet"), HasSubstr("kubeletHealthz")));
}

TEST(KubeletProbe, OtherProtocolsAndNobodyAreNone) {
  for (int time = 0; time < 3; ++time) {
    Sayer sayer("SSH-2.0-OpenSSH_9.2\r\n");
    KubeletProbe look(sayer.address());
    EXPECT_FALSE(sayer.is_seen(look, 5s));
  }
  daemon::Address closed;
  {
    closed = daemon::listen_on({"127.0.0.1", 0}).value().address;
  }
  KubeletProbe look(closed);
  EXPECT_FALSE(look.look(5s));
  EXPECT_FALSE(look.look(5s));
  EXPECT_TRUE(check_no_kubelet(closed));
}

}  // namespace
}  // namespace elbowroom::agent
