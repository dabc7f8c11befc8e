#include "api/transport/curl_request.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "api/transport/tls_error.h"
#include "base/ascii_lower.h"

namespace elbowroom::api {
namespace {

// How much is kept of a body that only explains a failure.
constexpr std::size_t kMaxErrorBody = std::size_t{64} << 10;
constexpr std::size_t kMaxHeaderLine = std::size_t{16} << 10;

// Detects a peer that disappeared silently within these 45 s plus one probe, well below the minutes
// that the kernel would take.
constexpr long kKeepIdleSeconds = 30;
constexpr long kKeepIntervalSeconds = 10;
constexpr unsigned kUserTimeoutMs = 45'000;

curl_blob blob_of(const std::string& text) {
  curl_blob blob{};
  blob.data = const_cast<char*>(text.data());  // libcurl copies it
  blob.len = text.size();
  blob.flags = CURL_BLOB_COPY;
  return blob;
}

// libcurl's text in our form: one line, lower case at the start, no full stop.
std::string worded(std::string_view text) {
  std::string out(text.substr(0, 512));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  while (out.ends_with(' ') || out.ends_with('.')) out.pop_back();
  const bool is_word = out.size() > 1 && out[1] >= 'a' && out[1] <= 'z';
  if (is_word && out[0] >= 'A' && out[0] <= 'Z') out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

bool is_about_trust(int curl_code) {
  switch (curl_code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      return true;
    default:
      return false;
  }
}

// The remedy if no server was reached.
std::string connection_remedy(int curl_code, const Access& access) {
  const std::string where = access.server.host + " port " + std::to_string(access.server.port);
  if (access.is_daemon) {
    return "see that the daemon runs, and that it listens on " + where + " (--listen)";
  }
  switch (curl_code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "mend proxy-url in the kubeconfig or the proxy of the environment, or this machine's "
             "DNS";
    case CURLE_COULDNT_RESOLVE_HOST:
      return "mend the server in the kubeconfig, or this machine's DNS";
    case CURLE_COULDNT_CONNECT:
      return access.proxy_url.empty()
                 ? "see that the API server runs, and that " + where + " is where (kubeconfig)"
                 : "see that the proxy and the API server run, and that these are their addresses";
    default:
      return {};
  }
}

}  // namespace

CurlRequest::~CurlRequest() {
  handles_.give_back(std::move(handle_));
  curl_slist_free_all(headers_);
}

Result<void> CurlRequest::prepare(const ServerRoute& way, std::vector<std::uint64_t>& touched) {
  if (handle_ == nullptr) handle_ = handles_.take();
  if (handle_ == nullptr) return failure(Code::Exhausted, "no memory for another request");
  touched_ = &touched;
  secrets_ = &way.secrets;
  heard = Clock::now();
  if (handle_->set_up_for != way.number) set_way(way);
  set_request(way.access);
  return {};
}

// Sets the options that all requests share until the way to the server changes.
void CurlRequest::set_way(const ServerRoute& way) {
  CURL* const easy = handle_->easy;
  curl_easy_reset(easy);
  curl_slist_free_all(std::exchange(handle_->connect_to, nullptr));
  if (!way.access.tls_server_name.empty()) {
    // The URL has the name in the certificate; the connection goes to the server's address.
    const ServerUrl& server = way.access.server;
    const std::string detour = "::" + server.host + ":" + std::to_string(server.port);
    handle_->connect_to = curl_slist_append(nullptr, detour.c_str());
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, handle_->connect_to);
  }
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // credentials go to no other server
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, way.options.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlRequest::on_header);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlRequest::on_body);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &CurlRequest::on_socket);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepIntervalSeconds);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(way.options.connect_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a slow resolver does not delay the stop
  // The environment was already evaluated by Go's rules, which differ from libcurl's.
  curl_easy_setopt(easy, CURLOPT_PROXY, way.access.proxy_url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set_tls(way.access, way.identity);
  handle_->set_up_for = way.number;
}

void CurlRequest::set_request(const Access& access) {
  CURL* const easy = handle_->easy;
  ServerUrl server = access.server;
  if (!access.tls_server_name.empty()) server.host = access.tls_server_name;
  const std::string url = to_string(server) + target_of(request.path, request.query);
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.deadline.count()));
  set_method();
  set_headers(access);
}

