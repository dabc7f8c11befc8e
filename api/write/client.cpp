#include "api/write/client.h"

#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "api/codec/wire_filter.h"
#include "api/transport/status_error.h"
#include "api/write/binding.h"
#include "api/write/removal.h"

namespace elbowroom::api {
namespace {

constexpr int kMaxTries = 5;

// Sends the request. Everything but a success becomes an Error that begins with `doing`.
void send(Transport& transport, Request request, std::string doing, Client::Raw done) {
  const Method method = request.method;
  transport.send(std::move(request), [method, doing = std::move(doing),
                                      done = std::move(done)](Result<Response> outcome) mutable {
    if (!outcome) {
      // A transport names method and path itself.
      const Error& error = outcome.error();
      const bool is_named = error.message.starts_with(doing + ":");
      done(std::unexpected(is_named ? error : error.with(doing)));
    } else if (!is_success(*outcome)) {
      done(std::unexpected(error_from(*outcome, method).with(doing)));
    } else {
      done(std::move(outcome));
    }
  });
}

void read(Transport& transport, Request request, const std::string& doing,
          Result<Value> (*parsed)(const Response&), Client::Answer done) {
  send(transport, std::move(request), doing,
       [doing, parsed, done = std::move(done)](Result<Response> outcome) mutable {
         if (!outcome) {
           done(std::unexpected(outcome.error()));
           return;
         }
         auto value = parsed(*outcome);
         if (!value) value = std::unexpected(value.error().with(doing));
         done(std::move(value));
       });
}

void read(Transport& transport, std::string path, const std::string& doing, Client::Answer done) {
  Request request;
  request.path = std::move(path);
  const auto whole = [](const Response& response) { return parse_json(response.body); };
  read(transport, std::move(request), doing, whole, std::move(done));
}

// Reads the fields that our decoders read.
Result<Value> pod_in(const Response& response) {
  static const WireFilter json_filter("Pod", WireFilter::Of::Object);
  return response.content_type == kProtobuf ? protobuf_object(response.body)
                                            : parse_json(response.body, {}, json_filter);
}

// In JSON it is small.
Result<Value> pod_group_in(const Response& response) {
  return response.content_type == kProtobuf ? protobuf_object(response.body)
                                            : parse_json(response.body);
}

void write(Transport& transport, Request request, const std::string& doing, Client::Done done) {
  send(transport, std::move(request), doing,
       [done = std::move(done)](const Result<Response>& outcome) mutable {
         if (outcome) {
           done({});
         } else {
           done(std::unexpected(outcome.error()));
         }
       });
}

void refuse(Transport& transport, const Error& error, const std::string& doing, Client::Done done) {
  transport.post([error = error.with(doing), done = std::move(done)]() mutable {
    done(std::unexpected(std::move(error)));
  });
}

// For removals: an object that is already gone is a success.
void remove(Transport& transport, Result<Request> request, const std::string& doing,
            Client::Done done, Client::Gone gone = Client::Gone::IsSuccess) {
  if (!request) return refuse(transport, request.error(), doing, std::move(done));
  write(transport, std::move(*request), doing,
        [gone, done = std::move(done)](Result<void> outcome) mutable {
          const bool is_gone = !outcome && outcome.error().code == Code::NotFound;
          done(is_gone && gone == Client::Gone::IsSuccess ? Result<void>() : std::move(outcome));
        });
}

Request patch_of(std::string path, std::string_view type, std::string body,
                 const std::string& field_manager) {
  Request request;
  request.method = Method::Patch;
  request.path = std::move(path);
  request.query = {{"fieldManager", field_manager}};
  request.content_type = type;
  request.body = std::move(body);
  return request;
}

// A status write that reads first, with its remaining attempts.
struct StatusWrite {
  ObjectRef pod{};
  PodStatusChange change{};
  std::string field_manager{};
  std::string doing{};
  int tries = 0;
  Client::Done done{};
};

void read_and_write(Transport& transport, StatusWrite task);

void write_status(Transport& transport, StatusWrite task, std::string body) {
  Request request = patch_of(pod_path(task.pod.ns, task.pod.name, "status"), kStrategicMergePatch,
                             std::move(body), task.field_manager);
  const std::string doing = task.doing;
  write(transport, std::move(request), doing,
        [&transport, task = std::move(task)](Result<void> outcome) mutable {
          const bool is_beaten = !outcome && outcome.error().code == Code::Conflict;
          if (is_beaten && ++task.tries < kMaxTries) {
            read_and_write(transport, std::move(task));
          } else {
            task.done(std::move(outcome));
          }
        });
}

void read_and_write(Transport& transport, StatusWrite task) {
  const std::string doing = task.doing;
  const std::string path = pod_path(task.pod.ns, task.pod.name);
  read(transport, path, doing, [&transport, task = std::move(task)](Result<Value> pod) mutable {
    if (!pod) return task.done(std::unexpected(pod.error()));
    auto body = status_patch(task.pod, task.change, *pod);
    if (!body) return task.done(std::unexpected(body.error().with(task.doing)));
    if (!*body) return task.done({});
    write_status(transport, std::move(task), std::move(**body));
  });
}

}  // namespace

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
  std::string doing = std::string(to_string(method)) + " " + request.path.substr(0, 512);
  send(transport_, std::move(request), std::move(doing), std::move(done));
}

