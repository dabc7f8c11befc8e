#include "api/decode_cluster_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "api/decode_pod.h"
#include "base/document_text.h"
#include "policy/resources.h"

namespace elbowroom::api {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// `%` in what is said of it stands for an amount that API servers take, and 64 bits do not hold.
Value pod_with(std::string spec, std::string status) {
  const auto filled = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('%', at)) != std::string::npos;) {
      text.replace(at, 1, "\"9223372036854775807\"");
    }
    return text;
  };
  const auto parsed = parse_yaml(
      "{kind: Pod, metadata: {name: web, uid: u-1}, spec: {nodeName: n, containers: [{name: app, "
      "resources: " +
      filled(std::move(spec)) + "}]}, status: {containerStatuses: [{name: app, " +
      filled(std::move(status)) + "}]}}");
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? parsed->front() : Value{};
}

TEST(DecodeClusterPod, ALimitThatIsTooLargeIsTheLargest) {
  const Value object = pod_with("{requests: {cpu: 1}, limits: {cpu: %, memory: 1Gi}}",
                                "resources: {requests: {cpu: 1}, limits: {cpu: %}}");
  EXPECT_FALSE(decode_pod(object)) << "files of a user stay strict";
  const Value no_memory = pod_with("{requests: {cpu: 1}, limits: {cpu: %}}",
                                   "resources: {requests: {cpu: 1}, limits: {cpu: %}}");
  const auto pod = decode_cluster_pod(no_memory);
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(pod->containers[0].desired.limits.cpu.value, kMost);
  EXPECT_EQ(pod->containers[0].actual_limits->cpu.value, kMost);
  EXPECT_EQ(pod->containers[0].desired.requests.cpu.value, 1000);
  EXPECT_EQ(pod->containers[0].actual_requests->cpu.value, 1000);
  EXPECT_TRUE(decode_cluster_pod(object));
}

TEST(DecodeClusterPod, WhatHoldsRoomStaysStrict) {
  for (const auto& [spec, status] : std::vector<std::pair<std::string, std::string>>{
           {"{requests: {cpu: %}, limits: {cpu: %}}", "ready: true"},
           {"{limits: {cpu: %}}", "ready: true"},  // the request, too
           {"{requests: {cpu: 1}, limits: {cpu: %}}", "allocatedResources: {cpu: %}"},
           {"{requests: {cpu: 1}, limits: {cpu: %}}", "resources: {requests: {cpu: %}}"}}) {
    const auto pod = decode_cluster_pod(pod_with(spec, status));
    ASSERT_FALSE(pod) << spec << " " << status;
    EXPECT_THAT(pod.error().message, HasSubstr("is above 2^63-1 millicores"));
  }
}

TEST(DecodeClusterPod, WhatIsMalformedIsNoLargeAmount) {
  for (const char* limit : {"-1", "much", "1.23456789012345678901"}) {
    const std::string spec = "{requests: {cpu: 1}, limits: {cpu: \"" + std::string(limit) + "\"}}";
    EXPECT_FALSE(decode_cluster_pod(pod_with(spec, "ready: true"))) << limit;
  }
}

TEST(DecodeClusterPod, TheRestIsAsItWas) {
  const Value object = pod_with("{requests: {cpu: 1}, limits: {cpu: 2}}", "ready: true");
  EXPECT_FALSE(with_largest_limits(object));
  EXPECT_EQ(decode_cluster_pod(object), decode_pod(object));
}

}  // namespace
}  // namespace elbowroom::api
