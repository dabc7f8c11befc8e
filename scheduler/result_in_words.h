// What the result of a pod's turn means for the pod, for people: `elbowroom explain` and the pages
// of the scheduler say it alike.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom::scheduler {

// `result`: as in a SchedulerExplanation; one that is not known here stands for itself.
[[nodiscard]] std::string result_in_words(std::string_view result, std::string_view message,
                                          bool is_dry_run);

}  // namespace elbowroom::scheduler
