// Objects of the API in its protobuf encoding, as the tree that their JSON would give. Only what
// our decoders read is taken out of the bytes, so decode_pod() and the others check what comes by
// protobuf and by JSON with the same rules; and what Go leaves out of JSON because it is empty is
// left out here too.
#pragma once

#include <string_view>

#include "api/codec/list_overflow.h"
#include "api/codec/wire_tables.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// What is accepted where protobuf is read: a server that speaks none answers by JSON.
inline constexpr std::string_view kReadsProtobuf =
    "application/vnd.kubernetes.protobuf, application/json";

// Begins every body; the envelope, runtime.Unknown, follows.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};

// Pod, Node, PodDisruptionBudget; Status; and the parts ListMeta and TypeMeta.
[[nodiscard]] bool reads_protobuf(std::string_view kind);

// What becomes a tree. With an overflow its bounds count, and of a pod that has finished only
// Part::Finished is read.
struct Reading {
  Part part = Part::Whole;
  ListOverflow* overflow = nullptr;
};

// A bare message of that kind. Bytes that are not UTF-8 become U+FFFD, as the API server's JSON has
// them. Requires reads_protobuf(kind). Invalid: broken bytes, a field of another type than it has
// upstream; Exhausted: more than 500,000 values.
[[nodiscard]] Result<Value> protobuf_message(std::string_view kind, std::string_view message,
                                             const Reading& reading = {});

// An object in its envelope, with its kind and apiVersion. Invalid, beside the above: no envelope,
// a kind that is not read.
[[nodiscard]] Result<Value> protobuf_object(std::string_view body, const Reading& reading = {});

}  // namespace elbowroom::api
