// Decodes API objects from protobuf into the tree that their JSON would give. Only fields that our
// decoders read are extracted, so decode_pod() and the others apply the same checks to both
// encodings. Empty values that Go omits from JSON are omitted here, too.
#pragma once

#include <string_view>

#include "api/codec/list_overflow.h"
#include "api/codec/wire_tables.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// The Accept header for reading protobuf. A server without protobuf answers in JSON.
inline constexpr std::string_view kReadsProtobuf =
    "application/vnd.kubernetes.protobuf, application/json";

// The first bytes of every body; the envelope, runtime.Unknown, follows.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};

// Pod, Node, PodDisruptionBudget, PodGroup; Status; and the parts ListMeta and TypeMeta.
[[nodiscard]] bool reads_protobuf(std::string_view kind);

// Which part becomes a tree. With an overflow its bounds apply, and of a pod that has finished only
// Part::Finished is read.
struct Reading {
  Part part = Part::Whole;
  ListOverflow* overflow = nullptr;
  std::string_view version{};  // of a bare message: "v1alpha2"; an envelope says it
};

// Decodes a bare message of that kind. Bytes that are not UTF-8 become U+FFFD, as in the API
// server's JSON. Requires reads_protobuf(kind). Invalid: broken bytes, a field whose type differs
// from upstream; Exhausted: more than 500,000 values.
[[nodiscard]] Result<Value> protobuf_message(std::string_view kind, std::string_view message,
                                             const Reading& reading = {});

// Decodes an object in its envelope, with its kind and apiVersion. Invalid, in addition to the
// above: no envelope, a kind that is not read.
[[nodiscard]] Result<Value> protobuf_object(std::string_view body, const Reading& reading = {});

}  // namespace elbowroom::api
