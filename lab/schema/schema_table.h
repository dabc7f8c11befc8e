// The texts that the schema is read from, one for each file of types. A line that begins in the
// first column is a type, one that begins with a blank is a field of it:
//
//   core.v1.ContainerPort | What it is.
//    containerPort int32! | What it is.                      "!": must be there
//    protocol string default=TCP | What it is.
//   core.v1.Container | ...
//    args [string] | ...                                     a list, replaced whole
//    env [core.v1.EnvVar] map=name merge=name | ...          merges by name: on apply, on patch
//    nodeSelector {string} atomic | ...                      a mapping, owned as a whole
#pragma once

#include <string_view>

namespace elbowroom::lab {

extern const std::string_view kMetaSchema;
extern const std::string_view kVolumesSchema;
extern const std::string_view kContainersSchema;
extern const std::string_view kPodSchema;
extern const std::string_view kNodeSchema;
extern const std::string_view kOthersSchema;
extern const std::string_view kGroupsSchema;
extern const std::string_view kAppsSchema;
extern const std::string_view kStorageSchema;
extern const std::string_view kOwnSchema;  // DisruptionBudget

}  // namespace elbowroom::lab
