#include "cli/evict/cluster_writer.h"

#include <utility>

#include "api/transport/curl_transport.h"
#include "api/transport/http_date.h"
#include "api/transport/status_error.h"
#include "cli/input/blocking_call.h"

namespace elbowroom::cli {

ClusterWriter::ClusterWriter(const api::Access& access)
    : ClusterWriter(api::to_string(access.server),
                    std::make_unique<api::CurlTransport>(access, transport_options())) {}

ClusterWriter::ClusterWriter(std::string server, std::unique_ptr<api::Transport> transport)
    : server_(std::move(server)), transport_(std::move(transport)) {}

Result<api::Response> ClusterWriter::send(api::Request request) {
  if (request.method != api::Method::Get) {
    request.query.emplace_back("fieldManager", "elbowroom");
  }
  request.lane = api::Lane::Unlimited;  // a user's few requests
  Result<api::Response> answer = answered(*transport_, std::move(request));
  if (!answer) return std::unexpected(answer.error().with("at " + server_));
  if (const auto time = api::parse_http_date(answer->date)) server_time_ = time;
  return answer;
}

Result<Value> ClusterWriter::read(const std::string& path) {
  api::Request request;
  request.path = path;
  ASSIGN_OR_RETURN(const api::Response answer, send(std::move(request)));
  if (!api::is_success(answer)) {
    return std::unexpected(api::error_from(answer, api::Method::Get).with("get " + path));
  }
  return parse_json(answer.body);
}

Result<policy::Time> ClusterWriter::server_time() const {
  if (server_time_) return *server_time_;
  return failure(Code::Unavailable,
                 "the answers of " + server_ +
                     " have no Date, so its time is not known: let proxies pass that header on");
}

void ClusterWriter::pause(std::chrono::milliseconds time) {
  const auto until = transport_->now() + time;
  while (transport_->now() < until) transport_->run_once(until - transport_->now());
}

}  // namespace elbowroom::cli
