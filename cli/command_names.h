// The names of verbs and flags, for messages, help and completion.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace elbowroom::cli {

using Names = std::vector<std::string>;

// The verbs that help shows.
[[nodiscard]] std::vector<const CLI::App*> shown_verbs(const CLI::App& app);

// Sorted, without hidden verbs; sorted, with their dashes.
[[nodiscard]] Names verbs_of(const CLI::App& app);
[[nodiscard]] Names flags_of(const CLI::App& app);

// "elbowroom simulate resize".
[[nodiscard]] std::string path_of(const CLI::App& app);

// "elbowroom simulate has no verb reszie; did you mean resize?", else the verbs that it has.
[[nodiscard]] std::string no_such_verb(const CLI::App& at, const std::string& word);

}  // namespace elbowroom::cli
