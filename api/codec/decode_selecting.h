// A Service, ReplicationController, ReplicaSet or StatefulSet of the API as the value for
// decisions: which pods it selects, and nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "api/codec/field.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/selecting.h"

namespace elbowroom::api {

// "Service", ...; none: objects of that kind select no pods.
[[nodiscard]] std::optional<policy::SelectingKind> selecting_kind_of(std::string_view kind);

// Invalid: no metadata.name, a selector of a wrong type.
[[nodiscard]] Result<policy::Selecting> decode_selecting(const Value& object,
                                                         policy::SelectingKind kind,
                                                         Source source = Source::Server);

// Approximate size in bytes.
[[nodiscard]] std::size_t weight_of(const policy::Selecting& object);
// Of what it refers to.
[[nodiscard]] std::size_t weight_of(const policy::LabelSelector& selector);

}  // namespace elbowroom::api
