// The calls we make to the API server, besides watches. Every call answers through its callback, on
// the Transport's thread, with an Error whose Code says what to do; nothing is retried here unless
// it says so.
#pragma once

#include <functional>
#include <optional>
#include <string>
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

  // The transport must outlive the client; the client may go before its calls are answered.
  // `field_manager`: the program's name.
  Client(Transport& transport, std::string field_manager)
      : transport_(transport), field_manager_(std::move(field_manager)) {}

  // Any call. A response that is no success becomes an Error (status_error.h); a POST that finds
  // the name taken is a Conflict. POST, PUT and PATCH get the field manager.
  void request(Method method, std::string path, Query query, std::string content_type,
               std::string body, Raw done);

  // Of a pod only what our decoders read (wire_tables.h).
  void get_pod(const ObjectRef& pod, Answer done);
  void get_node(const std::string& name, Answer done);

  // Conditions alone are one patch. With resources the pod is read first and patched at the version
  // that was read, up to 5 times when somebody else writes in between. Conflict: it is another pod
  // by now, or a container has no status yet; NotFound: it is gone.
  void patch_pod_status(const ObjectRef& pod, PodStatusChange change, Done done);

  // Marks a victim (policy::marking_condition makes the condition). A pod that is gone is success;
  // Conflict: another pod has its name.
  void mark_disruption_target(const ObjectRef& victim, const policy::Condition& mark, Done done);

  // Deletes the pod of that uid with its own grace period; dry_run only asks. A pod that is gone is
  // success, or NotFound where that is asked for; Conflict: another pod has its name.
  enum class Gone { IsSuccess, IsNotFound };
  void delete_pod(const ObjectRef& victim, bool dry_run, Done done, Gone gone = Gone::IsSuccess);

  // Places the pod of that uid on a node. Conflict: it is placed already, or is leaving, or another
  // pod has its name; NotFound: it is gone. After an unknown outcome it may be asked for again.
  void bind_pod(const ObjectRef& pod, const std::string& node, Done done);

  // Sets one annotation of a Node, or takes it away (nullopt).
  void annotate_node(const std::string& node, const std::string& key,
                     const std::optional<std::string>& value, Done done);

 private:
  Transport& transport_;
  std::string field_manager_;
};

}  // namespace elbowroom::api
