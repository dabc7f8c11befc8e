// systemd's units, over the system bus. A call takes no longer than its deadline, connecting
// included, and a connection that was lost is made anew by the next call; what a call asks for may
// be asked for twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "cri/sd_bus.h"

namespace elbowroom::cri {

// All that we set are numbers; "infinity" is UINT64_MAX.
struct UnitProperty {
  std::string name{};
  std::uint64_t value = 0;

  friend bool operator==(const UnitProperty&, const UnitProperty&) = default;
};

// Not for two threads at once. Errors name the unit, what was asked, and the remedy: Denied (no
// right), NotFound (no such unit), Invalid (systemd refuses it), Unavailable (no bus, nobody on it,
// no answer in time: it may still come to pass).
class SystemUnits {
 public:
  // `api` must outlive it.
  explicit SystemUnits(SdBus& api, std::chrono::milliseconds deadline = std::chrono::seconds(5))
      : api_(api), deadline_(deadline), bus_(nullptr, BusRelease{&api}) {}

  // Whether this machine runs systemd at all. Asks nobody.
  [[nodiscard]] Result<void> systemd_runs() const;

  // Connects, where it is not done yet.
  [[nodiscard]] Result<void> reach();

  // Until the next boot, and over every reload of systemd until then.
  [[nodiscard]] Result<void> set_properties(const std::string& unit,
                                            std::span<const UnitProperty> properties);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Result<void> connect(Clock::time_point until);
  [[nodiscard]] Result<void> ask(const std::string& unit, std::span<const UnitProperty> properties,
                                 Clock::time_point until);
  [[nodiscard]] Result<BusMessage> message_of(const std::string& unit,
                                              std::span<const UnitProperty> properties);

  SdBus& api_;
  const std::chrono::milliseconds deadline_;
  BusConnection bus_;
};

}  // namespace elbowroom::cri
