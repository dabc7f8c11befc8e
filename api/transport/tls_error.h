// Explains why a TLS connection failed, with the relevant file and the remedy. It only rephrases
// what libcurl and OpenSSL report, and decides nothing.
#pragma once

#include <string>
#include <string_view>

#include "api/transport/access.h"
#include "policy/model/time.h"

namespace elbowroom::api {

// The text to add to `said`, the TLS library's message; "" if that is sufficient. `verdict`:
// OpenSSL's X509_V_ERR_ for the server's certificate, 0 for none. `wall`: this machine's wall time.
[[nodiscard]] std::string tls_remedy(std::string_view said, long verdict, const Access& access,
                                     policy::Time wall);

// The source of the client certificate: its file, or another source; "" for none.
[[nodiscard]] std::string client_certificate_of(const Access& access);

}  // namespace elbowroom::api
