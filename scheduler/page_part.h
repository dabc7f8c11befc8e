// What the scheduler's page shows: the cluster as it decides on it.
#pragma once

#include "page/page_part.h"
#include "scheduler/observation.h"
#include "scheduler/reactor.h"

namespace elbowroom::scheduler {

// `now` is of the reactor's clock.
[[nodiscard]] page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked,
                                       const Moment& now, const ReactorOptions& options);

}  // namespace elbowroom::scheduler
