#include "lab/apiserver/strict_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "api/codec/wire_fields.h"
#include "lab/apiserver/api_service.h"
#include "lab/apiserver/openapi.h"
#include "lab/apiserver/openapi_v2.h"
#include "lab/schema/schema.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::pods;

TEST(Schema, EveryTypeThatIsNamedIsThere) {
  for (const auto& [name, object] : all_schemas()) {
    EXPECT_FALSE(object.description.empty()) << name;
    for (const auto& [field_name, field] : object.fields) {
      EXPECT_EQ(field.object != nullptr, field.form == ValueForm::Object) << name << field_name;
      if (field.list_rule == ListRule::Keyed) {
        for (const std::string_view key : field.keys) {
          ASSERT_NE(field.object, nullptr);
          EXPECT_NE(field.object->field(key), nullptr) << name << " " << field_name;
        }
      }
    }
  }
  for (const Kind& kind : all_kinds()) {
    EXPECT_NE(schema_of(kind).field("metadata"), nullptr) << kind.name;
  }
}

TEST(Schema, TheListsThatMatterMergeAsUpstreamSays) {
  const ObjectSchema& spec = *schema_of(pods()).field("spec")->object;
  EXPECT_THAT(spec.field("containers")->keys, ElementsAre("name"));
  EXPECT_EQ(spec.field("containers")->patch_key, "name");
  EXPECT_EQ(spec.field("tolerations")->list_rule, ListRule::Atomic);
  const ObjectSchema& container = *spec.field("containers")->object;
  EXPECT_THAT(container.field("ports")->keys, ElementsAre("containerPort", "protocol"));
  EXPECT_EQ(container.field("ports")->patch_key, "containerPort");
  const FieldSchema& owners = *schema_of(testing::nodes())
                                   .field("spec")
                                   ->object->field("podPreemptionPolicy")
                                   ->object->field("disableResizePreemption");
  EXPECT_EQ(owners.list_rule, ListRule::Set);
  EXPECT_FALSE(owners.patch_merges);
}

TEST(StrictFields, WhatNobodyKnowsIsTakenOutAndTold) {
  Json pod = Json::parse(R"({"kind":"Pod","spec":{"foo":1,"containers":[{"name":"a"},
      {"name":"b","imag":"x","resources":{"limits":{"example.com/gpu":"1"}}}]},"bar":{}})");
  EXPECT_THAT(drop_unknown_fields(pods(), pod),
              ElementsAre(R"(unknown field "bar")", R"(unknown field "spec.containers[1].imag")",
                          R"(unknown field "spec.foo")"));
  EXPECT_EQ(to_text(pod), R"({"kind":"Pod","spec":{"containers":[{"name":"a"},{"name":"b",)"
                          R"("resources":{"limits":{"example.com/gpu":"1"}}}]}})");
}

TEST(StrictFields, KeysThatComeTwice) {
  EXPECT_THAT(duplicate_fields(R"({"a":1,"b":{"a":1},"c":[{"x":1},{"x":1,"x":2}],"a":2})"),
              ElementsAre(R"(duplicate field "c[1].x")", R"(duplicate field "a")"));
  EXPECT_THAT(duplicate_fields(R"({"a":[1,[{"b":1}],2],"c":{"a":[]}})"), IsEmpty());
}

