#include "cri/system_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "test/unit/cri/fake_sd_bus.h"

namespace elbowroom::cri {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

struct ASystemBus : testing::Test {
  FakeSdBus bus;
  SystemUnits units{bus, std::chrono::seconds(20)};

  Result<void> set() {
    const UnitProperty properties[] = {{"CPUWeight", 20}, {"MemoryMax", UINT64_MAX}};
    return units.set_properties("kubepods-podu.slice", properties);
  }
  ~ASystemBus() override { EXPECT_EQ(bus.messages, 0); }
};

TEST_F(ASystemBus, IsOpenedAtTheFirstCallAndKept) {
  EXPECT_EQ(bus.opened, 0);
  ASSERT_TRUE(set().has_value());
  ASSERT_TRUE(set().has_value());
  EXPECT_EQ(bus.opened, 1);
  EXPECT_EQ(bus.open, 1);
}

TEST_F(ASystemBus, CarriesTheCallThatSystemdDocuments) {
  ASSERT_TRUE(set().has_value());
  EXPECT_THAT(bus.calls,
              testing::ElementsAre("org.freedesktop.systemd1 /org/freedesktop/systemd1 "
                                   "org.freedesktop.systemd1.Manager.SetUnitProperties "
                                   "kubepods-podu.slice true a<(sv)>["
                                   " r<sv>[ CPUWeight v<t>[ 20 ] ]"
                                   " r<sv>[ MemoryMax v<t>[ 18446744073709551615 ] ] ]"));
  EXPECT_GT(bus.patience.front(), 0U);
  EXPECT_LE(bus.patience.front(), 20'000'000U);
}

TEST_F(ASystemBus, ThatGreetsLateIsWaitedFor) {
  bus.greetings_late = 3;
  EXPECT_TRUE(set().has_value());
}

TEST_F(ASystemBus, ThatNeverGreetsIsGivenUpAtTheDeadline) {
  SystemUnits hasty(bus, milliseconds(0));
  bus.greetings_late = 1'000'000;
  const auto outcome = hasty.reach();
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, Code::Unavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("no greeting in time"));
  EXPECT_EQ(bus.open, 0);
}

TEST_F(ASystemBus, ThatIsNotThereIsNamedWithWhatToDo) {
  bus.opening = -ENOENT;
  const Error error = set().error();
  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_EQ(
      error.message,
      "SetUnitProperties of kubepods-podu.slice (CPUWeight, MemoryMax): connect to the system "
      "bus: No such file or directory: see that dbus runs and that its socket "
      "/run/dbus/system_bus_socket can be reached from here, or set podCgroups: leave");
  bus.opening = -EACCES;
  EXPECT_EQ(set().error().code, Code::Denied);
  bus.opening = 0;
  EXPECT_TRUE(set().has_value()) << "and is found once it is there";
}

TEST_F(ASystemBus, ThatWasLostIsOpenedAnewByTheSameCall) {
  ASSERT_TRUE(set().has_value());
  bus.lose();
  EXPECT_TRUE(set().has_value());
  EXPECT_EQ(bus.opened, 2);
  bus.fail = {{.number = -ECONNRESET, .loses_bus = true}};
  EXPECT_TRUE(set().has_value()) << "lost in the middle of a call";
  EXPECT_EQ(bus.opened, 3);
  EXPECT_EQ(bus.open, 1);
}

TEST_F(ASystemBus, ThatIsLostAgainAndAgainIsGivenUpAndTriedByTheNextCall) {
  bus.fail = {{.number = -ECONNRESET, .loses_bus = true}};
  EXPECT_EQ(set().error().code, Code::Unavailable) << "a connection that was new";
  EXPECT_EQ(bus.calls.size(), 1U);
  ASSERT_TRUE(set().has_value());
  bus.fail = {{.number = -EPIPE, .loses_bus = true}, {.number = -EPIPE, .loses_bus = true}};
  EXPECT_EQ(set().error().code, Code::Unavailable);
  EXPECT_EQ(bus.calls.size(), 4U);
  EXPECT_TRUE(set().has_value());
}

struct Refused {
  FakeSdBus::Failure by;
  Code code;
  const char* says;
};

TEST_F(ASystemBus, ACallThatIsRefusedSaysByWhomAndWhatToDo) {
  const Refused rows[] = {
      {{-EACCES, "org.freedesktop.DBus.Error.AccessDenied", "Access denied"},
       Code::Denied,
       "polkit"},
      {{-EACCES, "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", "Interactive"},
       Code::Denied,
       "polkit"},
      {{-ENOENT, "org.freedesktop.systemd1.NoSuchUnit", "Unit x not loaded."},
       Code::NotFound,
       "Unit x not loaded: nothing"},
      {{-EHOSTUNREACH, "org.freedesktop.DBus.Error.ServiceUnknown", "not provided"},
       Code::Unavailable,
       "busctl status"},
      {{-ETIMEDOUT, "org.freedesktop.DBus.Error.Timeout", "Connection timed out"},
       Code::Unavailable,
       "systemctl list-jobs"},
      {{-EINVAL, "org.freedesktop.DBus.Error.InvalidArgs", "out of range"},
       Code::Invalid,
       "podCgroups: leave"},
      {{-EBADMSG, "com.example.Else", "a\nb\x1b[31m"}, Code::Unavailable, "a\\x0ab\\x1b[31m"},
      {{-ENOMEM, nullptr, nullptr}, Code::Unavailable, "Cannot allocate memory"},
  };
  for (const Refused& row : rows) {
    bus.fail = {row.by};
    const auto outcome = set();
    ASSERT_FALSE(outcome.has_value()) << row.says;
    EXPECT_EQ(outcome.error().code, row.code) << row.says;
    EXPECT_THAT(
        outcome.error().message,
        testing::AllOf(HasSubstr("SetUnitProperties of kubepods-podu.slice"), HasSubstr(row.says)));
  }
  EXPECT_EQ(bus.opened, 1) << "a refusal loses no connection";
}

TEST_F(ASystemBus, OfAMachineWithoutSystemdIsNotAskedFor) {
  EXPECT_TRUE(units.systemd_runs().has_value());
  bus.booted = 0;
  EXPECT_THAT(units.systemd_runs().error().message,
              testing::AllOf(HasSubstr("/run/systemd/system"), HasSubstr("--pod-cgroups leave")));
  EXPECT_EQ(bus.opened, 0);
}

TEST_F(ASystemBus, IsClosedWithItsUser) {
  {
    SystemUnits brief(bus);
    ASSERT_TRUE(brief.reach().has_value());
    EXPECT_EQ(bus.open, 1);
  }
  EXPECT_EQ(bus.open, 0);
}

}  // namespace
}  // namespace elbowroom::cri
