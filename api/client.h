// The calls we make to the API server, besides watches. The one thing to know: every call answers
// through its callback, on the Transport's thread, with an Error whose Code says what to do;
// nothing is retried here unless it says so.
#pragma once

#include <functional>
#include <string>

#include "api/object_ref.h"
#include "api/transport.h"
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
  // the name taken is a Conflict. Writes get the field manager.
  void request(Method method, std::string path, Query query, std::string content_type,
               std::string body, Raw done);

  void get_pod(const ObjectRef& pod, Answer done);
  void get_node(const std::string& name, Answer done);

 private:
  void answered(Request request, std::string doing, Raw done);
  void answered_json(Request request, std::string doing, Answer done);

  Transport& transport_;
  std::string field_manager_;
};

}  // namespace elbowroom::api
