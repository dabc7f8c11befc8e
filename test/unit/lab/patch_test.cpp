#include "lab/world/patch.h"

#include <gtest/gtest.h>

#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

struct Row {
  const char* type;
  const char* object;
  const char* patch;
  const char* result;
};

TEST(Patch, StrategicMergeAsATable) {
  const Row rows[] = {
      {"core.v1.PodSpec", R"({"a":1,"b":{"c":2}})", R"({"b":{"c":null,"d":3}})",
       R"({"a":1,"b":{"d":3}})"},
      {"core.v1.PodSpec", R"({"containers":[{"name":"a","image":"x"},{"name":"b"}]})",
       R"({"containers":[{"name":"a","cpu":1}]})",
       R"({"containers":[{"name":"a","image":"x","cpu":1},{"name":"b"}]})"},
      {"core.v1.PodStatus", R"({"conditions":[{"type":"A"}]})", R"({"conditions":[{"type":"B"}]})",
       R"({"conditions":[{"type":"B"},{"type":"A"}]})"},
      {"core.v1.PodStatus", R"({"conditions":[{"type":"A"},{"type":"B"}]})",
       R"({"conditions":[{"type":"A","$patch":"delete"}]})", R"({"conditions":[{"type":"B"}]})"},
      {"core.v1.PodStatus", R"({"conditions":[{"type":"A"}]})",
       R"({"conditions":[{"type":"B"},{"$patch":"replace"}]})", R"({"conditions":[{"type":"B"}]})"},
      {"core.v1.PodStatus", R"({"containerStatuses":[{"name":"a"},{"name":"b"}]})",
       R"({"containerStatuses":[{"name":"a","x":1}]})",
       R"({"containerStatuses":[{"name":"a","x":1}]})"},
      {"core.v1.PodSpec", R"({"m":{"x":1}})", R"({"m":{"$patch":"replace","y":2}})",
       R"({"m":{"y":2}})"},
      {"core.v1.PodSpec", R"({"m":{"x":1,"y":2}})", R"({"m":{"$retainKeys":["y"],"y":3}})",
       R"({"m":{"y":3}})"},
      {"meta.v1.ObjectMeta", R"({"finalizers":["a","b"]})",
       R"({"$deleteFromPrimitiveList/finalizers":["a"]})", R"({"finalizers":["b"]})"},
      {"meta.v1.ObjectMeta", R"({"finalizers":["a"]})", R"({"finalizers":["b","a"]})",
       R"({"finalizers":["a","b"]})"},
      {"core.v1.Container", R"({"env":[{"name":"a"},{"name":"b"}]})",
       R"({"$setElementOrder/env":[{"name":"b"},{"name":"a"}]})",
       R"({"env":[{"name":"b"},{"name":"a"}]})"},
      {"core.v1.PodSpec", R"({"new":1})", R"({"containers":[{"name":"a","x":null}]})",
       R"({"new":1,"containers":[{"name":"a"}]})"},
      {"core.v1.PodSpec", R"({"containers":"text"})", R"({"containers":[{"name":"a"}]})",
       R"({"containers":[{"name":"a"}]})"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(strategically_merged(&all_schemas().at(row.type), Json::parse(row.object),
                                   Json::parse(row.patch)),
              Json::parse(row.result))
        << row.object << " + " << row.patch;
  }
}

// A mapping's entries may have the names of other objects' lists.
TEST(Patch, StrategicMergeKnowsListsByTheirPlaceNotTheirName) {
  const Kind& maps = *find_kind("", "v1", "configmaps");
  const auto merged =
      apply_patch(maps, PatchType::StrategicMerge, Json::parse(R"({"data":{"env":"a","x":"b"}})"),
                  Json::parse(R"({"data":{"env":"c"}})"));
  EXPECT_EQ(to_text(*merged), R"({"data":{"env":"c","x":"b"}})");
  const auto owners = apply_patch(
      testing::nodes(), PatchType::StrategicMerge,
      Json::parse(R"({"spec":{"podPreemptionPolicy":{"disableResizePreemption":["a","b"]}}})"),
      Json::parse(R"({"spec":{"podPreemptionPolicy":
          {"$deleteFromPrimitiveList/disableResizePreemption":["a"]}}})"));
  EXPECT_EQ(to_text(*owners), R"({"spec":{"podPreemptionPolicy":{}}})");
}

