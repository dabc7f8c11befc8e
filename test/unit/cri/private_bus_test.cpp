// The same calls as in system_units_test.cpp, through the library and a real message bus.
#include "test/unit/cri/private_bus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>

#include "base/fd.h"
#include "cri/pod_slice.h"
#include "cri/system_units.h"

namespace elbowroom::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kUnit = "kubepods-podu.slice";
// Long enough for a busy machine, and never waited for where all is well.
constexpr seconds kPatience{20};

struct APrivateBus : testing::Test {
  std::optional<PrivateBus> bus;
  SystemUnits units{real_sd_bus(), kPatience};

  void SetUp() override {
    if (!PrivateBus::can_run()) GTEST_SKIP() << "there is no dbus-daemon (Debian: dbus-daemon)";
    bus.emplace();
  }
  static Result<void> set(SystemUnits& by) {
    const UnitProperty properties[] = {{"CPUWeight", 20}, {"MemoryMax", UINT64_MAX}};
    return by.set_properties(kUnit, properties);
  }
};

std::string fine(const UnitsServer::Set& /*set*/) { return ""; }

TEST_F(APrivateBus, CarriesTheSignatureAndTheValues) {
  UnitsServer server(fine);
  const auto outcome = set(units);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  const auto seen = server.seen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].unit, kUnit);
  EXPECT_TRUE(seen[0].runtime);
  EXPECT_THAT(seen[0].properties, testing::ElementsAre(testing::Pair("CPUWeight", 20),
                                                       testing::Pair("MemoryMax", UINT64_MAX)));
}

TEST_F(APrivateBus, WithNobodyOfThatNameSaysSo) {
  const Error error = set(units).error();
  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_THAT(error.message, HasSubstr("busctl status"));
}

TEST_F(APrivateBus, BringsARefusalBackByItsName) {
  std::atomic<const char*> refusal;
  UnitsServer server([&](const UnitsServer::Set&) { return std::string(refusal); });
  refusal = "org.freedesktop.DBus.Error.AccessDenied";
  EXPECT_EQ(set(units).error().code, Code::Denied);
  refusal = "org.freedesktop.systemd1.NoSuchUnit";
  EXPECT_EQ(set(units).error().code, Code::NotFound);
  EXPECT_THAT(set(units).error().message, HasSubstr("refused by the test"));
  refusal = "";
  EXPECT_TRUE(set(units).has_value());
}

TEST_F(APrivateBus, WhereNobodyAnswersIsGivenUpAtTheDeadline) {
  UnitsServer server([](const UnitsServer::Set&) { return "silence"; });
  SystemUnits hasty(real_sd_bus(), milliseconds(300));
  const auto began = std::chrono::steady_clock::now();
  const Error error = set(hasty).error();
  EXPECT_LT(std::chrono::steady_clock::now() - began, kPatience);
  EXPECT_EQ(error.code, Code::Unavailable);
  // On a busy machine the greeting alone may take that long.
  EXPECT_THAT(error.message,
              testing::AnyOf(HasSubstr("systemctl list-jobs"), HasSubstr("no greeting in time")));
}

TEST_F(APrivateBus, ThatWasRestartedIsFoundAgainByTheSameCall) {
  auto server = std::make_unique<UnitsServer>(fine);
  ASSERT_TRUE(set(units).has_value());
  server.reset();
  bus->stop();
  EXPECT_EQ(set(units).error().code, Code::Unavailable) << "while it is away";
  bus->start();
  server = std::make_unique<UnitsServer>(fine);
  EXPECT_TRUE(set(units).has_value());
  server.reset();
  bus->stop();
  bus->start();
  server = std::make_unique<UnitsServer>(fine);
  const auto outcome = set(units);
  EXPECT_TRUE(outcome.has_value())
      << "nobody noticed that it was away: " << outcome.error().message;
}

// Connects, and is never greeted: sd_bus_call alone would wait for 90 seconds.
TEST(ASocketThatIsNoBus, IsGivenUpAtTheDeadline) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "mute").string();
  const Fd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
            0);
  ASSERT_EQ(::listen(listening.get(), 4), 0);
  ::setenv("DBUS_SYSTEM_BUS_ADDRESS", ("unix:path=" + path).c_str(), 1);
  SystemUnits hasty(real_sd_bus(), milliseconds(200));
  const auto began = std::chrono::steady_clock::now();
  const Error error = hasty.reach().error();
  ::unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
  EXPECT_LT(std::chrono::steady_clock::now() - began, kPatience);
  EXPECT_THAT(error.message, HasSubstr("no greeting in time"));
}

TEST(ASystemBusAddress, ThatLeadsNowhereIsSaid) {
  const test::TemporaryFolder folder;
  ::setenv("DBUS_SYSTEM_BUS_ADDRESS", ("unix:path=" + (folder.path() / "none").string()).c_str(),
           1);
  const Error error = SystemUnits(real_sd_bus()).reach().error();
  ::unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_THAT(error.message, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace elbowroom::cri
