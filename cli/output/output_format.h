// -o json|yaml|table. Json and yaml are for programs and hold the same document; table is for users
// and may change.
#pragma once

namespace elbowroom::cli {

enum class OutputFormat { Table, Json, Yaml };

}  // namespace elbowroom::cli