bool CurlRequest::has_body() const {
  return !request.body.empty() || request.method == Method::Post || request.method == Method::Put ||
         request.method == Method::Patch;
}

void CurlRequest::set_method() {
  CURL* const easy = handle_->easy;
  const std::string method(to_string(request.method));
  if (has_body()) {
    // The body is not copied: the request outlives the exchange.
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  } else {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);  // the previous request may have had a body
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void CurlRequest::set_tls(const Access& access, const TlsIdentity& identity) {
  if (access.server.scheme != "https") return;
  CURL* const easy = handle_->easy;
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, access.skip_verification ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, access.skip_verification ? 0L : 2L);
  if (identity.authority) {
    // Only the configured authorities are trusted: this disables the built-in folder, too.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    const curl_blob authority = blob_of(*identity.authority);
    if (!identity.authority->empty()) curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &authority);
    // As in client-go, the server's authorities are also trusted for an https proxy.
    curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, nullptr);
    curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, nullptr);
    if (!identity.authority->empty()) curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO_BLOB, &authority);
  }
  curl_easy_setopt(easy, CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYPEER, access.skip_verification ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYHOST, access.skip_verification ? 0L : 2L);
  if (!identity.certificate.empty()) {
    const curl_blob certificate = blob_of(identity.certificate);
    const curl_blob key = blob_of(identity.key);
    curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
  }
}

void CurlRequest::set_headers(const Access& access) {
  curl_slist_free_all(headers_);
  headers_ = nullptr;
  const auto add = [this](const std::string& line) {
    curl_slist* longer = curl_slist_append(headers_, line.c_str());
    if (longer != nullptr) headers_ = longer;
  };
  add("Expect:");
  if (!access.tls_server_name.empty()) {
    add("Host: " + access.server.host + ":" + std::to_string(access.server.port));
  }
  Http2Connection::Fields fields;
  add_fields(access, fields);
  for (const auto& [name, value] : fields) add(name + ": " + value);
  curl_easy_setopt(handle_->easy, CURLOPT_HTTPHEADER, headers_);
}

// What is said of the request and of its sender, apart from where it goes.
void CurlRequest::add_fields(const Access& access, Http2Connection::Fields& to) const {
  to.emplace_back("accept", request.accept.empty() ? std::string(kJson) : request.accept);
  if (!request.content_type.empty()) to.emplace_back("content-type", request.content_type);
  if (!token.empty()) to.emplace_back("authorization", "Bearer " + token);
  const Impersonation& as = access.impersonation;
  if (!as.user.empty()) to.emplace_back("impersonate-user", as.user);
  if (!as.uid.empty()) to.emplace_back("impersonate-uid", as.uid);
  for (const std::string& group : as.groups) to.emplace_back("impersonate-group", group);
  for (const auto& [key, value] : as.extra) {
    to.emplace_back("impersonate-extra-" + ascii_lower(percent_encoded(key)), value);
  }
}

Http2Connection::Fields CurlRequest::prepare_direct(const ServerRoute& way,
                                                    std::vector<std::uint64_t>& touched) {
  touched_ = &touched;
  secrets_ = &way.secrets;
  heard = Clock::now();
  const ServerUrl& server = way.access.server;
  Http2Connection::Fields head;
  head.reserve(12);
  head.emplace_back(":method", to_string(request.method));
  head.emplace_back(":scheme", server.scheme);
  head.emplace_back(":authority", server.host + ":" + std::to_string(server.port));
  head.emplace_back(":path", server.prefix + target_of(request.path, request.query));
  head.emplace_back("user-agent", way.options.user_agent);
  if (has_body()) head.emplace_back("content-length", std::to_string(request.body.size()));
  add_fields(way.access, head);
  return head;
}

void CurlRequest::say(std::string_view why) {
  const std::size_t size = std::min(why.size(), error_text_.size() - 1);
  std::ranges::copy(why.substr(0, size), error_text_.begin());
  error_text_.at(size) = '\0';
}

