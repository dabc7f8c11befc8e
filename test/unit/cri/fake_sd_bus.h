// A system bus for tests, with a systemd on it that stores what it receives. It records each call
// as a line, and fails as often as a test demands.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cri/sd_bus.h"

namespace elbowroom::cri {

class FakeSdBus final : public SdBus {
 public:
  struct Failure {
    int number = 0;  // negative errno
    const char* name = nullptr;
    const char* words = nullptr;
    bool loses_bus = false;
  };

  int booted = 1;
  int opening = 0;           // what open_system returns where it is not 0
  int greetings_late = 0;    // how many rounds a new connection is not ready for
  std::deque<Failure> fail;  // of the calls that come, one by one
  // What systemd does with a property besides keeping it.
  std::function<void(const std::string& unit, const std::string& name, std::uint64_t value)> keep;

  int opened = 0;
  int open = 0;      // connections that were not closed
  int messages = 0;  // and messages that were not given back
  std::vector<std::string> calls;
  std::vector<std::uint64_t> patience;  // of each call

  void lose() { lost_ = opened; }

  int sd_booted() override { return booted; }
  int sd_bus_open_system(sd_bus** bus) override {
    if (opening != 0) return opening;
    ++open;
    waits_ = greetings_late;
    *bus = reinterpret_cast<sd_bus*>(static_cast<std::uintptr_t>(++opened));
    return 0;
  }
  int sd_bus_is_ready(sd_bus* bus) override {
    return waits_ == 0 && reinterpret_cast<std::uintptr_t>(bus) > static_cast<std::uintptr_t>(lost_)
               ? 1
               : 0;
  }
  int sd_bus_process(sd_bus* /*bus*/) override { return 0; }
  int sd_bus_wait(sd_bus* /*bus*/, std::uint64_t /*usec*/) override {
    if (waits_ > 0) --waits_;
    return 1;
  }
  void sd_bus_close_unref(sd_bus* /*bus*/) override { --open; }

  int sd_bus_message_new_method_call(sd_bus* /*bus*/, sd_bus_message** message,
                                     const char* destination, const char* path,
                                     const char* interface, const char* member) override {
    ++messages;
    text_ = std::string(destination) + " " + path + " " + interface + "." + member;
    values_.clear();
    *message = reinterpret_cast<sd_bus_message*>(this);
    return 0;
  }
  int sd_bus_message_append_basic(sd_bus_message* /*message*/, char type,
                                  const void* value) override {
    if (type == 's') values_.emplace_back(static_cast<const char*>(value));
    if (type == 'b') values_.emplace_back(*static_cast<const int*>(value) != 0 ? "true" : "false");
    if (type == 't') values_.push_back(std::to_string(*static_cast<const std::uint64_t*>(value)));
    text_ += " " + values_.back();
    return 0;
  }
  int sd_bus_message_open_container(sd_bus_message* /*message*/, char type,
                                    const char* contents) override {
    text_ += std::string(" ") + type + "<" + contents + ">[";
    return 0;
  }
  int sd_bus_message_close_container(sd_bus_message* /*message*/) override {
    text_ += " ]";
    return 0;
  }
  void sd_bus_message_unref(sd_bus_message* /*message*/) override { --messages; }

  int sd_bus_call(sd_bus* bus, sd_bus_message* /*message*/, std::uint64_t usec,
                  sd_bus_error* error) override {
    calls.push_back(text_);
    patience.push_back(usec);
    if (sd_bus_is_ready(bus) == 0) return -ECONNRESET;
    if (!fail.empty()) {
      const Failure failure = fail.front();
      fail.pop_front();
      if (failure.loses_bus) lose();
      if (failure.name != nullptr) sd_bus_error_set(error, failure.name, failure.words);
      if (failure.number != 0) return failure.number;
    }
    for (std::size_t i = 2; keep && i + 1 < values_.size(); i += 2) {
      keep(values_[0], values_[i], std::stoull(values_[i + 1]));
    }
    return 1;
  }

 private:
  int lost_ = 0;  // this connection and those before it
  int waits_ = 0;
  std::string text_;
  std::vector<std::string> values_;
};

}  // namespace elbowroom::cri
