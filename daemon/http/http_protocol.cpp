// cpp-httplib reads and writes HTTP. Sockets and threads are ours (http_server.cpp): the library's
// own loop limits neither the total time of a request nor the number of waiting connections.
#include "daemon/http/http_protocol.h"

#include <httplib.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "daemon/http/host_header.h"

namespace elbowroom::daemon {
namespace {

constexpr std::string_view kOverLoopback = "loopback";

// A complete request and its response, as a stream for httplib.
class Exchange final : public httplib::Stream {
 public:
  Exchange(std::string_view head, bool over_loopback)
      : head_(head), over_loopback_(over_loopback) {}

  [[nodiscard]] bool is_readable() const override { return !head_.empty(); }
  [[nodiscard]] bool is_writable() const override { return true; }
  ssize_t read(char* bytes, size_t size) override {
    const size_t most = std::min(size, head_.size());
    std::copy_n(head_.data(), most, bytes);
    head_.remove_prefix(most);
    return most == 0 ? -1 : static_cast<ssize_t>(most);
  }
  ssize_t write(const char* bytes, size_t size) override {
    response_.append(bytes, size);
    return static_cast<ssize_t>(size);
  }
  // What the server below is to know of the client.
  void get_remote_ip_and_port(std::string& ip, int& /*port*/) const override {
    if (over_loopback_) ip = kOverLoopback;
  }
  void get_local_ip_and_port(std::string&, int&) const override {}
  [[nodiscard]] socket_t socket() const override { return INVALID_SOCKET; }

  [[nodiscard]] std::string take_response() { return std::move(response_); }

 private:
  std::string_view head_;
  bool over_loopback_;
  std::string response_{};
};

Request request_from(const httplib::Request& asked) {
  Request request{.method = asked.method, .path = asked.path};
  for (const auto& [name, value] : asked.params) request.parameters.emplace(name, value);
  return request;
}

// Without headers a request asks neither for compression (whose buffers are larger than all of
// ours) nor for ranges.
void keep_only_hosts(httplib::Request& request) {
  httplib::Headers hosts;
  const auto [first, last] = request.headers.equal_range("Host");
  for (auto at = first; at != last; ++at) hosts.emplace(at->first, at->second);
  request.headers = std::move(hosts);
  request.ranges.clear();
}

std::string refusal(std::string_view status, std::string_view why) {
  const std::string body = std::string(why) + "\n";
  return "HTTP/1.1 " + std::string(status) +
         "\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

// Answers before httplib matches its own routes, whose patterns are regular expressions.
class HttpProtocol::Server final : public httplib::Server {
 public:
  Server(Endpoints endpoints, std::optional<std::string> only_host)
      : endpoints_(std::move(endpoints)), only_host_(std::move(only_host)) {
    set_pre_routing_handler([this](const httplib::Request& asked, httplib::Response& response) {
      Request request = request_from(asked);
      request.is_local = asked.remote_addr == kOverLoopback && asks_for_this_machine(asked);
      const Reply reply = is_for_us(asked) ? answer(endpoints_, request) : misdirected();
      response.status = reply.status;
      response.set_content(reply.body, reply.type);
      response.set_header("Cache-Control", "no-store");
      response.set_header("X-Content-Type-Options", "nosniff");
      for (const auto& [name, value] : reply.headers) response.set_header(name, value);
      if (reply.status == 405) response.set_header("Allow", "GET, HEAD");
      return HandlerResponse::Handled;
    });
    // The default handler would put the exception's text into a header.
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          response.status = 500;
          response.set_content("internal error: see the log\n", "text/plain; charset=utf-8");
        });
  }

  void serve(Exchange& exchange) {
    bool closed = false;
    process_request(exchange, true, closed, keep_only_hosts);
  }

 private:
  [[nodiscard]] bool is_for_us(const httplib::Request& asked) const {
    const auto names = [this](const auto& host) { return names_us(host.second, *only_host_); };
    return !only_host_ || std::ranges::all_of(asked.headers, names);
  }

  // One Host, which a page with a name of its own for 127.0.0.1 cannot send.
  [[nodiscard]] static bool asks_for_this_machine(const httplib::Request& asked) {
    return asked.headers.size() == 1 && names_loopback(asked.headers.begin()->second);
  }

  static Reply misdirected() {
    return {.status = 421,
            .body = "this server answers for its IP address and localhost: ask by one of them\n"};
  }

  const Endpoints endpoints_;
  const std::optional<std::string> only_host_;
};

HttpProtocol::HttpProtocol(Endpoints endpoints, std::optional<std::string> only_host)
    : server_(std::make_unique<Server>(std::move(endpoints), std::move(only_host))) {}
HttpProtocol::~HttpProtocol() = default;

std::string HttpProtocol::respond(std::string_view head, bool over_loopback) const {
  Exchange exchange(head, over_loopback);
  server_->serve(exchange);
  std::string response = exchange.take_response();
  return response.empty() ? refusal("400 Bad Request", "not understood") : response;
}

std::string HttpProtocol::too_long(std::string_view beginning) {
  if (beginning.find('\n') == std::string_view::npos) {
    return refusal("414 URI Too Long", "the path and its query are longer than 4096 bytes");
  }
  return refusal("431 Request Header Fields Too Large", "the headers are longer than 4096 bytes");
}

std::string HttpProtocol::too_busy() {
  return refusal("503 Service Unavailable", "too many ask at once: ask again later");
}

std::size_t head_end(std::string_view bytes, std::size_t from) {
  constexpr std::string_view kEmptyLine = "\r\n\r\n";
  const std::size_t at = bytes.find(kEmptyLine, from < 3 ? 0 : from - 3);
  return at == std::string_view::npos ? at : at + kEmptyLine.size();
}

bool asks_for_life(std::string_view head) {
  const std::size_t space = head.find(' ');
  if (space == std::string_view::npos) return false;
  head.remove_prefix(space + 1);
  constexpr std::string_view kPath = "/livez";
  return head.starts_with(kPath) && head.find_first_of(" ?\r", kPath.size()) == kPath.size();
}

}  // namespace elbowroom::daemon
