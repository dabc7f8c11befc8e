// A server for one test that speaks HTTP/2 over TLS and does by a request's path what servers and
// proxies do: see answer(). Destroy the transport first, or it waits for its connections.
#pragma once

#include <arpa/inet.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/transport/access.h"
#include "base/fd.h"
#include "test/unit/api/certificates.h"

namespace elbowroom::api {

class Http2Server {
 public:
  explicit Http2Server(const Authority& authority, const Issued& identity)
      : authority_(authority), context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_use_certificate(context_.get(), identity.certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), identity.key.get());
    SSL_CTX_set_alpn_select_cb(context_.get(), &Http2Server::choose, nullptr);
    listener_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_.get(), 16);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::jthread([this] { accept_all(); });
  }
  ~Http2Server() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    accepting_.join();
    const std::lock_guard lock(mutex_);
    for (const auto& each : connections_) ::shutdown(each->socket.get(), SHUT_RDWR);
  }

  // The connection of that number is accepted, and nothing is said on it.
  void keep_silent(int number) { silent_ = number; }
  // The client ended that connection.
  [[nodiscard]] bool was_left() const { return was_left_; }

  [[nodiscard]] Access access() const {
    Access access;
    access.server = {"https", "127.0.0.1", port_, ""};
    access.authority_pem = authority_.pem();
    return access;
  }

 private:
  template <auto Free>
  struct FreedBy {
    template <class T>
    void operator()(T* one) const {
      Free(one);
    }
  };
  struct Asked {
    std::string method{}, path{}, said{}, answer{};
    std::size_t told = 0;
  };
  struct Connection {
    Http2Server* server = nullptr;
    int number = 0;  // 1 for the first one
    Fd socket{};
    std::unique_ptr<SSL, FreedBy<SSL_free>> tls{};
    std::unique_ptr<nghttp2_session, FreedBy<nghttp2_session_del>> http2{};
    std::map<std::int32_t, Asked> asked{};
    bool is_over = false;
    std::jthread thread{};
  };

  static int choose(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in,
                    unsigned in_size, void*) {
    static constexpr std::string_view kH2 = "\x02h2";
    const auto* wanted = reinterpret_cast<const unsigned char*>(kH2.data());
    unsigned char* chosen = nullptr;
    const int said = SSL_select_next_proto(&chosen, size, wanted, kH2.size(), in, in_size);
    *out = chosen;
    return said == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
  }

  void accept_all() {
    while (true) {
      Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.is_open()) return;
      const std::lock_guard lock(mutex_);
      auto& made = connections_.emplace_back(std::make_unique<Connection>());
      made->server = this;
      made->number = static_cast<int>(connections_.size());
      made->socket = std::move(socket);
      made->thread = std::jthread([this, connection = made.get()] { serve(*connection); });
    }
  }

  void serve(Connection& of) {
    if (of.number == silent_) {
      std::array<char, 512> bytes{};
      while (::recv(of.socket.get(), bytes.data(), bytes.size(), 0) > 0) {
      }
      was_left_ = true;
      return;
    }
    of.tls.reset(SSL_new(context_.get()));
    SSL_set_fd(of.tls.get(), of.socket.get());
    if (SSL_accept(of.tls.get()) != 1) return;
    nghttp2_session_callbacks* table = nullptr;
    nghttp2_session_callbacks_new(&table);
    nghttp2_session_callbacks_set_on_header_callback(table, &Http2Server::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table, &Http2Server::on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(table, &Http2Server::on_frame);
    nghttp2_session* made = nullptr;
    nghttp2_session_server_new(&made, table, &of);
    of.http2.reset(made);
    nghttp2_session_callbacks_del(table);
    nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, nullptr, 0);
    std::array<unsigned char, 16384> bytes{};
    while (!of.is_over && send(of)) {
      const int count = SSL_read(of.tls.get(), bytes.data(), bytes.size());
      if (count <= 0) break;
      if (nghttp2_session_mem_recv(made, bytes.data(), static_cast<std::size_t>(count)) < 0) break;
    }
    ::shutdown(of.socket.get(), SHUT_RDWR);
  }

  static bool send(Connection& of) {
    while (true) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t count = nghttp2_session_mem_send(of.http2.get(), &bytes);
      if (count <= 0) return count == 0;
      if (SSL_write(of.tls.get(), bytes, static_cast<int>(count)) <= 0) return false;
    }
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user) {
    auto& asked = static_cast<Connection*>(user)->asked[frame->hd.stream_id];
    const std::string named(reinterpret_cast<const char*>(name), name_size);
    const std::string said(reinterpret_cast<const char*>(value), value_size);
    if (named == ":path") asked.path = said;
    if (named == ":method") asked.method = said;
    if (named == "authorization" || named == "content-type") asked.said += " " + said;
    return 0;
  }
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t number, const std::uint8_t* bytes,
                     std::size_t size, void* user) {
    auto& asked = static_cast<Connection*>(user)->asked[number];
    asked.said += " " + std::string(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    const bool is_asked = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!is_asked || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    auto& connection = *static_cast<Connection*>(user);
    connection.server->answer(connection, frame->hd.stream_id);
    return 0;
  }

  // libcurl has the first connection, on which everything is answered.
  void answer(Connection& of, std::int32_t number) {
    Asked& asked = of.asked[number];
    nghttp2_session* http2 = of.http2.get();
    const bool is_first = of.number == 1;
    if (asked.path == "/late") return;
    if (asked.path == "/refused" && !is_first) {
      nghttp2_submit_rst_stream(http2, NGHTTP2_FLAG_NONE, number, NGHTTP2_REFUSED_STREAM);
      return;
    }
    if (asked.path == "/goaway" && !is_first) {
      nghttp2_submit_goaway(http2, NGHTTP2_FLAG_NONE, number - 2, NGHTTP2_NO_ERROR, nullptr, 0);
      return;
    }
    if (asked.path == "/broken" && !is_first) {
      of.is_over = true;
      return;
    }
    asked.answer = std::to_string(of.number) + ": " + asked.method + asked.said;
    if (asked.path == "/big") asked.answer.assign(std::size_t{3} << 20, 'x');
    const bool is_cut = asked.path == "/cut" && !is_first;
    if (is_cut) asked.answer = "the beginning";
    respond(http2, number, asked, is_cut);
    if (is_cut) {
      send(of);
      nghttp2_submit_rst_stream(http2, NGHTTP2_FLAG_NONE, number, NGHTTP2_INTERNAL_ERROR);
    }
  }

  static void respond(nghttp2_session* http2, std::int32_t number, Asked& asked, bool is_cut) {
    const auto pair = [](std::string_view name, std::string_view value) {
      const auto bytes = [](std::string_view of) {
        return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(of.data()));
      };
      return nghttp2_nv{bytes(name), bytes(value), name.size(), value.size(), 0};
    };
    const std::array<nghttp2_nv, 4> head{{pair(":status", asked.path == "/denied" ? "403" : "200"),
                                          pair("content-type", "text/plain; charset=utf-8"),
                                          pair("warning", "299 - \"w\""),
                                          pair("date", "Fri, 24 Jul 2026 10:00:00 GMT")}};
    nghttp2_data_provider body{.source = {.ptr = &asked}, .read_callback = nullptr};
    body.read_callback = is_cut ? &Http2Server::tell_and_wait : &Http2Server::tell;
    nghttp2_submit_response(http2, number, head.data(), head.size(), &body);
  }
  static ssize_t tell(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                      std::uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& asked = *static_cast<Asked*>(source->ptr);
    const std::size_t count = std::min(room, asked.answer.size() - asked.told);
    asked.answer.copy(reinterpret_cast<char*>(to), count, asked.told);
    asked.told += count;
    if (asked.told == asked.answer.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }
  static ssize_t tell_and_wait(nghttp2_session* http2, std::int32_t number, std::uint8_t* to,
                               std::size_t room, std::uint32_t* flags, nghttp2_data_source* source,
                               void* user) {
    if (static_cast<Asked*>(source->ptr)->told > 0) return NGHTTP2_ERR_DEFERRED;
    const ssize_t count = tell(http2, number, to, room, flags, source, user);
    *flags = 0;
    return count;
  }

  const Authority& authority_;
  std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>> context_;
  Fd listener_{};
  std::uint16_t port_ = 0;
  std::atomic<int> silent_ = 0;
  std::atomic<bool> was_left_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::jthread accepting_{};
};

}  // namespace elbowroom::api
