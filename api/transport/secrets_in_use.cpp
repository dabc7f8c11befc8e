#include "api/transport/secrets_in_use.h"

#include <algorithm>
#include <utility>

#include "api/codec/base64.h"
#include "base/percent.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMostOfAKind = 8;
constexpr std::size_t kLongest = std::size_t{64} << 10;
constexpr std::size_t kMostKeyLines = 128;
constexpr std::size_t kLongestWindow = 32;
constexpr std::string_view kMark = "[redacted";

// The text inside a JSON string as Go's encoder writes it.
std::string in_json(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || c == '<' || c == '>' || c == '&') {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> forms_of(std::string_view secret) {
  std::vector<std::string> forms{std::string(secret)};
  if (std::string coded = in_json(secret); coded != secret) forms.push_back(std::move(coded));
  return forms;
}

void overwrite(std::string& text, std::size_t at, std::size_t size) {
  text.replace(at, size, size, '*');
  if (size <= kMark.size()) return;
  text.replace(at, kMark.size(), kMark);
  text[at + size - 1] = ']';
}

// A hash below 4096 of the two bytes before `end`.
std::size_t pair_before(const char* end) {
  const std::size_t first = static_cast<unsigned char>(end[-2]);
  return (first << 4U) ^ static_cast<unsigned char>(end[-1]);
}

}  // namespace

void SecretsInUse::add_token(std::string_view token) {
  if (tokens_.empty() || tokens_.front().front() != token) keep(tokens_, forms_of(token));
}

void SecretsInUse::add_keys(std::string_view pem) {
  Forms lines;
  bool is_key = false;
  while (!pem.empty() && lines.size() < kMostKeyLines) {
    std::string_view line = pem.substr(0, pem.find('\n'));
    pem.remove_prefix(std::min(pem.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("-----")) {
      is_key = line.starts_with("-----BEGIN ") && line.ends_with("PRIVATE KEY-----");
    } else if (is_key && line.size() >= kShortestInObjects) {
      lines.emplace_back(line);
    }
  }
  if (!lines.empty()) keep(keys_, std::move(lines));
}

void SecretsInUse::add_proxy(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return;
  const std::size_t end = url.rfind('@');
  if (end == std::string_view::npos || end < begin + 3) return;
  const std::string_view shown = url.substr(begin + 3, end - begin - 3);
  const std::size_t colon = shown.find(':');
  if (colon == std::string_view::npos) return;
  const std::string password = percent_decoded(shown.substr(colon + 1));
  Forms forms = forms_of(password);
  forms.emplace_back(shown.substr(colon + 1));
  forms.push_back(encode_base64(percent_decoded(shown.substr(0, colon)) + ":" + password));
  keep(proxies_, std::move(forms));
}

void SecretsInUse::keep(Kind& kind, Forms forms) {
  std::erase(kind, forms);
  kind.push_front(std::move(forms));
  if (kind.size() > kMostOfAKind) kind.pop_back();
  rebuild();
}

// Source: S. Wu, U. Manber: A fast algorithm for multi-pattern searching (1994).
void SecretsInUse::rebuild() {
  all_.clear();
  for (const Kind* kind : {&tokens_, &keys_, &proxies_}) {
    for (const Forms& forms : *kind) all_.insert(all_.end(), forms.begin(), forms.end());
  }
  std::erase_if(all_, [](const std::string& secret) {
    return secret.size() < kShortest || secret.size() > kLongest;
  });
  long_.clear();
  window_ = kLongestWindow;
  for (const std::string& secret : all_) {
    if (secret.size() < kShortestInObjects) continue;
    long_.push_back(secret);
    window_ = std::min(window_, secret.size());
  }
  steps_.fill(static_cast<std::uint8_t>(window_ - 1));
  for (const std::string& secret : long_) {
    for (std::size_t end = 2; end <= window_; ++end) {
      std::uint8_t& step = steps_.at(pair_before(secret.data() + end));
      step = std::min(step, static_cast<std::uint8_t>(window_ - end));
    }
  }
}

void SecretsInUse::redact(std::string& text) const {
  for (const std::string& secret : all_) {
    for (std::size_t at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + secret.size())) {
      overwrite(text, at, secret.size());
    }
  }
}

// The length of the longest secret at the start of the text; 0: none.
std::size_t SecretsInUse::length_at(std::string_view text) const {
  std::size_t longest = 0;
  for (const std::string& secret : long_) {
    if (text.starts_with(secret)) longest = std::max(longest, secret.size());
  }
  return longest;
}

void SecretsInUse::redact_objects(std::string& text) const {
  if (long_.empty()) return;
  for (std::size_t end = window_; end <= text.size();) {
    const std::size_t step = steps_[pair_before(text.data() + end)];
    const std::size_t begin = end - window_;
    const std::size_t found = step > 0 ? 0 : length_at(std::string_view(text).substr(begin));
    if (found > 0) overwrite(text, begin, found);
    end += found > 0 ? found : std::max<std::size_t>(step, 1);
  }
}

void SecretsInUse::redact_body(Response& response) const {
  if (is_success(response)) {
    redact_objects(response.body);
  } else {
    redact(response.body);
  }
}

std::size_t SecretsInUse::open_end(std::string_view text) const {
  std::size_t open = 0;
  for (const std::string& secret : long_) {
    const std::string_view end =
        text.substr(text.size() - std::min(text.size(), secret.size() - 1));
    const std::string_view first = std::string_view(secret).substr(0, kHeld);
    for (std::size_t at = end.find(first); at != std::string_view::npos;
         at = end.find(first, at + 1)) {
      if (std::string_view(secret).starts_with(end.substr(at))) {
        open = std::max(open, end.size() - at);
        break;
      }
    }
  }
  return open;
}

std::string_view RedactedStream::pass(const SecretsInUse& secrets, std::string& chunk) {
  if (!secrets.seeks_in_objects() && held_.empty()) {
    told_.clear();
    return chunk;
  }
  const std::size_t before = told_.size();
  chunk.insert(0, told_ + held_);
  secrets.redact_objects(chunk);
  const std::size_t told = chunk.size() - std::min(secrets.open_end(chunk), chunk.size() - before);
  held_ = chunk.substr(told);
  const std::string_view now = std::string_view(chunk).substr(0, told);
  told_ = now.substr(told - std::min(told, SecretsInUse::kHeld - 1));
  return now.substr(before);
}

std::string RedactedStream::rest() {
  told_.clear();
  return std::exchange(held_, {});
}

}  // namespace elbowroom::api