void Client::ask(Request request, Raw done) {
  if (request.method != Method::Get) request.query.emplace_back("fieldManager", field_manager_);
  transport_.send(std::move(request), std::move(done));
}

void Client::get_pod(const ObjectRef& pod, Answer done) {
  Request request;
  request.path = pod_path(pod.ns, pod.name);
  request.accept = kReadsProtobuf;
  read(transport_, std::move(request), "get pod " + to_string(pod), pod_in, std::move(done));
}

void Client::get_pod_group(const ObjectRef& group, std::string_view version, Answer done) {
  Request request;
  request.path = pod_group_path(version, group.ns, group.name);
  request.accept = kReadsProtobuf;
  read(transport_, std::move(request), "get pod group " + to_string(group), pod_group_in,
       std::move(done));
}

void Client::get_node(const std::string& name, Answer done) {
  read(transport_, node_path(name), "get node " + name, std::move(done));
}

void Client::patch_pod_status(const ObjectRef& pod, PodStatusChange change, Done done) {
  const std::string doing = "patch status of pod " + to_string(pod);
  if (touches_resources(change)) {
    read_and_write(transport_, {pod, std::move(change), field_manager_, doing, 0, std::move(done)});
    return;
  }
  write(transport_,
        patch_of(pod_path(pod.ns, pod.name, "status"), kStrategicMergePatch,
                 conditions_patch(pod.uid, change), field_manager_),
        doing, std::move(done));
}

void Client::patch_group_status(const ObjectRef& group, std::string_view version,
                                const policy::Conditions& set, Done done) {
  const std::string doing = "patch status of pod group " + to_string(group);
  auto body = group_conditions_patch(group, set);
  if (!body) return refuse(transport_, body.error(), doing, std::move(done));
  write(transport_,
        patch_of(pod_group_path(version, group.ns, group.name, "status"), kStrategicMergePatch,
                 *std::move(body), field_manager_),
        doing, std::move(done));
}

void Client::mark_disruption_target(const ObjectRef& victim, const policy::Condition& mark,
                                    Done done) {
  auto request = mark_request(victim, mark);
  if (request) request->query = {{"fieldManager", field_manager_}};
  remove(transport_, std::move(request), "mark pod " + to_string(victim), std::move(done));
}

void Client::delete_pod(const ObjectRef& victim, bool dry_run, Done done, Gone gone) {
  remove(transport_, delete_request(victim, dry_run),
         (dry_run ? "dry run: delete pod " : "delete pod ") + to_string(victim), std::move(done),
         gone);
}

void Client::bind_pod(const ObjectRef& pod, const std::string& node, Done done) {
  const std::string doing = "bind pod " + to_string(pod) + " to node " + node;
  auto request = binding_request(pod, node);
  if (!request) return refuse(transport_, request.error(), doing, std::move(done));
  request->query = {{"fieldManager", field_manager_}};
  write(transport_, *std::move(request), doing, std::move(done));
}

void Client::annotate_node(const std::string& node, const std::string& key,
                           const std::optional<std::string>& value, Done done) {
  Value annotations = json_map({{key, value ? json_text(*value) : Value{}}});
  const Value body = json_map({{"metadata", json_map({{"annotations", std::move(annotations)}})}});
  write(transport_, patch_of(node_path(node), kMergePatch, to_json(body), field_manager_),
        "annotate node " + node, std::move(done));
}

}  // namespace elbowroom::api
