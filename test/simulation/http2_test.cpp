// Watching pods over TLS and HTTP/2 through a real proxy (nghttpx), with everything that proxies do
// to watches: the watcher always ends with the server's state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "api/codec/object_ref.h"
#include "api/transport/curl_transport.h"
#include "api/watch/watcher.h"
#include "base/child_program.h"
#include "base/durable_file.h"
#include "lab/apiserver/api_server.h"
#include "test/simulation/gate.h"
#include "test/temporary_folder.h"
#include "test/unit/api/certificates.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

using namespace std::chrono_literals;
using api::Clock;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kLongEnough{30};

// In the folders of PATH, and where Debian has it; "" where it is in none. ./dev test unpacks it.
std::string nghttpx() {
  const char* const path = ::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
  std::istringstream folders(std::string(path == nullptr ? "" : path) + ":/usr/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = folder + "/nghttpx";
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

class Http2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nghttpx().empty()) {
      GTEST_SKIP() << "no nghttpx here (Debian's nghttp2-proxy): HTTP/2 is not tried";
    }
    server_.with_world([](lab::World& world) {
      EXPECT_TRUE(world.create(lab::testing::nodes(), "", lab::testing::node_object("n")));
    });
    ASSERT_TRUE(server_.start());
    back_ = Gate::before_port(server_.port());
    back_->open();
    write("cert.pem", certificate_.certificate_pem());
    write("key.pem", certificate_.key_pem());
    start_proxy();
    front_ = Gate::before_socket(path("proxy.sock"));
    front_->open();
    follow();
  }
  void TearDown() override {
    watcher_.reset();
    transport_.reset();
    if (front_) front_->refuse();
    proxy_.reset();
    if (back_) back_->refuse();
    server_.stop();
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }

  void start_proxy() {
    std::filesystem::remove(path("proxy.sock"));
    auto started = ChildProgram::start(
        {.command = nghttpx(),
         .arguments = {"--conf=/dev/null", "--workers=1", "--log-level=FATAL",
                       "--frontend=unix:" + path("proxy.sock"),
                       "--backend=127.0.0.1," + std::to_string(back_->port()),
                       "--accesslog-file=" + path("access.log"),
                       "--accesslog-format=$alpn $request", path("key.pem"), path("cert.pem")},
         .environment = {"PATH=/usr/bin:/bin"}});
    ASSERT_TRUE(started) << started.error().message;
    proxy_ = *std::move(started);
  }

  void follow() {
    api::Access access;
    access.server = {"https", "127.0.0.1", static_cast<std::uint16_t>(front_->port()), ""};
    access.authority_pem = authority_.pem();
    transport_ = std::make_unique<api::CurlTransport>(access, api::TransportOptions{});
    api::ListWatchOptions options;
    options.backoff = {20ms, 200ms, 1h};
    options.longest_silence = 1s;
    options.longest_head = 1s;
    watcher_ = std::make_unique<api::Watcher<std::string>>(
        *transport_, api::WatchTarget{"/api/v1/pods", "Pod", "spec.nodeName=n", ""}, options,
        [](const Value& value) -> Result<std::string> { return api::ref_of(value).name; },
        [this](const api::WatchReport<std::string>& news) { take(news); });
    watcher_->start();
  }

  void take(const api::WatchReport<std::string>& news) {
    if (const auto* all = std::get_if<api::Replaced<std::string>>(&news)) {
      seen_ = {all->objects.begin(), all->objects.end()};
    } else if (const auto* one = std::get_if<api::Upserted<std::string>>(&news)) {
      seen_.insert(one->object);
    } else if (const auto* gone = std::get_if<api::Removed>(&news)) {
      seen_.erase(gone->ref.name);
    } else if (const auto* stale = std::get_if<api::Stale>(&news)) {
      trouble_ = stale->error.message;
    }
  }

  void create(const std::string& name) {
    server_.with_world([&](lab::World& world) {
      EXPECT_TRUE(
          world.create(lab::testing::pods(), "default", lab::testing::pod_object(name, "n")));
    });
  }
  // True once the watcher has seen exactly these.
  bool sees(const std::set<std::string>& names) {
    const auto deadline = Clock::now() + kLongEnough;
    while (seen_ != names && Clock::now() < deadline) transport_->run_once(20ms);
    if (seen_ != names) ADD_FAILURE() << "the last trouble: " << trouble_;
    return seen_ == names;
  }
  // True once the watcher has noticed that it does not follow.
  bool goes_stale() {
    const auto deadline = Clock::now() + kLongEnough;
    while (!watcher_->freshness().is_stale && Clock::now() < deadline) transport_->run_once(20ms);
    return watcher_->freshness().is_stale;
  }

  test::TemporaryFolder folder_;
  api::Authority authority_{"authority"};
  api::Issued certificate_ = authority_.issue("proxy", "IP:127.0.0.1");
  lab::World world_{{}};
  lab::ApiServer server_{world_, {}};
  std::unique_ptr<Gate> back_;  // between the proxy and the API server
  std::unique_ptr<ChildProgram> proxy_;
  std::unique_ptr<Gate> front_;  // between us and the proxy
  std::unique_ptr<api::CurlTransport> transport_;
  std::unique_ptr<api::Watcher<std::string>> watcher_;
  std::set<std::string> seen_{};
  std::string trouble_{};  // the last
};

