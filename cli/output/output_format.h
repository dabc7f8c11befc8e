// -o json|yaml|table. Json and yaml are for programs and hold the same document; table is for users
// and may change.
#pragma once

namespace elbowroom::cli {

// GCC minds the name Json where sources that know lab::Json are compiled together with others.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
enum class OutputFormat { Table, Json, Yaml };
#pragma GCC diagnostic pop

}  // namespace elbowroom::cli
