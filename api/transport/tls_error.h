// Why a TLS connection failed, told with the file that matters and what to do. It only words what
// libcurl and OpenSSL found out; it decides nothing.
#pragma once

#include <string>
#include <string_view>

#include "api/transport/access.h"
#include "policy/model/time.h"

namespace elbowroom::api {

// What to add to `said`, the words of the TLS library; "" where it says all there is to say.
// `verdict`: OpenSSL's X509_V_ERR_ on the server's certificate, 0 for none. `wall`: this machine's
// time of day.
[[nodiscard]] std::string tls_remedy(std::string_view said, long verdict, const Access& access,
                                     policy::Time wall);

// Whose certificate is shown to the server: its file, or where else it comes from; "" for nobody's.
[[nodiscard]] std::string client_certificate_of(const Access& access);

}  // namespace elbowroom::api
