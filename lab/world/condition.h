// Conditions in status.conditions of any object. There is one of each type.
#pragma once

#include "lab/world/json.h"

namespace elbowroom::lab {

// Puts the condition in the place of the one of its type, or at the end.
void set_condition(Json& object, const Json& condition);

}  // namespace elbowroom::lab
