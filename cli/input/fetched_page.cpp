#include "cli/input/fetched_page.h"

#include <cstddef>
#include <utility>

#include "api/transport/curl_transport.h"
#include "api/transport/status_error.h"
#include "cli/input/blocking_call.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;

}  // namespace

Result<api::Response> fetched_page(const api::Access& access, const std::string& path,
                                   std::chrono::milliseconds patience) {
  api::TransportOptions options = transport_options();
  options.connect_timeout = patience;
  api::CurlTransport transport(access, options);
  api::Request request{.path = path};
  request.lane = api::Lane::Unlimited;
  request.deadline = patience;
  request.max_body = kMostBytes;
  ASSIGN_OR_RETURN(api::Response answer, answered(transport, std::move(request)));
  if (!api::is_success(answer)) {
    return std::unexpected(api::error_from(answer, api::Method::Get));
  }
  return answer;
}

}  // namespace elbowroom::cli
