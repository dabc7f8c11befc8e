#include "agent/write/resize_event_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace elbowroom::agent {
namespace {

policy::Requirements cpu(std::int64_t request, std::int64_t limit) {
  policy::Requirements of;
  of.requests.cpu.value = request;
  of.limits.cpu.value = limit;
  return of;
}

policy::Container container(std::string name, policy::Requirements desired) {
  policy::Container one;
  one.name = std::move(name);
  one.desired = std::move(desired);
  return one;
}

policy::Pod web() {
  policy::Pod pod;
  pod.containers.push_back(container("app", cpu(500, 0)));
  pod.containers[0].desired.requests.memory.value = std::int64_t{500} << 20;
  return pod;
}

TEST(ResizeNote, IsTheKubeletsTextForAPodWithoutResourcesOfItsOwn) {
  EXPECT_EQ(resize_event_text("Pod resize started", web(), 2, ""),
            R"(Pod resize started: {"containers":[{"name":"app","resources":{"requests":)"
            R"({"cpu":"500m","memory":"500Mi"}}}],"generation":2})");
}

TEST(ResizeNote, SaysWhatThePodItselfAsksFor) {
  policy::Pod pod = web();
  pod.pod_level.desired = cpu(2000, 3000);
  pod.containers.push_back(container("side", cpu(100, 0)));
  pod.containers[1].kind = policy::ContainerKind::Sidecar;
  EXPECT_EQ(resize_event_text("Pod resize error", pod, 3, "no room"),
            R"(Pod resize error: {"resources":{"limits":{"cpu":"3"},"requests":{"cpu":"2"}},)"
            R"("initContainers":[{"name":"side","resources":{"requests":{"cpu":"100m"}}}],)"
            R"("containers":[{"name":"app","resources":{"requests":)"
            R"({"cpu":"500m","memory":"500Mi"}}}],"generation":3,"error":"no room"})");
}

}  // namespace
}  // namespace elbowroom::agent
