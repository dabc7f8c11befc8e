#include "cri/system_units.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace elbowroom::cri {
namespace {

constexpr std::size_t kMostWords = 300;
constexpr const char* kLeave = "set podCgroups: leave";

// An error name from systemd or the bus, the code for the caller, and the remedy for people.
struct Refusal {
  std::string_view name;
  Code code;
  const char* remedy;
};
constexpr const char* kMayNot =
    "let polkit allow it (install polkit, and the rule of the package elbowroom-agent), or set "
    "podCgroups: leave";
constexpr const char* kNobody = "see that systemd runs here and is on the bus (busctl status)";
constexpr const char* kSlow = "it is tried again; see what holds systemd up (systemctl list-jobs)";
constexpr std::array kRefusals = {
    Refusal{"org.freedesktop.DBus.Error.AccessDenied", Code::Denied, kMayNot},
    Refusal{"org.freedesktop.DBus.Error.AuthFailed", Code::Denied, kMayNot},
    Refusal{"org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", Code::Denied, kMayNot},
    Refusal{"org.freedesktop.systemd1.NoSuchUnit", Code::NotFound,
            "nothing where the pod has just gone"},
    Refusal{"org.freedesktop.systemd1.LoadFailed", Code::NotFound,
            "mend the unit's files (systemctl status)"},
    Refusal{"org.freedesktop.systemd1.UnitMasked", Code::NotFound, "systemctl unmask it"},
    Refusal{"org.freedesktop.DBus.Error.ServiceUnknown", Code::Unavailable, kNobody},
    Refusal{"org.freedesktop.DBus.Error.NameHasNoOwner", Code::Unavailable, kNobody},
    Refusal{"org.freedesktop.DBus.Error.NoReply", Code::Unavailable, kSlow},
    Refusal{"org.freedesktop.DBus.Error.Timeout", Code::Unavailable, kSlow},
    Refusal{"org.freedesktop.DBus.Error.LimitsExceeded", Code::Unavailable, kSlow},
    Refusal{"org.freedesktop.DBus.Error.InvalidArgs", Code::Invalid, kLeave},
    Refusal{"org.freedesktop.DBus.Error.PropertyReadOnly", Code::Invalid, kLeave},
    Refusal{"org.freedesktop.DBus.Error.UnknownProperty", Code::Invalid, kLeave},
    Refusal{"org.freedesktop.DBus.Error.UnknownMethod", Code::Invalid, kLeave},
};

std::string words_of(int number) { return std::generic_category().message(std::abs(number)); }

std::unexpected<Error> no_bus(Code code, const std::string& why) {
  return failure(code,
                 "connect to the system bus: " + why +
                     ": see that dbus runs and that its socket /run/dbus/system_bus_socket can "
                     "be reached from here, or set podCgroups: leave");
}

std::unexpected<Error> no_connection(int number) {
  const Code code = number == -EACCES || number == -EPERM ? Code::Denied : Code::Unavailable;
  return no_bus(code, words_of(number));
}

// The error, from the reply, or from the number if there was none.
std::unexpected<Error> refused(int number, const sd_bus_error& error) {
  const std::string_view name = error.name == nullptr ? "" : error.name;
  const std::string_view said = error.message == nullptr ? "" : error.message;
  std::string words = said.empty() ? words_of(number) : clipped(sanitize_line(said), kMostWords);
  while (words.ends_with('.')) words.pop_back();
  const auto known = std::ranges::find(kRefusals, name, &Refusal::name);
  if (known != kRefusals.end()) return failure(known->code, words + ": " + known->remedy);
  return failure(Code::Unavailable, words + ": it is tried again; see the journal of systemd");
}

std::uint64_t usec_until(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
      until - std::chrono::steady_clock::now());
  // To sd-bus, 0 means its default of 25 seconds.
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, left.count()));
}

std::string doing(const std::string& unit, std::span<const UnitProperty> properties) {
  std::string names;
  for (const UnitProperty& each : properties) names += (names.empty() ? "" : ", ") + each.name;
  return "SetUnitProperties of " + unit + " (" + names + ")";
}

}  // namespace

