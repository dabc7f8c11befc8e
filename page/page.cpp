#include "page/page.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "api/codec/timestamp.h"
#include "page/amount.h"
#include "page/html.h"
#include "page/parts.h"

namespace elbowroom::page {
namespace {

void write_head(Html& html, std::string_view program) {
  html.put(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  html.text(program).put(
      "</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" "
      "href=\"ui/style.css\">\n<script src=\"ui/script.js\" defer></script>\n</head><body>\n");
  html.put("<header><h1><a href=\"ui\">").text(program).put("</a></h1>\n");
}

void write_bottom(Html& html) {
  html.put(
      "<footer><p>This page only reads. <a href=\"overview\">The same as JSON</a>, <a "
      "href=\"readyz?verbose\">health</a>, <a href=\"configz\">configuration</a>, <a "
      "href=\"metrics\">metrics</a>.</p></footer>\n</body></html>\n");
}

struct Sums {
  std::int64_t pods = 0;
  policy::Resources held{};
  policy::Resources allocatable{};
};

Sums sums_of(const View& view) {
  Sums sums;
  for (const policy::NodeOverview& each : view.of.nodes) {
    sums.pods += each.pods;
    policy::add_to(sums.held, each.held);
    policy::add_to(sums.allocatable, each.allocatable);
  }
  return sums;
}

void write_share(Html& html, const Sums& sums, std::string_view resource) {
  const std::int64_t held = policy::amount_of(sums.held, resource);
  const std::int64_t whole = policy::amount_of(sums.allocatable, resource);
  html.text(resource).put(" ").text(amount_text(resource, held)).put(" of ");
  html.text(amount_text(resource, whole)).put(" (");
  html.number(thousandths(held, whole) / 10).put(" %)");
}

void write_time_of(Html& html, const View& view) {
  html.put("<p class=\"time\">As of <time>");
  html.text(api::format_timestamp(std::chrono::floor<std::chrono::seconds>(view.of.now)));
  html.put("</time>. <a href=\"\">Load again</a></p>\n");
  if (view.is_old) {
    html.put("<p class=\"more\">The reactor does not answer: this is what it told then.</p>\n");
  }
}

// What it would do is not what it does then.
void write_idle(Html& html, const View& view) {
  if (view.idle_because.empty()) return;
  html.put("<p class=\"more\">This daemon does not act: ").text(view.idle_because);
  html.put(".</p>\n");
}

void write_count(Html& html, std::size_t count, Markup one, Markup more) {
  html.put("<strong>").number(static_cast<std::int64_t>(count)).put("</strong> ");
  html.put(count == 1 ? one : more);
}

void write_summary(Html& html, const View& view) {
  const Sums sums = sums_of(view);
  html.put("<p class=\"summary\">");
  write_count(html, view.of.waiting.size(), "resize waits, ", "resizes wait, ");
  write_count(html, view.of.leaving.size(), "pod terminates. ", "pods terminate. ");
  write_count(html, static_cast<std::size_t>(sums.pods), "pod on ", "pods on ");
  write_count(html, view.of.nodes.size(), "node: ", "nodes: ");
  write_share(html, sums, policy::kCpu);
  html.put(", ");
  write_share(html, sums, policy::kMemory);
  html.put(" held.</p>\n");
}

}  // namespace

std::string page_of(const View& view) {
  Html html;
  write_head(html, view.program);
  write_idle(html, view);
  write_summary(html, view);
  write_time_of(html, view);
  html.put(
      "<nav><a href=\"#resizes\">Resizes</a> <a href=\"#decisions\">Decisions</a> <a "
      "href=\"#nodes\">Nodes</a><span id=\"controls\"></span></nav></header>\n<main>\n");
  write_waiting(html, view);
  write_leaving(html, view);
  write_decisions(html, view);
  write_nodes(html, view);
  write_budgets(html, view);
  write_removals(html, view);
  html.put("</main>\n");
  write_bottom(html);
  return std::move(html).take();
}

std::string node_page_of(const View& view) {
  Html html;
  write_head(html, view.program);
  write_idle(html, view);
  write_time_of(html, view);
  html.put(
      "<nav><a href=\"ui\">All nodes</a><span id=\"controls\"></span></nav></header>\n<main>\n");
  write_node_of(html, view);
  write_waiting(html, view);
  write_leaving(html, view);
  write_decisions(html, view);
  html.put("</main>\n");
  write_bottom(html);
  return std::move(html).take();
}

std::string pod_page_of(const View& view, std::string_view pod, std::string_view explanation) {
  Html html;
  write_head(html, view.program);
  write_idle(html, view);
  write_time_of(html, view);
  html.put("<nav><a href=\"ui\">All nodes</a></nav></header>\n<main>\n<h2>Pod <bdi>");
  html.text(pod).put("</bdi></h2>\n");
  if (!view.of.waiting.empty()) write_waiting(html, view);
  write_leaving(html, view);
  write_explanation(html, explanation);
  if (!view.decisions.empty()) write_decisions(html, view);
  html.put("</main>\n");
  write_bottom(html);
  return std::move(html).take();
}

std::string page_without_view(std::string_view program, std::string_view why) {
  Html html;
  write_head(html, program);
  html.put("<nav><a href=\"ui\">All nodes</a></nav></header>\n<main><p class=\"none\">");
  html.text(why).put("</p></main>\n");
  write_bottom(html);
  return std::move(html).take();
}

}  // namespace elbowroom::page
