// Conditions in status.conditions of any object. A list has at most one condition of each type.
#pragma once

#include "lab/world/json.h"

namespace elbowroom::lab {

// Replaces the condition of the same type, or appends this one.
void set_condition(Json& object, const Json& condition);

}  // namespace elbowroom::lab
