#include "cli/dump/daemon_report.h"

#include <chrono>
#include <utility>
#include <vector>

#include "api/transport/curl_transport.h"
#include "api/transport/status_error.h"
#include "base/document_text.h"
#include "cli/input/blocking_call.h"
#include "recording/recording_file.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr const char* kApiVersion = "elbowroom.dev/v1alpha1";

// What is not ready answers with an error status, and says why.
Result<std::string> body_of(api::Transport& transport, const std::string& path, api::Query query,
                            bool any_status) {
  api::Request request{.path = path, .query = std::move(query)};
  request.deadline = kPatience;
  request.max_body = kMostReportBytes;
  ASSIGN_OR_RETURN(api::Response response, answered(transport, std::move(request)));
  if (!any_status && !api::is_success(response)) {
    return std::unexpected(api::error_from(response, api::Method::Get));
  }
  return std::move(response.body);
}

Value report(const char* kind, const std::string& name, std::vector<Member> parts) {
  std::vector<Member> all = {member("apiVersion", text_value(kApiVersion)),
                             member("kind", text_value(kind)),
                             member("metadata", map_value({member("name", text_value(name))}))};
  for (Member& each : parts) all.push_back(std::move(each));
  return map_value(std::move(all));
}

}  // namespace

Result<Value> daemon_report(const std::string& url) {
  const auto server = api::parse_server_url(url);
  if (!server) return std::unexpected(server.error());
  api::CurlTransport transport({.server = *server, .is_daemon = true}, {});
  ASSIGN_OR_RETURN(std::string readiness, body_of(transport, "/readyz", {{"verbose", ""}}, true));
  ASSIGN_OR_RETURN(std::string metrics, body_of(transport, "/metrics", {}, false));
  ASSIGN_OR_RETURN(std::string configuration, body_of(transport, "/configz", {}, false));
  return report("DaemonReport", api::to_string(*server),
                {member("readiness", text_value(std::move(readiness))),
                 member("metrics", text_value(std::move(metrics))),
                 member("configuration", text_value(std::move(configuration)))});
}

Result<Value> recording_report(const std::string& path) {
  ASSIGN_OR_RETURN(recording::RecordingReader reader, recording::RecordingReader::open(path));
  std::vector<Value> lines;
  std::size_t bytes = 0;
  while (true) {
    ASSIGN_OR_RETURN(auto line, reader.next());
    if (!line) break;
    bytes += line->text.size();
    if (bytes > kMostReportBytes) {
      return failure(Code::Exhausted, path + " is longer than 16 MiB: attach it as it is");
    }
    lines.push_back(text_value(std::move(line->text)));
  }
  return report("Recording", path, {member("lines", list_value(std::move(lines)))});
}

}  // namespace elbowroom::cli
