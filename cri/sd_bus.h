// The part of libsystemd's sd-bus that a call to systemd needs: one virtual function for each
// function of the C API, with its name and meaning (sd-bus(3)). It contains no logic, so a test
// double covers every decision.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>

namespace elbowroom::cri {

class SdBus {
 public:
  virtual ~SdBus() = default;

  [[nodiscard]] virtual int sd_booted() = 0;
  [[nodiscard]] virtual int sd_bus_open_system(sd_bus** bus) = 0;
  [[nodiscard]] virtual int sd_bus_is_ready(sd_bus* bus) = 0;
  [[nodiscard]] virtual int sd_bus_process(sd_bus* bus) = 0;
  [[nodiscard]] virtual int sd_bus_wait(sd_bus* bus, std::uint64_t usec) = 0;
  virtual void sd_bus_close_unref(sd_bus* bus) = 0;

  [[nodiscard]] virtual int sd_bus_message_new_method_call(sd_bus* bus, sd_bus_message** message,
                                                           const char* destination,
                                                           const char* path, const char* interface,
                                                           const char* member) = 0;
  [[nodiscard]] virtual int sd_bus_message_append_basic(sd_bus_message* message, char type,
                                                        const void* value) = 0;
  [[nodiscard]] virtual int sd_bus_message_open_container(sd_bus_message* message, char type,
                                                          const char* contents) = 0;
  [[nodiscard]] virtual int sd_bus_message_close_container(sd_bus_message* message) = 0;
  virtual void sd_bus_message_unref(sd_bus_message* message) = 0;

  // Only the existence of a reply is returned: none of our calls returns a value.
  [[nodiscard]] virtual int sd_bus_call(sd_bus* bus, sd_bus_message* message, std::uint64_t usec,
                                        sd_bus_error* error) = 0;
};

// The library itself.
[[nodiscard]] SdBus& real_sd_bus();

// Closes a connection, or releases a message, at the end of its scope.
struct BusRelease {
  SdBus* api;
  void operator()(sd_bus* bus) const { api->sd_bus_close_unref(bus); }
  void operator()(sd_bus_message* message) const { api->sd_bus_message_unref(message); }
};
using BusConnection = std::unique_ptr<sd_bus, BusRelease>;
using BusMessage = std::unique_ptr<sd_bus_message, BusRelease>;

}  // namespace elbowroom::cri
