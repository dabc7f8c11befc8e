#include "api/transport/request_outcome.h"

#include <gtest/gtest.h>

namespace elbowroom::api {
namespace {

std::string words(Method method, const std::string& path, Query query = {}) {
  const RequestOutcome call = called({.method = method, .path = path, .query = std::move(query)});
  return std::string(call.verb) + " " + std::string(call.resource);
}

TEST(RequestOutcome, VerbAndResourceAsMetricsSayThem) {
  EXPECT_EQ(words(Method::Get, "/api/v1/pods"), "LIST pods");
  EXPECT_EQ(words(Method::Get, "/api/v1/pods", {{"watch", "true"}}), "WATCH pods");
  EXPECT_EQ(words(Method::Get, "/api/v1/nodes/node-1"), "GET nodes");
  EXPECT_EQ(words(Method::Patch, "/api/v1/namespaces/a/pods/b/status"), "PATCH pods");
  EXPECT_EQ(words(Method::Delete, "/api/v1/namespaces/pods/pods/nodes"), "DELETE pods");
  EXPECT_EQ(words(Method::Post, "/apis/events.k8s.io/v1/namespaces/a/events"), "POST events");
  EXPECT_EQ(words(Method::Put, "/apis/coordination.k8s.io/v1/namespaces/a/leases/b"), "PUT leases");
  EXPECT_EQ(words(Method::Get, "/apis/policy/v1/poddisruptionbudgets", {{"watch", "true"}}),
            "WATCH poddisruptionbudgets");
  EXPECT_EQ(words(Method::Get, "/apis/apps/v1/namespaces/a/daemonsets"), "LIST other");
  EXPECT_EQ(words(Method::Get, "/version"), "GET version");
  EXPECT_EQ(words(Method::Get, "/api/v1/namespaces"), "LIST namespaces");
  EXPECT_EQ(words(Method::Get, "/api/v1/namespaces", {{"watch", "1"}}), "WATCH namespaces");
  EXPECT_EQ(words(Method::Get, "/api/v1/namespaces/a"), "GET namespaces");
  EXPECT_EQ(words(Method::Get, "/apis/scheduling.k8s.io"), "GET discovery");
  EXPECT_EQ(words(Method::Get, "/apis/scheduling.k8s.io/v1beta1"), "GET discovery");
  EXPECT_EQ(words(Method::Get, "/apis/scheduling.k8s.io/v1beta1/podgroups"), "LIST podgroups");
  EXPECT_EQ(words(Method::Patch, "/apis/scheduling.k8s.io/v1beta1/namespaces/a/podgroups/b/status"),
            "PATCH podgroups");
  EXPECT_EQ(words(Method::Get, ""), "LIST other");
}

}  // namespace
}  // namespace elbowroom::api
