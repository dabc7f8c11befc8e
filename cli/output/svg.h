// Text and numbers as they stand in an SVG picture.
#pragma once

#include <string>
#include <string_view>

namespace elbowroom::cli::svg {

// Printable text without markup: what comes from a cluster may be anything.
[[nodiscard]] std::string escaped(std::string_view raw);

// To a tenth of a pixel, the same on every machine.
[[nodiscard]] std::string pixels(double value);

}  // namespace elbowroom::cli::svg
