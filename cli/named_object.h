// The words by which a verb's user names an object: NAMESPACE/NAME, NAME, pod/NAME, and -n. One
// reading for all verbs (docs/decisions/0055-names-of-objects.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/input/object_name.h"

namespace elbowroom::cli {

enum class Named : std::uint8_t { Pod, PodGroup };

// "pod/NAME | NAME | NAMESPACE/NAME", for the help.
[[nodiscard]] std::string name_syntax(Named what);

// pod/NAME, pods/NAME and po/NAME (podgroup/NAME, podgroups/NAME) name the kind, as in kubectl: the
// first part is not a namespace. `ns`: what -n says, "" for nothing; `fallback`: the namespace
// where neither says one. Invalid: no name, or two namespaces.
[[nodiscard]] Result<ObjectName> object_named(std::string_view word, Named what,
                                              const std::string& ns, const std::string& fallback);

}  // namespace elbowroom::cli
