// The completions of shells. Each asks the hidden verb __complete for what may follow, so that they
// know no verb or flag by themselves.
#pragma once

#include <string_view>

namespace elbowroom::cli {

// To be sourced, or installed where the shell looks for completions.
extern const std::string_view kBashCompletion;
extern const std::string_view kZshCompletion;
extern const std::string_view kFishCompletion;
// The program kubectl_complete-elbowroom, which kubectl runs for the plugin.
extern const std::string_view kKubectlCompletion;

}  // namespace elbowroom::cli
