// The protobuf numbers of fields, each by its name, compared with a copy of Kubernetes' own:
// test/upstream/wire_numbers.txt, which test/upstream/wire_numbers.py writes. For what we read, the
// copy makes a sample of every message, with a different value in each field.
#include "lab/schema/wire_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "api/codec/timestamp.h"
#include "lab/schema/protobuf_body.h"
#include "lab/world/json.h"
#include "test/checkout.h"
#include "test/wire_bytes.h"

namespace elbowroom::lab {
namespace {

struct Field {
  std::uint32_t number = 0;
  std::string name{};
  std::string type{};
  char shape = ' ';  // '[' a list, '{' a mapping
  bool is_pointer = false;
};
using Messages = std::map<std::string, std::vector<Field>>;

Messages upstream() {
  Messages all;
  std::vector<Field>* fields = nullptr;
  std::ifstream file(std::string(test::kData) + "/upstream/wire_numbers.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (!line.starts_with(' ')) {
      fields = &all[line];
      continue;
    }
    Field field;
    std::string star;
    std::istringstream(line) >> field.number >> field.name >> field.type >> star;
    field.is_pointer = star == "*";
    if (field.type.starts_with('[') || field.type.starts_with('{')) {
      field.shape = field.type.front();
      field.type = field.type.substr(1, field.type.size() - 2);
    }
    fields->push_back(std::move(field));
  }
  return all;
}

const Field* field_of(const std::vector<Field>& fields, std::uint32_t number) {
  const auto found = std::ranges::find(fields, number, &Field::number);
  return found == fields.end() ? nullptr : &*found;
}

std::uint32_t number_of(const Messages& all, const std::string& message, const std::string& name) {
  return std::ranges::find(all.at(message), name, &Field::name)->number;
}

TEST(WireNumbers, WhatIsWrittenStandsWhereUpstreamHasIt) {
  const Messages all = upstream();
  std::size_t messages = 0;
  std::size_t compared = 0;
  for (const auto& [name, fields] : all) {
    const WireNumbers* ours = wire_numbers(name);
    if (ours == nullptr) continue;
    ++messages;
    for (const WireNumber& number : *ours) {
      const std::string what = name + "." + std::string(number.field);
      const std::vector<Field>* inside = &fields;
      const Field* field = nullptr;
      for (const std::uint32_t step : number.path) {
        if (field != nullptr) inside = &all.at(field->type);
        field = field_of(*inside, step);
        ASSERT_NE(field, nullptr) << what;
      }
      EXPECT_EQ(field->name, number.field) << what;
      EXPECT_EQ(field->is_pointer, number.is_pointer) << what;
      ++compared;
    }
  }
  // All that is in the table: what cannot be reached from a kind has no place in it.
  EXPECT_EQ(messages, 210U);
  EXPECT_EQ(compared, 839U);
}

// Messages with another value in each field.
class Sample {
 public:
  explicit Sample(const Messages& all) : all_(all) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as upstream's types
  std::string message(const std::string& type, Json& json) {
    json = Json::object();
    std::string out;
    for (const Field& field : all_.at(type)) {
      Json value;
      std::string bytes = one(field.type, value);
      if (field.shape == '{') {
        const std::string key = "key" + std::to_string(++count_);
        bytes = test::bytes(1, key) + test::bytes(2, bytes);
        value = {{key, value}};
      } else if (field.shape == '[') {
        value = Json::array({value});
      }
      const bool is_number = value.is_number() || value.is_boolean();
      out += is_number ? test::number(field.number, value.is_boolean() ? 1 : count_)
                       : test::bytes(field.number, bytes);
      if (type == "core.v1.Volume" && field.name == "volumeSource") {
        json.update(value);  // the one message here that Go embeds and JSON does not show
      } else {
        json[field.name] = std::move(value);
      }
    }
    return out;
  }

