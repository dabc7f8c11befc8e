#include "api/transport/http2_connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstring>
#include <unordered_map>

#include "base/fd.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{16} << 10;
constexpr std::size_t kReadAhead = std::size_t{64} << 10;
// As much is sent before anything is read again.
constexpr std::size_t kMostQueued = std::size_t{256} << 10;
constexpr std::int32_t kWindow = 1 << 20;
constexpr std::int32_t kConnectionWindow = 4 << 20;
constexpr unsigned kUserTimeoutMs = 45'000;
constexpr std::string_view kAlpn = "\x02h2";

template <auto Free>
struct FreedBy {
  template <class T>
  void operator()(T* one) const {
    Free(one);
  }
};
using Context = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using Tls = std::unique_ptr<SSL, FreedBy<SSL_free>>;
using Bio = std::unique_ptr<BIO, FreedBy<BIO_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Http2 = std::unique_ptr<nghttp2_session, FreedBy<nghttp2_session_del>>;

Bio reading(const std::string& text) {
  return Bio(
      BIO_new_mem_buf(text.data(), static_cast<int>(std::min<std::size_t>(text.size(), INT_MAX))));
}

// Keys under a passphrase are for nobody to type in.
int no_passphrase(char*, int, int, void*) { return 0; }

bool trust(SSL_CTX* context, const std::string& authorities) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);  // as libcurl does
  const Bio from = reading(authorities);
  int count = 0;
  while (const Certificate one{PEM_read_bio_X509(from.get(), nullptr, no_passphrase, nullptr)}) {
    count += X509_STORE_add_cert(store, one.get());
  }
  ERR_clear_error();
  return count > 0;
}

bool show(SSL_CTX* context, const Http2Peer& peer) {
  if (peer.certificate.empty()) return true;
  const Bio chain = reading(peer.certificate);
  const Certificate own(PEM_read_bio_X509_AUX(chain.get(), nullptr, no_passphrase, nullptr));
  if (own == nullptr || SSL_CTX_use_certificate(context, own.get()) != 1) return false;
  while (const Certificate more{PEM_read_bio_X509(chain.get(), nullptr, no_passphrase, nullptr)}) {
    if (SSL_CTX_add1_chain_cert(context, more.get()) != 1) return false;
  }
  ERR_clear_error();
  const Bio from = reading(peer.key);
  const Key key(PEM_read_bio_PrivateKey(from.get(), nullptr, no_passphrase, nullptr));
  return key != nullptr && SSL_CTX_use_PrivateKey(context, key.get()) == 1;
}

bool check_name(SSL* tls, const std::string& name) {
  X509_VERIFY_PARAM* rules = SSL_get0_param(tls);
  std::string bare = name;
  if (bare.size() > 2 && bare.starts_with('[') && bare.ends_with(']')) {
    bare = bare.substr(1, bare.size() - 2);
  }
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, bare.c_str()) == 1) return true;
  ERR_clear_error();
  SSL_set_hostflags(tls, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return SSL_set_tlsext_host_name(tls, bare.c_str()) == 1 && SSL_set1_host(tls, bare.c_str()) == 1;
}

Context context_for(const Http2Peer& peer) {
  Context context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return nullptr;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  // One read takes many records, not a record's head and then its body.
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_default_read_buffer_len(context.get(), kReadAhead);
  const auto* offered = reinterpret_cast<const unsigned char*>(kAlpn.data());
  SSL_CTX_set_alpn_protos(context.get(), offered, kAlpn.size());
  SSL_CTX_set_verify(context.get(), peer.skip_verification ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                     nullptr);
  if (!peer.skip_verification && !trust(context.get(), peer.authorities)) return nullptr;
  return show(context.get(), peer) ? std::move(context) : nullptr;
}

// A socket that is being connected; not open where that cannot be.
Fd connecting_to(const Http2Peer& peer) {
  sockaddr_storage address{};
  socklen_t size = 0;
  auto* four = reinterpret_cast<sockaddr_in*>(&address);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address);
  if (inet_pton(AF_INET, peer.address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(peer.port);
    size = sizeof *four;
  } else if (inet_pton(AF_INET6, peer.address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(peer.port);
    size = sizeof *six;
  } else {
    return {};
  }
  Fd socket(::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return {};
  const int on = 1;
  const int idle = 30;
  const int interval = 10;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof kUserTimeoutMs);
  const int failed = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size);
  if (failed != 0 && errno != EINPROGRESS) return {};
  return socket;
}

