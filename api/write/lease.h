// A coordination Lease (coordination.k8s.io/v1) as a value. The times in it are other machines'
// words and nothing may be decided by them; only whether its content changes, seen on our own
// clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::api {

struct Lease {
  std::string uid{};
  std::string resource_version{};     // opaque; the precondition of an update; "" creates it
  std::string holder{};               // "": nobody
  std::int64_t duration_seconds = 0;  // >= 0; 0 where it does not say
  policy::Time acquired{};
  policy::Time renewed{};
  std::int64_t transitions = 0;

  friend bool operator==(const Lease&, const Lease&) = default;
};

// Invalid: no metadata.name, a wrong type, a number outside 32 bits, a time that is none.
[[nodiscard]] Result<Lease> decode_lease(const Value& object);

// What is sent to create it (POST) or to replace it (PUT), under its resourceVersion and uid where
// it has them.
[[nodiscard]] std::string lease_body(std::string_view ns, std::string_view name,
                                     const Lease& lease);

}  // namespace elbowroom::api
