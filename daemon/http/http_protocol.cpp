#include "daemon/http/http_protocol.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/percent.h"
#include "daemon/http/host_header.h"

namespace elbowroom::daemon {
namespace {

std::string refused(int status, std::string_view why) {
  return http_response(refusal(status, why), true);
}

// As a form encodes it: a plus sign stands for a space.
std::string form_decoded(std::string_view text) {
  std::string plain(text);
  std::ranges::replace(plain, '+', ' ');
  return percent_decoded(plain);
}

std::map<std::string, std::string> parameters_of(std::string_view query) {
  std::map<std::string, std::string> parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view each = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = std::min(each.find('='), each.size());
    const std::string_view value = each.substr(std::min(equals + 1, each.size()));
    if (!each.empty()) {
      parameters.emplace(form_decoded(each.substr(0, equals)), form_decoded(value));
    }
  }
  return parameters;
}

// One Host, which a page with a name of its own for 127.0.0.1 cannot send.
bool asks_for_this_machine(const HttpHead& head) {
  return head.hosts.size() == 1 && names_loopback(head.hosts.front());
}

}  // namespace

bool HttpProtocol::is_for_us(const HttpHead& head) const {
  const auto names = [this](const std::string& host) { return names_us(host, *only_host_); };
  return !only_host_ || std::ranges::all_of(head.hosts, names);
}

Reply HttpProtocol::reply_to(const HttpHead& head, bool over_loopback) const {
  if (head.refused != 0) return refusal(head.refused, head.why);
  if (!is_for_us(head)) {
    return refusal(421, "this server answers for its IP address and localhost: ask by one of them");
  }
  Reply reply = answer(endpoints_, {.method = head.method,
                                    .path = percent_decoded(head.path),
                                    .parameters = parameters_of(head.query),
                                    .is_local = over_loopback && asks_for_this_machine(head)});
  if (reply.status == 405) reply.headers.emplace_back("Allow", "GET, HEAD");
  return reply;
}

std::string HttpProtocol::respond(std::string_view head, bool over_loopback) const {
  const HttpHead asked = parse_head(head, std::nullopt);
  try {
    return http_response(reply_to(asked, over_loopback), true, asked.method == "HEAD");
  } catch (...) {  // its text may hold what is not for a client
    return refused(500, "internal error: see the log");
  }
}

std::string HttpProtocol::too_long(std::string_view beginning) {
  if (beginning.find('\n') == std::string_view::npos) {
    return refused(414, "the path and its query are longer than 4096 bytes");
  }
  return refused(431, "the headers are longer than 4096 bytes");
}

std::string HttpProtocol::too_busy() {
  return refused(503, "too many ask at once: ask again later");
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
