// systemd's units, over the system bus. A call takes no longer than its deadline, connecting
// included. The next call replaces a lost connection. All calls are idempotent.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "cri/sd_bus.h"

namespace elbowroom::cri {

// All properties that are set are numbers; "infinity" is UINT64_MAX.
struct UnitProperty {
  std::string name{};
  std::uint64_t value = 0;

  friend bool operator==(const UnitProperty&, const UnitProperty&) = default;
};

// Not thread-safe. Errors name the unit, the request and the remedy: Denied (no permission),
// NotFound (no such unit), Invalid (systemd refuses it), Unavailable (no bus, no systemd on it, no
// answer in time: the request may still take effect).
class SystemUnits {
 public:
  // `api` must outlive this object.
  explicit SystemUnits(SdBus& api, std::chrono::milliseconds deadline = std::chrono::seconds(5))
      : api_(api), deadline_(deadline), bus_(nullptr, BusRelease{&api}) {}

  // Whether this machine runs systemd. Makes no call.
  [[nodiscard]] Result<void> systemd_runs() const;

  // Connects, unless connected.
  [[nodiscard]] Result<void> reach();

  // The properties last until the next boot, across reloads of systemd.
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
