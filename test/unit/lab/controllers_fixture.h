// A world with controllers, and the part of nodes and scheduler that lets pods run.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "api/codec/timestamp.h"
#include "lab/controllers/controllers.h"
#include "lab/controllers/owned_objects.h"
#include "lab/controllers/pod_state.h"
#include "test/unit/lab/app_fixture.h"

namespace elbowroom::lab::testing {

class ControllersTest : public ::testing::Test {
 protected:
  ControllersTest() { world_.set_time(now_); }

  void make(const char* plural, const std::string& name, int replicas,
            const Json& changes = Json::object()) {
    const auto made = world_.create(app_kind(plural), "default",
                                    merge_patched(app_object(plural, name, replicas), changes));
    ASSERT_EQ(outcome(made), "ok") << message_of(made);
  }
  void change(const char* plural, const std::string& name, const Json& patch) {
    const auto done = world_.patch({&app_kind(plural), "default", name}, PatchType::Merge, patch);
    ASSERT_EQ(outcome(done), "ok") << message_of(done);
  }
  void wait(std::chrono::seconds time) {
    now_ += time;
    world_.set_time(now_);
  }

  // Until the controllers are at rest.
  void rest() {
    for (int i = 0; i < 100 && controllers_.step(now_); ++i) {
    }
    EXPECT_FALSE(controllers_.step(now_));
  }

  // Removes the pods that terminate, as their nodes do, and makes all others run.
  void run_pods() {
    for (const Object& pod : stored_objects(world_, pods())) {
      const std::string name = text_at(pod, {"metadata", "name"});
      if (is_leaving(pod)) {
        ASSERT_TRUE(world_.remove(pod_target(name), {.grace_seconds = 0}));
      } else if (!is_ready_pod(pod) && !is_finished_pod(pod)) {
        set_ready(name, true);
      }
    }
  }
  // Controllers and nodes in turn, until nothing changes.
  void settle() {
    for (std::uint64_t before = 0; before != world_.version();) {
      before = world_.version();
      rest();
      run_pods();
    }
  }

  void set_ready(const std::string& name, bool is_ready) {
    if (text_at(pod(name), {"spec", "nodeName"}).empty()) {
      ASSERT_TRUE(world_.bind("default", name, {{"target", {{"name", "n"}}}}));
    }
    const Json ready = {{"type", "Ready"},
                        {"status", is_ready ? "True" : "False"},
                        {"lastTransitionTime", api::format_timestamp(now_)}};
    set_status(name, {{"phase", "Running"}, {"conditions", Json::array({ready})}});
  }
  void set_status(const std::string& name, const Json& status) {
    ASSERT_EQ(outcome(world_.patch(pod_target(name, Subresource::Status), PatchType::Merge,
                                   {{"status", status}})),
              "ok");
  }
  void remove(const std::string& name) { ASSERT_TRUE(world_.remove(pod_target(name), {})); }

  [[nodiscard]] Json pod(const std::string& name) const {
    const Json* found = world_.peek(pods(), "default", name);
    return found == nullptr ? Json::object() : *found;
  }
  [[nodiscard]] Json app(const char* plural, const std::string& name) const {
    const Json* found = world_.peek(app_kind(plural), "default", name);
    return found == nullptr ? Json::object() : *found;
  }
  [[nodiscard]] Json status_of(const char* plural, const std::string& name) const {
    return map_at(app(plural, name), {"status"});
  }
  // Of pods that are neither finished nor terminating.
  [[nodiscard]] std::vector<std::string> active() const {
    std::vector<std::string> names;
    for (const Object& pod : stored_objects(world_, pods())) {
      if (is_active_pod(pod)) names.push_back(text_at(pod, {"metadata", "name"}));
    }
    return names;
  }

  policy::Time now_{std::chrono::seconds(1'767'225'600)};
  World world_{{}};
  Controllers controllers_{world_};
};

}  // namespace elbowroom::lab::testing
