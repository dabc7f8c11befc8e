// Checks that a request's Host header names this server. A web page can point its own name to
// 127.0.0.1 (DNS rebinding) and read the replies of a loopback server; its requests still carry
// that name.
#pragma once

#include <string_view>

namespace elbowroom::daemon {

// Returns true for an IP literal (IPv6 in brackets), localhost, and the name we listen on, each
// with or without a port. Letter case is ignored.
[[nodiscard]] bool names_us(std::string_view host, std::string_view listened_on);

// True for localhost, 127.0.0.0/8 and ::1, each with or without a port. A proxy beside the program,
// such as a sidecar of a service mesh, connects over loopback for clients from elsewhere; these ask
// for another address.
[[nodiscard]] bool names_loopback(std::string_view host);

}  // namespace elbowroom::daemon
