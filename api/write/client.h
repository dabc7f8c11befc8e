// The calls to the API server, other than watches. Every call answers through its callback, on the
// Transport's thread, with an Error whose Code says what to do. A call retries only where stated.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/object_ref.h"
#include "api/transport/transport.h"
#include "api/write/pod_status.h"
#include "base/document.h"
#include "base/result.h"

namespace elbowroom::api {

class Client {
 public:
  using Done = std::move_only_function<void(Result<void>)>;
  using Answer = std::move_only_function<void(Result<Value>)>;
  using Raw = std::move_only_function<void(Result<Response>)>;

  // The transport must outlive the client. The client may be destroyed before its calls are
  // answered. `field_manager`: the program's name.
  Client(Transport& transport, std::string field_manager)
      : transport_(transport), field_manager_(std::move(field_manager)) {}

  // Any call. An unsuccessful response becomes an Error (status_error.h); a POST of an existing
  // name is a Conflict. POST, PUT and PATCH carry the field manager.
  void request(Method method, std::string path, Query query, std::string content_type,
               std::string body, Raw done);

  // The same, but any answer of the server is handed on as it is.
  void ask(Request request, Raw done);

  // Contains only the fields of the pod that our decoders read (wire_tables.h).
  void get_pod(const ObjectRef& pod, Answer done);
  // The same for a pod group in that version of scheduling.k8s.io, like "v1beta1".
  void get_pod_group(const ObjectRef& group, std::string_view version, Answer done);
  void get_node(const std::string& name, Answer done);

  // Conditions alone are one patch. With resources, the pod is read first and patched at the
  // version read, up to 5 times if another writer intervenes. Conflict: the name now belongs to
  // another pod, or a container has no status yet; NotFound: the pod is gone.
  void patch_pod_status(const ObjectRef& pod, PodStatusChange change, Done done);

  // Sets conditions of a pod group, each merged by its type. Conflict: another group has its name;
  // NotFound: the group is gone, or the version is not served. Internal: a condition without a
  // reason or a lastTransitionTime, which the API requires.
  void patch_group_status(const ObjectRef& group, std::string_view version,
                          const policy::Conditions& set, Done done);

  // Marks a victim; policy::marking_condition creates the condition. A pod that is gone is a
  // success. Conflict: another pod has its name.
  void mark_disruption_target(const ObjectRef& victim, const policy::Condition& mark, Done done);

  // Deletes the pod with that uid, with its own grace period; dry_run changes nothing. A pod that
  // is gone is a success, or NotFound if requested. Conflict: another pod has its name.
  enum class Gone { IsSuccess, IsNotFound };
  void delete_pod(const ObjectRef& victim, bool dry_run, Done done, Gone gone = Gone::IsSuccess);

  // Binds the pod with that uid to a node. Conflict: it is already bound, or is terminating, or
  // another pod has its name; NotFound: it is gone. May be repeated after an unknown outcome.
  void bind_pod(const ObjectRef& pod, const std::string& node, Done done);

  // Sets one annotation of a Node, or removes it (nullopt).
  void annotate_node(const std::string& node, const std::string& key,
                     const std::optional<std::string>& value, Done done);

 private:
  Transport& transport_;
  std::string field_manager_;
};

}  // namespace elbowroom::api
