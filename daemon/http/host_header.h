// Whether a request's Host header may be meant for us. A web page can give its own name the address
// 127.0.0.1 (DNS rebinding) and then read what a loopback server answers; its requests still carry
// that name.
#pragma once

#include <string_view>

namespace elbowroom::daemon {

// True for an IP literal (IPv6 in brackets), localhost, and the name we listen on, each with or
// without a port; letter case does not count.
[[nodiscard]] bool names_us(std::string_view host, std::string_view listened_on);

}  // namespace elbowroom::daemon