void CurlRequest::reset() {
  response = {};
  chunk.clear();
  redacted = {};
  error_text_.fill('\0');
  is_opened = false;
  is_overflow_ = false;
}

Result<Response> CurlRequest::outcome(int curl_code, const Access& access, policy::Time wall) {
  if (curl_code == CURLE_OK && response.status != 0) return std::move(response);
  if (is_overflow_) {
    return failure(Code::Exhausted, name() + ": the answer is larger than " +
                                        std::to_string(request.max_body) + " bytes");
  }
  if (is_idle) {
    return failure(Code::Unavailable, name() + ": nothing came for " +
                                          std::to_string(request.idle_limit.count()) + " ms");
  }
  if (curl_code == CURLE_OPERATION_TIMEDOUT) {
    return failure(Code::Unavailable, name() + ": " + worded(error_text_.data()) + " (deadline " +
                                          std::to_string(request.deadline.count()) + " ms)");
  }
  const std::string_view said(error_text_.data());
  const std::string why =
      worded(said.empty() ? curl_easy_strerror(static_cast<CURLcode>(curl_code)) : said);
  long verdict = 0;
  if (handle_ != nullptr) curl_easy_getinfo(easy(), CURLINFO_SSL_VERIFYRESULT, &verdict);
  std::string remedy = tls_remedy(said, verdict, access, wall);
  if (remedy.empty()) remedy = connection_remedy(curl_code, access);
  return failure(is_about_trust(curl_code) ? Code::Denied : Code::Unavailable,
                 name() + ": " + why + (remedy.empty() ? "" : "; " + remedy));
}

std::string CurlRequest::name() const {
  return std::string(to_string(request.method)) + " " + request.path.substr(0, 512);
}

std::size_t CurlRequest::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  static_cast<CurlRequest*>(self)->take_line({bytes, size * count});
  return size * count;
}

std::size_t CurlRequest::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  // Returning any other number ends the transfer.
  return static_cast<CurlRequest*>(self)->take_bytes({bytes, size * count}) ? size * count : 0;
}

int CurlRequest::on_socket(void*, curl_socket_t socket, curlsocktype) {
  // Best effort: keep-alive probes alone also detect a dead peer, only later.
  const unsigned timeout_ms = kUserTimeoutMs;
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
  return CURL_SOCKOPT_OK;
}

void CurlRequest::take_line(std::string_view line) {
  heard = Clock::now();
  if (line.starts_with("HTTP/")) {
    // Also follows "100 Continue" and a proxy's own response: the last head counts.
    response = {};
    long status = 0;
    curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
  } else if (line == "\r\n" || line == "\n") {
    if (is_flowing()) touch();
  } else if (line.size() <= kMaxHeaderLine) {
    std::string told(line);
    secrets_->redact(told);
    take_header(response, told);
  }
}

void CurlRequest::on_status(int status) {
  heard = Clock::now();
  response = {};
  response.status = status;
}

void CurlRequest::on_field(std::string_view name, std::string_view value) {
  if (!is_header_taken(name) || value.size() > kMaxHeaderLine) return;
  std::string told(value);
  secrets_->redact(told);
  take_header(response, std::string(name) + ": " + told);
}

void CurlRequest::on_head_end() {
  if (is_flowing()) touch();
}

bool CurlRequest::take_bytes(std::string_view bytes) {
  heard = Clock::now();
  if (is_flowing()) {
    chunk.append(bytes);
    touch();
    return true;
  }
  if (!is_success(response)) {
    // The rest of a long explanation is read and dropped.
    response.body.append(
        bytes.substr(0, kMaxErrorBody - std::min(kMaxErrorBody, response.body.size())));
    return true;
  }
  if (response.body.size() + bytes.size() > request.max_body) {
    is_overflow_ = true;
    return false;
  }
  response.body.append(bytes);
  return true;
}

void CurlRequest::touch() {
  if (touched_->empty() || touched_->back() != id) touched_->push_back(id);
}

}  // namespace elbowroom::api
