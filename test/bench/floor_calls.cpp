// The floor of what a scheduler's calls cost: the same requests, of libcurl and nothing else.
// `floor_calls SERVER AUTHORITY TOKEN_FILE AT_ONCE CALL,...` reads lines "NAMESPACE POD UID NODE
// PREEMPTOR" and for each makes the calls in their order: read (the preemptor), mark, delete, bind,
// event. So many lines are under way at a time, over one HTTP/2 connection. Prints a JSON line: the
// calls, those that failed, the seconds, the cpu of the process in ms and for each call, and its
// peak memory.
#include <curl/curl.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Line {
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::string ns{}, pod{}, uid{}, node{}, preemptor{};
  std::size_t next = 0;  // its next call
  std::string body{};
};

std::string server, token;
std::vector<std::string> calls;

// A call's method, path, content type and body.
struct Call {
  const char* method;
  std::string path, type, body;
};

Call call_of(const std::string& name, const Line& of) {
  const std::string pods = "/api/v1/namespaces/" + of.ns + "/pods/";
  const std::string by = "?fieldManager=floor";
  if (name == "read") return {"GET", pods + of.preemptor, "", ""};
  if (name == "mark") {
    return {"PATCH", pods + of.pod + "/status" + by, "application/strategic-merge-patch+json",
            R"({"metadata":{"uid":")" + of.uid +
                R"("},"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":)"
                R"("PreemptionByScheduler","message":"floor: preempting to accommodate a higher )"
                R"(priority pod","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})"};
  }
  if (name == "delete") {
    return {"DELETE", pods + of.pod, "application/json",
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":")" + of.uid +
                R"("}})"};
  }
  if (name == "bind") {
    return {"POST", pods + of.pod + "/binding" + by, "application/json",
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + of.pod +
                R"(","uid":")" + of.uid + R"("},"target":{"kind":"Node","name":")" + of.node +
                R"("}})"};
  }
  if (name != "event") std::exit(2);
  return {
      "POST", "/apis/events.k8s.io/v1/namespaces/" + of.ns + "/events" + by, "application/json",
      R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":")" + of.pod +
          R"(.floor","namespace":")" + of.ns +
          R"("},"eventTime":"2026-01-01T00:00:00.000000Z",)"
          R"("reportingController":"elbowroom.dev/floor","reportingInstance":"floor",)"
          R"("action":"Binding","reason":"Scheduled","type":"Normal","regarding":{"apiVersion":)"
          R"("v1","kind":"Pod","namespace":")" +
          of.ns + R"(","name":")" + of.pod + R"(","uid":")" + of.uid +
          R"("},"note":"Successfully assigned it to )" + of.node + R"("})"};
}

void start(CURLM* multi, Line& line) {
  Call call = call_of(calls.at(line.next++), line);
  line.body = std::move(call.body);
  curl_slist_free_all(line.headers);
  line.headers = curl_slist_append(nullptr, ("Authorization: Bearer " + token).c_str());
  const char* accept = "Accept: application/vnd.kubernetes.protobuf,application/json";
  line.headers = curl_slist_append(line.headers, accept);
  if (!call.type.empty()) {
    line.headers = curl_slist_append(line.headers, ("Content-Type: " + call.type).c_str());
  }
  curl_easy_setopt(line.easy, CURLOPT_URL, (server + call.path).c_str());
  curl_easy_setopt(line.easy, CURLOPT_HTTPHEADER, line.headers);
  curl_easy_setopt(line.easy, CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(line.easy, CURLOPT_CUSTOMREQUEST, call.method);
  if (!line.body.empty()) {
    curl_easy_setopt(line.easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(line.body.size()));
    curl_easy_setopt(line.easy, CURLOPT_POSTFIELDS, line.body.c_str());
  }
  curl_multi_add_handle(multi, line.easy);
}

bool take_next(Line& line) {
  line.next = 0;
  std::string text;
  if (!std::getline(std::cin, text)) return false;
  std::istringstream(text) >> line.ns >> line.pod >> line.uid >> line.node >> line.preemptor;
  return true;
}

void set_up(Line& line, const char* authority) {
  line.easy = curl_easy_init();
  const auto drop = +[](char*, std::size_t size, std::size_t count, void*) { return size * count; };
  curl_easy_setopt(line.easy, CURLOPT_WRITEFUNCTION, drop);
  curl_easy_setopt(line.easy, CURLOPT_CAINFO, authority);
  curl_easy_setopt(line.easy, CURLOPT_USERAGENT, "floor/1");
  curl_easy_setopt(line.easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(line.easy, CURLOPT_PRIVATE, &line);
}

// Of this program: what getrusage() says is that of the process that started it, if that is more.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

double cpu_ms(const rusage& used) {
  const auto of = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc != 6) return 2;
  server = argv[1];
  std::getline(std::ifstream(argv[3]), token);
  std::istringstream named(argv[5]);
  for (std::string each; std::getline(named, each, ',');) calls.push_back(each);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM* multi = curl_multi_init();
  std::vector<Line> lines(std::stoul(argv[4]));
  const auto began = std::chrono::steady_clock::now();
  for (Line& each : lines) {
    if (!take_next(each)) break;
    set_up(each, argv[2]);
    start(multi, each);
  }
  int running = 0, left = 0;
  long done = 0, failed = 0;
  do {
    curl_multi_perform(multi, &running);
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      CURL* easy = message->easy_handle;
      Line* line = nullptr;
      long status = 0;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &line);
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      ++done;
      if (message->data.result != CURLE_OK || status / 100 != 2) ++failed;
      curl_multi_remove_handle(multi, easy);
      if (line->next < calls.size() || take_next(*line)) start(multi, *line), ++running;
    }
    if (running > 0) curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
  } while (running > 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf(R"({"calls": %ld, "failed": %ld, "seconds": %.3f, "cpu_ms": %.3f, "each_ms": %.4f, )"
              R"("peak_mib": %.1f})"
              "\n",
              done, failed, took.count(), cpu_ms(used), cpu_ms(used) / static_cast<double>(done),
              peak_mib());
  return failed == 0 ? 0 : 1;
}