Result<void> SystemUnits::systemd_runs() const {
  if (api_.sd_booted() > 0) return {};
  return failure(Code::Unavailable,
                 "the cgroup driver is systemd, and no systemd runs here (there is no "
                 "/run/systemd/system): use --pod-cgroups leave, or --cgroup-driver cgroupfs where "
                 "that is the runtime's");
}

Result<void> SystemUnits::reach() { return connect(Clock::now() + deadline_); }

Result<void> SystemUnits::connect(Clock::time_point until) {
  if (bus_ && api_.sd_bus_is_ready(bus_.get()) > 0) return {};
  bus_.reset();
  sd_bus* opened = nullptr;
  if (const int done = api_.sd_bus_open_system(&opened); done < 0) return no_connection(done);
  BusConnection bus(opened, BusRelease{&api_});
  // Waits here, because sd_bus_call would wait for the greeting without a bound.
  while (api_.sd_bus_is_ready(bus.get()) <= 0) {
    const int did = api_.sd_bus_process(bus.get());
    if (did < 0) return no_connection(did);
    if (did > 0) continue;
    if (Clock::now() >= until) return no_bus(Code::Unavailable, "no greeting in time");
    if (const int waited = api_.sd_bus_wait(bus.get(), usec_until(until));
        waited < 0 && waited != -EINTR) {
      return no_connection(waited);
    }
  }
  bus_ = std::move(bus);
  return {};
}

Result<BusMessage> SystemUnits::message_of(const std::string& unit,
                                           std::span<const UnitProperty> properties) {
  sd_bus_message* made = nullptr;
  int first_error = api_.sd_bus_message_new_method_call(
      bus_.get(), &made, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
      "org.freedesktop.systemd1.Manager", "SetUnitProperties");
  BusMessage message(made, BusRelease{&api_});
  const auto then = [&](auto step) {
    if (first_error >= 0) first_error = step(made);
  };
  const auto append = [&](char type, const void* value) {
    then([&](sd_bus_message* to) { return api_.sd_bus_message_append_basic(to, type, value); });
  };
  const auto open = [&](char type, const char* contents) {
    then(
        [&](sd_bus_message* in) { return api_.sd_bus_message_open_container(in, type, contents); });
  };
  const auto close = [&] {
    then([&](sd_bus_message* in) { return api_.sd_bus_message_close_container(in); });
  };
  const int runtime = 1;  // a boolean is an int in this API
  append('s', unit.c_str());
  append('b', &runtime);
  open('a', "(sv)");
  for (const UnitProperty& each : properties) {
    open('r', "sv");
    append('s', each.name.c_str());
    open('v', "t");
    append('t', &each.value);
    close();
    close();
  }
  close();
  if (first_error < 0) {
    return failure(Code::Internal, "compose the message: " + words_of(first_error));
  }
  return message;
}

Result<void> SystemUnits::ask(const std::string& unit, std::span<const UnitProperty> properties,
                              Clock::time_point until) {
  RETURN_IF_ERROR(connect(until));
  ASSIGN_OR_RETURN(const BusMessage message, message_of(unit, properties));
  sd_bus_error error = SD_BUS_ERROR_NULL;
  const int done = api_.sd_bus_call(bus_.get(), message.get(), usec_until(until), &error);
  auto outcome = done < 0 ? Result<void>(refused(done, error)) : Result<void>();
  sd_bus_error_free(&error);
  return outcome;
}

Result<void> SystemUnits::set_properties(const std::string& unit,
                                         std::span<const UnitProperty> properties) {
  const Clock::time_point until = Clock::now() + deadline_;
  const bool was_connected = bus_ != nullptr;
  auto outcome = ask(unit, properties, until);
  // A restarted bus is noticed by the call that fails on the earlier connection.
  const bool lost = !outcome && bus_ && api_.sd_bus_is_ready(bus_.get()) <= 0;
  if (lost) bus_.reset();
  if (lost && was_connected) outcome = ask(unit, properties, until);
  if (outcome) return {};
  return std::unexpected(outcome.error().with(doing(unit, properties)));
}

}  // namespace elbowroom::cri
