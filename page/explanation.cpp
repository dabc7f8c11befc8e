#include <array>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "base/document.h"
#include "base/document_text.h"
#include "page/parts.h"

namespace elbowroom::page {
namespace {

// The sentences first, which the rest is about.
void write_sentences(Html& html, const Value& document) {
  const std::array sentences = {api::value_at(document, {"explanation", "summary"}),
                                api::value_at(document, {"message"}),
                                api::value_at(document, {"explanation", "next", "text"})};
  for (const Value* each : sentences) {
    if (each != nullptr && !each->text.empty()) html.put("<p>").text(each->text).put("</p>\n");
  }
}

void write_lines(Html& html, std::string_view text) {
  html.put("<pre>");
  while (!text.empty() && html.size() < kMostPageBytes) {
    const std::size_t end = text.find('\n');
    html.text(text.substr(0, end)).put("\n");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  html.put("</pre>\n");
  if (text.empty()) return;
  html.put(
      "<p class=\"more\">The rest is not shown: <code>/explain?pod=NAMESPACE/NAME</code> has it.");
  html.put("</p>\n");
}

}  // namespace

void write_explanation(Html& html, std::string_view explanation) {
  html.put("<section id=\"explanation\"><h2>What this daemon says of it</h2>\n");
  if (explanation.empty()) {
    html.put("<p class=\"none\">Nothing now.</p></section>\n");
    return;
  }
  if (const auto document = parse_json(explanation)) {
    write_sentences(html, *document);
    write_lines(html, to_yaml(*document));
  } else {
    write_lines(html, explanation);
  }
  html.put("</section>\n");
}

}  // namespace elbowroom::page
