#include "cri/sd_bus.h"

#include <systemd/sd-daemon.h>

namespace elbowroom::cri {
namespace {

class RealSdBus final : public SdBus {
 public:
  int sd_booted() override { return ::sd_booted(); }
  int sd_bus_open_system(sd_bus** bus) override { return ::sd_bus_open_system(bus); }
  int sd_bus_is_ready(sd_bus* bus) override { return ::sd_bus_is_ready(bus); }
  int sd_bus_process(sd_bus* bus) override { return ::sd_bus_process(bus, nullptr); }
  int sd_bus_wait(sd_bus* bus, std::uint64_t usec) override { return ::sd_bus_wait(bus, usec); }
  void sd_bus_close_unref(sd_bus* bus) override { ::sd_bus_close_unref(bus); }

  int sd_bus_message_new_method_call(sd_bus* bus, sd_bus_message** message, const char* destination,
                                     const char* path, const char* interface,
                                     const char* member) override {
    return ::sd_bus_message_new_method_call(bus, message, destination, path, interface, member);
  }
  int sd_bus_message_append_basic(sd_bus_message* message, char type, const void* value) override {
    return ::sd_bus_message_append_basic(message, type, value);
  }
  int sd_bus_message_open_container(sd_bus_message* message, char type,
                                    const char* contents) override {
    return ::sd_bus_message_open_container(message, type, contents);
  }
  int sd_bus_message_close_container(sd_bus_message* message) override {
    return ::sd_bus_message_close_container(message);
  }
  void sd_bus_message_unref(sd_bus_message* message) override { ::sd_bus_message_unref(message); }

  int sd_bus_call(sd_bus* bus, sd_bus_message* message, std::uint64_t usec,
                  sd_bus_error* error) override {
    return ::sd_bus_call(bus, message, usec, error, nullptr);
  }
};

}  // namespace

SdBus& real_sd_bus() {
  static RealSdBus real;
  return real;
}

}  // namespace elbowroom::cri
