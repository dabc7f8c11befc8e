#include "api/codec/wire_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/codec/json.h"

namespace elbowroom::api {
namespace {

std::string filtered(std::string_view text, std::string_view kind, WireFilter::Of of) {
  const auto value = parse_json(text, {.depth = 8}, WireFilter(kind, of));
  return value ? to_json(*value) : "error: " + value.error().message;
}

std::string of_event(std::string_view text) { return filtered(text, "Pod", WireFilter::Of::Event); }

TEST(WireFilter, KeepsWhatTheDecodersRead) {
  EXPECT_EQ(
      filtered(R"({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a", "managedFields":
[{"fieldsV1": {"f:x": {}}}], "labels": {"env": "b", "managedFields": "c"}}, "spec": {"containers":
[{"env": [{"name": "A", "value": 1, "value": 1}], "name": "app", "image": "i", "resources": {"requests":
{"cpu": "1"}, "claims": []}}], "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName":
"c"}, "secret": {}}]}, "status": {"phase": "Running", "hostIPs": [{"ip": "1"}]}})",
               "Pod", WireFilter::Of::Object),
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"env":"b",)"
      R"("managedFields":"c"}},"spec":{"containers":[{"name":"app","image":"i",)"
      R"("resources":{"requests":{"cpu":"1"}}}],"volumes":[{"name":"v",)"
      R"("persistentVolumeClaim":{"claimName":"c"}}]},)"
      R"("status":{"phase":"Running"}})");
}

TEST(WireFilter, AnEventIsItsObjectAndItsType) {
  EXPECT_EQ(of_event(R"({"object": {"spec": {"x": [[1], {"y": 2}], "nodeName": "n"}, "x": null},
"type": "ADDED"})"),
            R"({"object":{"spec":{"nodeName":"n"}},"type":"ADDED"})");
}

TEST(WireFilter, AStatusInPlaceOfAnObjectIsKept) {
  constexpr std::string_view kError =
      R"({"type":"ERROR","object":{"kind":"Status","metadata":{},"status":"Failure",)"
      R"("message":"too old","reason":"Expired","details":{"retryAfterSeconds":1},"code":410}})";
  EXPECT_EQ(of_event(kError), kError);
}

TEST(WireFilter, WhatIsLeftOutIsStillJson) {
  for (const char* broken : {R"({"object": {"x": [1, }})", R"({"object": {"x": tru}})",
                             R"({"object": {"x": "\ud800}})", R"({"object": {"x": 1} "y": 2})"}) {
    EXPECT_EQ(of_event(broken).substr(0, 6), "error:") << broken;
  }
}

TEST(WireFilter, WhatIsLeftOutIsNoDeeperThanTheRest) {
  const auto nested = [](std::size_t levels) {
    return R"({"object": {"x": )" + std::string(levels, '[') + std::string(levels, ']') + "}}";
  };
  EXPECT_EQ(of_event(nested(6)), R"({"object":{}})");
  EXPECT_EQ(of_event(nested(7)), "error: line 1, column 24: nested more than 8 levels deep");
}

}  // namespace
}  // namespace elbowroom::api