TEST(Patch, MergePatchReplacesLists) {
  EXPECT_EQ(merge_patched(Json::parse(R"({"c":[1,2],"d":{"e":1}})"),
                          Json::parse(R"({"c":[3],"d":{"e":null}})")),
            Json::parse(R"({"c":[3],"d":{}})"));
}

TEST(Patch, JsonPatchErrorsAreAnswers) {
  const Kind& pods = testing::pods();
  const Json object = Json::parse(R"({"a":1})");
  const auto apply = [&](const char* patch) {
    return testing::outcome(apply_patch(pods, PatchType::JsonPatch, object, Json::parse(patch)));
  };
  EXPECT_EQ(apply(R"([{"op":"test","path":"/a","value":1}])"), "ok");
  EXPECT_EQ(apply(R"([{"op":"test","path":"/a","value":2}])"), "422 Invalid");
  EXPECT_EQ(apply(R"([{"op":"test","path":"/b","value":null}])"), "ok") << "it is absent";
  EXPECT_EQ(apply(R"([{"op":"test","path":"/a","value":null}])"), "422 Invalid");
  EXPECT_EQ(apply(R"([{"op":"test","path":"/b/c","value":null}])"), "422 Invalid");
  EXPECT_EQ(apply(R"([{"op":"remove","path":"/b"}])"), "422 Invalid");
  EXPECT_EQ(apply(R"({"op":"remove"})"), "400 BadRequest");
  EXPECT_EQ(apply(R"([7])"), "422 Invalid");
}

TEST(Patch, AJsonPatchThatFailsSaysWhyInTheWordsOfTheApiServer) {
  const Json object = Json::parse(R"({"a":1,"l":[1],"m":{"x/y":2}})");
  const auto why = [&](const char* patch) {
    const auto applied =
        apply_patch(testing::pods(), PatchType::JsonPatch, object, Json::parse(patch));
    if (applied) return applied->dump();
    return applied.error().message.substr(
        std::string("the server rejected our request due to an error in our request: ").size());
  };
  EXPECT_EQ(why(R"([{"op":"test","path":"/m/x~1y","value":2},{"op":"remove","path":"/l/0"}])"),
            R"({"a":1,"l":[],"m":{"x/y":2}})");
  EXPECT_EQ(why(R"([{"op":"test","path":"/a","value":2}])"),
            "testing value /a failed: test failed");
  EXPECT_EQ(why(R"([{"op":"remove","path":"/a"},{"op":"replace","path":"/a","value":2}])"),
            "replace operation does not apply: doc is missing key: /a: missing value");
  EXPECT_EQ(why(R"([{"op":"add","path":"/b/c","value":2}])"),
            "add operation does not apply: doc is missing path: \"/b/c\": missing value");
  EXPECT_EQ(why(R"([{"op":"remove","path":"/b"}])"),
            "error in remove for path: '/b': Unable to remove nonexistent key: b: missing value");
  EXPECT_EQ(why(R"([{"op":"add","path":"/l/7","value":2}])"),
            "error in add for path: '/l/7': Unable to access invalid index: 7: invalid index "
            "referenced");
  EXPECT_EQ(why(R"([{"op":"move","from":"/a","path":"/b/c"}])"),
            "move operation does not apply: doc is missing destination path: /b/c: missing value");
  EXPECT_EQ(why(R"([{"op":"copy","from":"/x/y","path":"/b"}])"),
            "copy operation does not apply: doc is missing from path: /x/y: missing value");
  EXPECT_EQ(why(R"([{"op":"add","value":2}])"),
            "add operation failed to decode path: operation missing path field: missing value");
  EXPECT_EQ(why(R"([{"op":"drop","path":"/a"}])"), "Unexpected kind: drop");
  EXPECT_EQ(why("[7]"), "Unexpected kind: unknown");
}

TEST(Patch, CustomResourcesHaveNoStrategicMerge) {
  const Kind& budgets = *find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
  EXPECT_EQ(testing::outcome(
                apply_patch(budgets, PatchType::StrategicMerge, Json::object(), Json::object())),
            "415 UnsupportedMediaType");
}

}  // namespace
}  // namespace elbowroom::lab
