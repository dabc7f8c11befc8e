// The collections that elbowroomd follows: its own Node and the pods of its node.
#pragma once

#include "control/collection.h"

namespace elbowroom::agent {

inline constexpr control::CollectionRow kNodes = {.name = "nodes",
                                                  .words = "the node",
                                                  .version = "v1",
                                                  .resource = "nodes",
                                                  .kind = "Node",
                                                  .why = "its own Node",
                                                  .is_gone_when_odd = true};
inline constexpr control::CollectionRow kPods = {.name = "pods",
                                                 .words = "the pods of this node",
                                                 .version = "v1",
                                                 .resource = "pods",
                                                 .kind = "Pod",
                                                 .why = "those of its node",
                                                 .by_protobuf = true};

}  // namespace elbowroom::agent
