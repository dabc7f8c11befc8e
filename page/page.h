// A daemon's page: HTML that needs no script and asks no other server.
#pragma once

#include <string>
#include <string_view>

#include "page/view.h"

namespace elbowroom::page {

// Of all nodes; 3 MiB at most, whatever the view holds.
[[nodiscard]] std::string page_of(const View& view);

// Of one node, the only one of the view, with all its holders.
[[nodiscard]] std::string node_page_of(const View& view);

// Of one pod, NAMESPACE/NAME: what the view has of it, the only one of the view, and what the
// daemon says of it, as JSON; "": nothing.
[[nodiscard]] std::string pod_page_of(const View& view, std::string_view pod,
                                      std::string_view explanation);

// That there is nothing to show: one sentence.
[[nodiscard]] std::string page_without_view(std::string_view program, std::string_view why);

// What the page loads beside itself, from the same server.
[[nodiscard]] std::string_view style_sheet();
[[nodiscard]] std::string_view script();

// The Content-Security-Policy of every page.
inline constexpr std::string_view kContentPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

}  // namespace elbowroom::page
