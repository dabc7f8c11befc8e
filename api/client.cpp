#include "api/client.h"

#include <utility>

#include "api/status_error.h"

namespace elbowroom::api {

void Client::answered(Request request, std::string doing, Raw done) {
  const Method method = request.method;
  transport_.send(std::move(request), [method, doing = std::move(doing),
                                       done = std::move(done)](Result<Response> outcome) mutable {
    if (!outcome) {
      done(std::unexpected(doing.empty() ? outcome.error() : outcome.error().with(doing)));
    } else if (!is_success(*outcome)) {
      const Error error = error_from(*outcome, method);
      done(std::unexpected(doing.empty() ? error : error.with(doing)));
    } else {
      done(std::move(outcome));
    }
  });
}

void Client::answered_json(Request request, std::string doing, Answer done) {
  answered(std::move(request), doing,
           [doing, done = std::move(done)](Result<Response> outcome) mutable {
             if (!outcome) {
               done(std::unexpected(outcome.error()));
               return;
             }
             auto value = parse_json(outcome->body);
             if (!value) {
               done(std::unexpected(value.error().with(doing)));
             } else {
               done(std::move(*value));
             }
           });
}

void Client::request(Method method, std::string path, Query query, std::string content_type,
                     std::string body, Raw done) {
  Request request;
  request.method = method;
  request.path = std::move(path);
  request.query = std::move(query);
  request.content_type = std::move(content_type);
  request.body = std::move(body);
  const bool is_managed =
      method == Method::Post || method == Method::Put || method == Method::Patch;
  if (is_managed) request.query.emplace_back("fieldManager", field_manager_);
  const std::string doing = std::string(to_string(method)) + " " + request.path.substr(0, 512);
  answered(std::move(request), doing, std::move(done));
}

void Client::get_pod(const ObjectRef& pod, Answer done) {
  Request request;
  request.path = pod_path(pod.ns, pod.name);
  answered_json(std::move(request), "get pod " + to_string(pod), std::move(done));
}

void Client::get_node(const std::string& name, Answer done) {
  Request request;
  request.path = node_path(name);
  answered_json(std::move(request), "get node " + name, std::move(done));
}

}  // namespace elbowroom::api