TEST(StrictFields, ValuesOfAnotherType) {
  struct Row {
    const char* pod;
    const char* problem;
  };
  const Row rows[] = {
      {R"({"spec":{"containers":"a"}})",
       "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type "
       "[]v1.Container"},
      {R"({"spec":{"priority":4294967296}})",
       "json: cannot unmarshal number into Go struct field PodSpec.spec.priority of type int32"},
      {R"({"metadata":{"labels":{"a":1}}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
       "string"},
      {R"({"metadata":[]})",
       "json: cannot unmarshal array into Go struct field Pod.metadata of type v1.ObjectMeta"},
      {R"({"spec":{"overhead":{"cpu":"x"}}})",
       "quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {R"({"metadata":{"creationTimestamp":"yesterday"}})", "parsing time \"yesterday\""},
  };
  for (const Row& row : rows) {
    const auto refused = refuse_types(pods(), Json::parse(row.pod));
    ASSERT_TRUE(refused) << row.pod;
    EXPECT_EQ(refused->code, 400);
    EXPECT_THAT(
        refused->message,
        HasSubstr(std::string("Pod in version \"v1\" cannot be handled as a Pod: ") + row.problem));
  }
  EXPECT_FALSE(refuse_types(pods(), Json::parse(R"({"metadata":{"labels":null},
      "spec":{"overhead":{"cpu":"-1.5Gi","memory":3},"priority":1}})")));
}

class FieldValidationTest : public ::testing::Test {
 protected:
  ApiReply create(const std::string& validation) {
    ApiRequest request{.method = "POST",
                       .path = "/api/v1/namespaces/default/configmaps",
                       .headers = {{"content-type", "application/json"}},
                       .body = R"({"metadata":{"name":"c"},"dat":{"a":"b"}})"};
    if (!validation.empty()) request.query["fieldValidation"] = validation;
    return service_.answer(request);
  }

  World world_{{}};
  ApiService service_{world_};
};

TEST_F(FieldValidationTest, StrictRefusesWithUpstreamsWords) {
  const ApiReply reply = create("Strict");
  EXPECT_EQ(reply.code, 400);
  EXPECT_EQ(Json::parse(reply.body)["message"],
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
            "unknown field \"dat\"");
}

TEST_F(FieldValidationTest, WarnIsTheDefaultAndTells) {
  EXPECT_THAT(create("").warnings, ElementsAre("unknown field \"dat\""));
}

TEST_F(FieldValidationTest, IgnoreKeepsQuiet) {
  const ApiReply reply = create("Ignore");
  EXPECT_EQ(reply.code, 201);
  EXPECT_THAT(reply.warnings, IsEmpty());
  EXPECT_FALSE(Json::parse(reply.body).contains("dat"));
}

TEST_F(FieldValidationTest, AnotherWordIsRefused) { EXPECT_EQ(create("Maybe").code, 400); }

TEST_F(FieldValidationTest, APatchIsJudgedByWhatItMakes) {
  EXPECT_EQ(create("Ignore").code, 201);
  const ApiReply reply =
      service_.answer({.method = "PATCH",
                       .path = "/api/v1/namespaces/default/configmaps/c",
                       .query = {{"fieldValidation", "Strict"}},
                       .headers = {{"content-type", "application/merge-patch+json"}},
                       .body = R"({"data":{"a":"b"},"foo":{"bar":1}})"});
  EXPECT_EQ(reply.code, 400);
  EXPECT_THAT(reply.body, HasSubstr(R"(unknown field \"foo\")"));
}

TEST(OpenApi, TheIndexLeadsToADocumentForEveryGroup) {
  const Json index = Json::parse(*openapi_document("/openapi/v3"));
  EXPECT_EQ(index["paths"].size(), 10u);
  for (const auto& [name, entry] : index["paths"].items()) {
    const auto document = openapi_document(text_at(entry, {"serverRelativeURL"}));
    ASSERT_TRUE(document) << name;
    EXPECT_EQ(Json::parse(*document)["openapi"], "3.0.0");
  }
  EXPECT_FALSE(openapi_document("/openapi/v3/apis/none/v1"));
}

TEST(OpenApi, EveryReferenceIsThere) {
  const std::string text(*openapi_document("/openapi/v3/api/v1"));
  const Json schemas = Json::parse(text)["components"]["schemas"];
  const std::string begin = "\"$ref\":\"#/components/schemas/";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t name = at + begin.size();
    EXPECT_TRUE(schemas.contains(text.substr(name, text.find('"', name) - name)));
  }
}

TEST(OpenApi, KubectlSeesThatTheServerValidates) {
  const Json document = Json::parse(*openapi_document("/openapi/v3/api/v1"));
  const Json& patch = document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"];
  EXPECT_EQ(patch["x-kubernetes-group-version-kind"]["kind"], "Pod");
  EXPECT_EQ(patch["parameters"][2]["name"], "fieldValidation");
  const Json& containers =
      document["components"]["schemas"]["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
  EXPECT_EQ(containers["x-kubernetes-patch-merge-key"], "name");
  EXPECT_EQ(containers["x-kubernetes-list-type"], "map");
}

// kubectl looks for a List's items there.
TEST(OpenApi, Version2HasADefinitionForEveryKind) {
  EXPECT_EQ(kOpenApiV2Type.find('@'), std::string_view::npos) << "no media type has it";
  std::set<std::string> found;
  for (api::WireFields document(openapi_v2_document()); document.next();) {
    if (document.number() != 9) continue;
    for (api::WireFields named(document.bytes()); named.next();) {
      found.insert(std::string(named.bytes()));
    }
  }
  EXPECT_GE(found.size(), 20U);
  for (const Kind& kind : all_kinds()) {
    const std::string reference = "[{group: \"" + std::string(kind.group) +
                                  "\", version: " + std::string(kind.version) +
                                  ", kind: " + std::string(kind.name) + "}]";
    EXPECT_EQ(std::ranges::count_if(found,
                                    [&](const std::string& each) {
                                      return each.find(reference) != std::string::npos;
                                    }),
              1)
        << reference;
  }
}

}  // namespace
}  // namespace elbowroom::lab
