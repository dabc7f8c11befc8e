#include "daemon/metrics/revision.h"

#ifndef ELBOWROOM_REVISION
#define ELBOWROOM_REVISION "unknown"
#endif

namespace elbowroom::daemon {

std::string_view revision() { return ELBOWROOM_REVISION; }

}  // namespace elbowroom::daemon