 private:
  // The bytes of what is no number, and what JSON makes of it.
  // NOLINTNEXTLINE(misc-no-recursion): see message()
  std::string one(const std::string& type, Json& json) {
    ++count_;
    const std::string text = "text" + std::to_string(count_);
    if (type == "int32" || type == "int64") {
      json = count_;
      return "";
    }
    if (type == "bool") {
      json = true;
      return "";
    }
    if (type == "meta.v1.Time") {
      json = api::format_timestamp(policy::Time(std::chrono::seconds(count_)));
      return test::number(number_of(all_, type, "seconds"), count_);
    }
    if (type == "intstr.IntOrString") {
      json = text;
      return test::number(number_of(all_, type, "type"), 1) +
             test::bytes(number_of(all_, type, "strVal"), text);
    }
    if (type == "resource.Quantity") {
      json = text;
      return test::bytes(number_of(all_, type, "string"), text);
    }
    if (type == "bytes") {
      json = api::encode_base64(text);
      return text;
    }
    if (type == "string") {
      json = text;
      return text;
    }
    return message(type, json);
  }

  const Messages& all_;
  std::int64_t count_ = 0;
};

// How many values of `read` there are, each of which has to be in the sample at its place.
// NOLINTNEXTLINE(misc-no-recursion): as deep as upstream's types
std::size_t compared(const std::string& place, const Json& read, const Json& sample) {
  std::size_t count = 0;
  if (read.is_object() && sample.is_object()) {
    for (const auto& [key, value] : read.items()) {
      EXPECT_TRUE(sample.contains(key)) << place << "." << key;
      if (sample.contains(key)) count += compared(place + "." + key, value, sample[key]);
    }
    return count;
  }
  if (read.is_array() && sample.is_array() && read.size() == sample.size()) {
    for (std::size_t i = 0; i < read.size(); ++i) count += compared(place, read[i], sample[i]);
    return count;
  }
  EXPECT_EQ(read, sample) << place;
  return 1;
}

// The kind of the object is in its envelope.
std::string enveloped(const Messages& all, const std::string& kind, const std::string& message) {
  const std::string type = test::bytes(number_of(all, "runtime.TypeMeta", "apiVersion"), "v1") +
                           test::bytes(number_of(all, "runtime.TypeMeta", "kind"), kind);
  return std::string(api::kProtobufMagic) +
         test::bytes(number_of(all, "runtime.Unknown", "typeMeta"), type) +
         test::bytes(number_of(all, "runtime.Unknown", "raw"), message);
}

TEST(WireNumbers, WhatTheDaemonsReadStandsWhereUpstreamHasIt) {
  const Messages all = upstream();
  std::size_t count = 0;
  for (const char* name :
       {"core.v1.Pod", "core.v1.Node", "policy.v1.PodDisruptionBudget", "core.v1.Service",
        "core.v1.ReplicationController", "apps.v1.ReplicaSet", "apps.v1.StatefulSet",
        "meta.v1.Status", "meta.v1.ListMeta", "runtime.TypeMeta"}) {
    Json sample;
    const std::string bytes = Sample(all).message(name, sample);
    const std::string kind = std::string(name).substr(std::string(name).rfind('.') + 1);
    const auto value = api::protobuf_object(enveloped(all, kind, bytes));
    ASSERT_TRUE(value) << name << ": " << value.error().message;
    Json read = Json::parse(api::to_json(*value));
    EXPECT_EQ(text_at(read, {"kind"}), kind);
    for (const char* field : {"kind", "apiVersion"}) read.erase(field);
    count += compared(name, read, sample);
  }
  EXPECT_EQ(count, 253U);
}

TEST(WireNumbers, WhatTheLabReadsStandsWhereUpstreamHasIt) {
  const Messages all = upstream();
  std::size_t count = 0;
  for (const char* name :
       {"core.v1.ConfigMap", "core.v1.Namespace", "policy.v1.PodDisruptionBudget",
        "policy.v1.Eviction", "scheduling.v1.PriorityClass", "scheduling.v1beta1.PodGroup",
        "scheduling.v1alpha3.PodGroup", "meta.v1.DeleteOptions",
        "authorization.v1.SelfSubjectAccessReview", "authorization.v1.SelfSubjectRulesReview",
        "authentication.v1.SelfSubjectReview"}) {
    Json sample;
    const std::string bytes = Sample(all).message(name, sample);
    const std::string kind = std::string(name).substr(std::string(name).rfind('.') + 1);
    auto read = decode_protobuf(enveloped(all, kind, bytes));
    ASSERT_TRUE(read) << name << ": " << read.error().message;
    for (const char* field : {"kind", "apiVersion"}) read->erase(field);
    count += compared(name, *read, sample);
  }
  EXPECT_EQ(count, 181U);
}

}  // namespace
}  // namespace elbowroom::lab