TEST_F(Http2, IsSpokenAndAWatchGoesThrough) {
  create("a");
  ASSERT_TRUE(sees({"a"}));
  create("b");
  ASSERT_TRUE(sees({"a", "b"}));
  const auto log = [this] { return read_file(path("access.log"), 1 << 20).value_or(""); };
  const auto deadline = Clock::now() + kLongEnough;
  while (log().empty() && Clock::now() < deadline) transport_->run_once(20ms);
  EXPECT_THAT(log(), HasSubstr("h2 GET /api/v1/pods"));
}

TEST_F(Http2, AProxyThatIsRestartedLosesNothing) {
  create("a");
  ASSERT_TRUE(sees({"a"}));
  proxy_.reset();
  create("b");
  EXPECT_TRUE(goes_stale());
  start_proxy();
  EXPECT_TRUE(sees({"a", "b"}));
}

TEST_F(Http2, GoAwayLosesNothing) {
  create("a");
  ASSERT_TRUE(sees({"a"}));
  const auto leaving = std::move(proxy_);
  ::kill(-leaving->pid(), SIGQUIT);  // nghttpx says GOAWAY then, and ends what is under way first
  create("b");
  start_proxy();
  EXPECT_TRUE(sees({"a", "b"}));
  create("c");
  EXPECT_TRUE(sees({"a", "b", "c"}));
}

TEST_F(Http2, AStreamThatIsResetLosesNothing) {
  create("a");
  ASSERT_TRUE(sees({"a"}));
  for (const std::string name : {"b", "c", "d"}) {
    back_->refuse();  // in mid-answer: the proxy has nothing left to do but RST_STREAM
    create(name);
    transport_->run_once(50ms);
    back_->open();
  }
  EXPECT_TRUE(sees({"a", "b", "c", "d"}));
}

TEST_F(Http2, AConnectionThatIsHalfOpenLosesNothing) {
  create("a");
  ASSERT_TRUE(sees({"a"}));
  front_->silence();  // neither an end nor a byte
  create("b");
  EXPECT_TRUE(goes_stale()) << "by the longest silence";
  front_->refuse();
  front_->open();
  EXPECT_TRUE(sees({"a", "b"}));
}

TEST_F(Http2, ByteByByteNothingIsLost) {
  front_->trickle();
  create("a");
  ASSERT_TRUE(sees({"a"}));
  create("b");
  EXPECT_TRUE(sees({"a", "b"}));
}

}  // namespace
}  // namespace elbowroom::test
