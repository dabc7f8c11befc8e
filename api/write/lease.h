// A coordination Lease (coordination.k8s.io/v1) as a value. Its times come from other machines'
// clocks, so no decision may depend on them. Only whether its content changes counts, timed by our
// own clock.
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
  std::string resource_version{};     // opaque; the precondition of an update; "": create
  std::string holder{};               // "": no holder
  std::int64_t duration_seconds = 0;  // >= 0; 0 if missing
  policy::Time acquired{};
  policy::Time renewed{};
  std::int64_t transitions = 0;

  friend bool operator==(const Lease&, const Lease&) = default;
};

// Invalid: no metadata.name, a wrong type, a number outside 32 bits, a malformed time.
[[nodiscard]] Result<Lease> decode_lease(const Value& object);

// The body to create it (POST) or to replace it (PUT), with its resourceVersion and uid if present.
[[nodiscard]] std::string lease_body(std::string_view ns, std::string_view name,
                                     const Lease& lease);

}  // namespace elbowroom::api
