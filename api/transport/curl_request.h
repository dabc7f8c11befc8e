// One request in flight and the response so far, over libcurl or over a connection of our own. Only
// this file and curl_transport.cpp use libcurl. The callbacks of both only collect data here; no
// other code runs inside them.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/credentials.h"
#include "api/transport/easy_handles.h"
#include "api/transport/http2_connection.h"
#include "api/transport/secrets_in_use.h"
#include "api/transport/transport.h"

namespace elbowroom::api {

// How requests reach the server at present.
struct ServerRoute {
  std::uint64_t number = 0;  // different for every different way
  const Access& access;
  const TransportOptions& options;
  const TlsIdentity& identity;
  const SecretsInUse& secrets;  // must outlive every exchange
};

class CurlRequest final : public Http2Sink {
 public:
  // `handles` must outlive this object.
  CurlRequest(Request asked, StreamCallbacks then, bool streams, EasyHandles& handles)
      : request(std::move(asked)),
        callbacks(std::move(then)),
        is_stream(streams),
        handles_(handles) {}
  ~CurlRequest();
  CurlRequest(const CurlRequest&) = delete;
  CurlRequest& operator=(const CurlRequest&) = delete;

  // Prepares the libcurl handle. `touched` receives the id when there is something to deliver; it
  // must outlive the exchange. Exhausted: libcurl is out of memory.
  [[nodiscard]] Result<void> prepare(const ServerRoute& way, std::vector<std::uint64_t>& touched);

  // The same for a connection of our own: its fields, beginning with the pseudo fields.
  [[nodiscard]] Http2Connection::Fields prepare_direct(const ServerRoute& way,
                                                       std::vector<std::uint64_t>& touched);

  // Drops the response, for a retry.
  void reset();

  // What outcome() says where libcurl has said nothing.
  void say(std::string_view why);

  // The caller's result once libcurl has finished with `curl_code`; `wall` is for messages.
  [[nodiscard]] Result<Response> outcome(int curl_code, const Access& access, policy::Time wall);

  // "GET /api/v1/pods", for messages.
  [[nodiscard]] std::string name() const;

  // Whether its answer is awaited by nobody as it begins to flow, as those of lists and watches
  // are.
  [[nodiscard]] bool is_single() const { return !callbacks.opened; }

  void on_status(int status) override;
  void on_field(std::string_view name, std::string_view value) override;
  void on_head_end() override;
  [[nodiscard]] bool on_bytes(std::string_view bytes) override { return take_bytes(bytes); }

  // libcurl's handle; valid after prepare().
  [[nodiscard]] CURL* easy() const { return handle_->easy; }

  // True for a stream whose successful response is being read.
  [[nodiscard]] bool is_flowing() const { return is_stream && is_success(response); }

  std::uint64_t id = 0;
  Request request;
  StreamCallbacks callbacks;
  bool is_stream = false;
  bool on_wire = false;
  bool is_opened = false;  // the caller has received the head
  bool was_resent = false;
  bool is_idle = false;  // ended by us: no byte within the idle limit
  // Its number on the connection of our own; -1: it is on libcurl's, or on none.
  Http2Connection::Number number = -1;
  bool keeps_to_curl = false;  // the connection of our own had it, and was lost
  std::string token{};         // the token that was sent
  Response response{};
  std::string chunk{};  // of a successful stream, not yet delivered
  RedactedStream redacted{};
  Clock::time_point heard{};
  Clock::time_point sent{};

 private:
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static int on_socket(void* self, curl_socket_t socket, curlsocktype purpose);

  void take_line(std::string_view line);
  [[nodiscard]] bool take_bytes(std::string_view bytes);
  void touch();
  void set_way(const ServerRoute& way);
  void set_tls(const Access& access, const TlsIdentity& identity);
  void set_request(const Access& access);
  void set_method();
  void set_headers(const Access& access);
  void add_fields(const Access& access, Http2Connection::Fields& to) const;
  [[nodiscard]] bool has_body() const;

  EasyHandles& handles_;
  std::unique_ptr<EasyHandle> handle_{};
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  std::vector<std::uint64_t>* touched_ = nullptr;
  const SecretsInUse* secrets_ = nullptr;
  bool is_overflow_ = false;
};

}  // namespace elbowroom::api