nghttp2_nv pair_of(std::string_view name, std::string_view value) {
  // nghttp2 copies both.
  const auto bytes = [](std::string_view of) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(of.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

class Http2Connection::Session {
 public:
  explicit Session(const Http2Peer& peer) : context_(context_for(peer)) {
    if (context_ == nullptr) return;
    tls_.reset(SSL_new(context_.get()));
    if (tls_ == nullptr || (!peer.skip_verification && !check_name(tls_.get(), peer.name))) return;
    socket_ = connecting_to(peer);
    if (!socket_.is_open() || SSL_set_fd(tls_.get(), socket_.get()) != 1) return;
    SSL_set_connect_state(tls_.get());
    stage_ = Stage::Shaking;
    wants_write_ = true;
  }
  ~Session() {
    if (stage_ == Stage::Open) SSL_shutdown(tls_.get());
  }

  enum class Stage : std::uint8_t { Shaking, Open, Over };

  void end() {
    for (const auto& [number, stream] : streams_) {
      if (stream->sink != nullptr) finished_.push_back({number, End::Lost});
      stream->sink = nullptr;
    }
    stage_ = Stage::Over;
    wants_write_ = false;
  }

  void act() {
    if (stage_ == Stage::Shaking) shake();
    if (stage_ != Stage::Open) return;
    receive();
    flush();
  }

  void flush() {
    if (stage_ != Stage::Open) return;
    while (true) {
      collect();
      if (out_.empty()) break;
      if (!send()) return;
    }
    const bool is_idle = nghttp2_session_want_read(http2_.get()) == 0 &&
                         nghttp2_session_want_write(http2_.get()) == 0;
    if (is_idle || (is_retired_ && streams_.empty())) end();
  }

  Number submit(const Fields& head, std::string_view body, Http2Sink& sink) {
    std::vector<nghttp2_nv> pairs;
    pairs.reserve(head.size());
    for (const auto& [name, value] : head) pairs.push_back(pair_of(name, value));
    auto stream = std::make_unique<Stream>(Stream{.sink = &sink, .body = body});
    nghttp2_data_provider source{.source = {.ptr = stream.get()}, .read_callback = &Session::read};
    const Number number = nghttp2_submit_request(http2_.get(), nullptr, pairs.data(), pairs.size(),
                                                 body.empty() ? nullptr : &source, stream.get());
    if (number < 0) {
      is_retired_ = true;  // out of stream numbers, or of memory
      return -1;
    }
    streams_.emplace(number, std::move(stream));
    return number;
  }

  void cancel(Number number) {
    const auto at = streams_.find(number);
    if (at == streams_.end()) return;
    at->second->sink = nullptr;
    at->second->body = {};
    if (stage_ == Stage::Open) {
      nghttp2_submit_rst_stream(http2_.get(), NGHTTP2_FLAG_NONE, number, NGHTTP2_CANCEL);
    }
  }

  Stage stage_ = Stage::Over;
  bool wants_write_ = false;
  bool is_retired_ = false;
  Fd socket_{};
  std::vector<Finished> finished_{};

 private:
  struct Stream {
    Http2Sink* sink = nullptr;  // nullptr: cancelled
    std::string_view body{};    // what is still to be sent
    int status = 0;
    bool is_stopped = false;
  };

  void shake() {
    const int said = SSL_connect(tls_.get());
    if (said != 1) {
      const int why = SSL_get_error(tls_.get(), said);
      ERR_clear_error();
      wants_write_ = why == SSL_ERROR_WANT_WRITE;
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) end();
      return;
    }
    const unsigned char* chosen = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls_.get(), &chosen, &size);
    if (text_of(chosen, size) != "h2" || !open()) return end();
    stage_ = Stage::Open;
    wants_write_ = false;
    flush();
  }

  bool open() {
    nghttp2_session_callbacks* table = nullptr;
    if (nghttp2_session_callbacks_new(&table) != 0) return false;
    const std::unique_ptr<nghttp2_session_callbacks, FreedBy<nghttp2_session_callbacks_del>> kept(
        table);
    nghttp2_session_callbacks_set_on_header_callback(table, &Session::on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(table, &Session::on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table, &Session::on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(table, &Session::on_close);
    nghttp2_session* made = nullptr;
    if (nghttp2_session_client_new(&made, table, this) != 0) return false;
    http2_.reset(made);
    const std::array<nghttp2_settings_entry, 2> settings{
        {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow}}};
    return nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) ==
               0 &&
           nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, kConnectionWindow) ==
               0;
  }

  void receive() {
    std::array<std::uint8_t, kReadAtOnce>
        bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    while (stage_ == Stage::Open) {
      const int count = SSL_read(tls_.get(), bytes.data(), bytes.size());
      if (count <= 0) {
        const int why = SSL_get_error(tls_.get(), count);
        ERR_clear_error();
        if (why == SSL_ERROR_WANT_WRITE) wants_write_ = true;
        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) end();
        return;
      }
      const auto size = static_cast<std::size_t>(count);
      if (nghttp2_session_mem_recv(http2_.get(), bytes.data(), size) < 0) return end();
    }
  }

  void collect() {
    while (out_.size() < kMostQueued) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t count = nghttp2_session_mem_send(http2_.get(), &bytes);
      if (count <= 0) return;
      out_.append(text_of(bytes, static_cast<std::size_t>(count)));
    }
  }

  // False: the rest waits until the socket takes it, or the connection is over.
  bool send() {
    std::size_t sent = 0;
    wants_write_ = false;
    while (sent < out_.size()) {
      const std::size_t left = std::min<std::size_t>(out_.size() - sent, INT_MAX);
      const int count = SSL_write(tls_.get(), out_.data() + sent, static_cast<int>(left));
      if (count <= 0) {
        const int why = SSL_get_error(tls_.get(), count);
        ERR_clear_error();
        out_.erase(0, sent);
        wants_write_ = why == SSL_ERROR_WANT_WRITE;
        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) end();
        return false;
      }
      sent += static_cast<std::size_t>(count);
    }
    out_.clear();
    return true;
  }

  static Session& self(void* user) { return *static_cast<Session*>(user); }
  // nullptr: cancelled, or none of ours.
  Stream* wanted(Number number) {
    const auto at = streams_.find(number);
    return at == streams_.end() || at->second->sink == nullptr ? nullptr : at->second.get();
  }

  static ssize_t read(nghttp2_session*, Number, std::uint8_t* to, std::size_t room,
                      std::uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& stream = *static_cast<Stream*>(source->ptr);
    if (stream.sink == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t count = std::min(room, stream.body.size());
    std::memcpy(to, stream.body.data(), count);
    stream.body.remove_prefix(count);
    if (stream.body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user) {
    Stream* stream = self(user).wanted(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const std::string_view named = text_of(name, name_size);
    const std::string_view said = text_of(value, value_size);
    if (named != ":status") {
      if (stream->status >= 200) stream->sink->on_field(named, said);
      return 0;
    }
    std::from_chars(said.data(), said.data() + said.size(), stream->status);
    if (stream->status >= 200) stream->sink->on_status(stream->status);
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Session& session = self(user);
    if (frame->hd.type == NGHTTP2_GOAWAY) session.is_retired_ = true;
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    Stream* stream = session.wanted(frame->hd.stream_id);
    if (stream != nullptr && stream->status >= 200) stream->sink->on_head_end();
    return 0;
  }

  static int on_data(nghttp2_session* http2, std::uint8_t, Number number, const std::uint8_t* bytes,
                     std::size_t size, void* user) {
    Stream* stream = self(user).wanted(number);
    if (stream == nullptr || stream->is_stopped) return 0;
    if (stream->sink->on_bytes(text_of(bytes, size))) return 0;
    stream->is_stopped = true;
    nghttp2_submit_rst_stream(http2, NGHTTP2_FLAG_NONE, number, NGHTTP2_CANCEL);
    return 0;
  }

  static int on_close(nghttp2_session*, Number number, std::uint32_t why, void* user) {
    Session& session = self(user);
    const auto at = session.streams_.find(number);
    if (at == session.streams_.end()) return 0;
    const Stream& stream = *at->second;
    if (stream.sink != nullptr) {
      End end = End::Lost;
      if (stream.is_stopped) {
        end = End::Stopped;
      } else if (why == NGHTTP2_NO_ERROR && stream.status >= 200) {
        end = End::Answered;
      } else if (why == NGHTTP2_REFUSED_STREAM) {
        end = End::Untouched;
      }
      session.finished_.push_back({number, end});
    }
    session.streams_.erase(at);
    return 0;
  }

  Context context_;
  Tls tls_{};
  std::unordered_map<Number, std::unique_ptr<Stream>> streams_{};
  Http2 http2_{};  // ends before the streams, to which it points
  std::string out_{};
};

Http2Connection::Http2Connection(const Http2Peer& peer)
    : session_(std::make_unique<Session>(peer)) {}
Http2Connection::~Http2Connection() = default;

int Http2Connection::socket() const { return session_->socket_.get(); }
bool Http2Connection::wants_write() const { return session_->wants_write_; }
bool Http2Connection::is_connecting() const { return session_->stage_ == Session::Stage::Shaking; }
bool Http2Connection::is_open() const {
  return session_->stage_ == Session::Stage::Open && !session_->is_retired_;
}
bool Http2Connection::is_over() const { return session_->stage_ == Session::Stage::Over; }
void Http2Connection::retire() {
  session_->is_retired_ = true;
  if (session_->stage_ == Session::Stage::Shaking) session_->end();
}

Http2Connection::Number Http2Connection::submit(const Fields& head, std::string_view body,
                                                Http2Sink& sink) {
  return is_open() ? session_->submit(head, body, sink) : -1;
}
void Http2Connection::cancel(Number number) { session_->cancel(number); }
void Http2Connection::act() { session_->act(); }
void Http2Connection::flush() { session_->flush(); }
std::vector<Http2Connection::Finished> Http2Connection::take_finished() {
  return std::exchange(session_->finished_, {});
}

}  // namespace elbowroom::api
