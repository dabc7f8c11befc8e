// Conditions in status.conditions of any object. The one thing to know: there is one of each type.
#pragma once

#include "lab/json.h"

namespace elbowroom::lab {

// Puts the condition in the place of the one of its type, or at the end.
void set_condition(Json& object, const Json& condition);

}  // namespace elbowroom::lab
