// Measures from outside how one elbowroom-rescheduler answers reviews, and prints JSON lines for
// test/bench/run. Each review is the eviction of another pod, covered by one of a hundred budgets
// that allow it, so each answer takes a debit that the lab's API server writes. The clients keep
// their TLS connections, as an API server does, and each asks for the next once it is answered.
#include <curl/curl.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lab/apiserver/api_server.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"
#include "lab/world/world.h"
#include "test/bench/figure.h"
#include "test/bench/process.h"
#include "test/bench/running_pod.h"

namespace {

namespace fs = std::filesystem;
using namespace elbowroom;
using namespace std::chrono_literals;
using bench::give_up;
using bench::milliseconds;
using bench::percentile;
using bench::report;
using lab::Json;
using Clock = std::chrono::steady_clock;

constexpr int kBudgets = 100;
constexpr int kPods = 6'000;
constexpr auto kPatience = 120s;
constexpr const char* kTime = "2026-07-24T10:00:00Z";

Json node_json() {
  const Json amounts = {{"cpu", "6000"}, {"memory", "6000Gi"}, {"pods", "6000"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", "node-1"}}},
          {"status",
           {{"capacity", amounts},
            {"allocatable", amounts},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

std::string app_of(int number) { return "app-" + std::to_string(number % kBudgets); }
std::string name_of(int number) { return "web-" + std::to_string(number); }

Json pod_json(int number) {
  Json pod = bench::running_pod(name_of(number), "node-1", kTime);
  pod["metadata"]["uid"] = "uid-of-" + name_of(number);
  pod["metadata"]["labels"] = {{"app", app_of(number)}};
  return pod;
}

Json budget_json(int number) {
  return {{"apiVersion", "elbowroom.dev/v1alpha1"},
          {"kind", "DisruptionBudget"},
          {"metadata", {{"name", app_of(number)}, {"namespace", "default"}}},
          {"spec",
           {{"selector", {{"matchLabels", {{"app", app_of(number)}}}}},
            {"rate", {{"disruptions", 1000}, {"per", "24h"}}}}}};
}

std::string review_json(int number) {
  const Json review = {{"apiVersion", "admission.k8s.io/v1"},
                       {"kind", "AdmissionReview"},
                       {"request",
                        {{"uid", "review-" + std::to_string(number)},
                         {"kind", {{"group", "policy"}, {"version", "v1"}, {"kind", "Eviction"}}},
                         {"resource", {{"group", ""}, {"version", "v1"}, {"resource", "pods"}}},
                         {"subResource", "eviction"},
                         {"name", name_of(number)},
                         {"namespace", "default"},
                         {"operation", "CREATE"},
                         {"userInfo", {{"username", "drainer"}, {"groups", Json::array()}}},
                         {"dryRun", false},
                         {"object",
                          {{"apiVersion", "policy/v1"},
                           {"kind", "Eviction"},
                           {"metadata", {{"name", name_of(number)}, {"namespace", "default"}}}}}}}};
  return review.dump();
}

// One connection.
class Client {
 public:
  Client(const std::string& url, const std::string& authority) : curl_(curl_easy_init()) {
    headers_ = curl_slist_append(nullptr, "Content-Type: application/json");
    curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl_, CURLOPT_CAINFO, authority.c_str());
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, 10'000L);
    curl_easy_setopt(
        curl_, CURLOPT_WRITEFUNCTION,
        +[](char* data, std::size_t size, std::size_t count, void* body) {
          static_cast<std::string*>(body)->append(data, size * count);
          return size * count;
        });
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &body_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    curl_easy_cleanup(curl_);
    curl_slist_free_all(headers_);
  }

  // Returns how long the answer took, in milliseconds.
  double ask(const std::string& review) {
    body_.clear();
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE, static_cast<long>(review.size()));
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, review.c_str());
    const auto begun = Clock::now();
    const CURLcode came = curl_easy_perform(curl_);
    const double took = milliseconds(Clock::now() - begun);
    if (came != CURLE_OK) give_up(std::string("a review: ") + curl_easy_strerror(came));
    const Json answer = Json::parse(body_, nullptr, false);
    if (answer.is_discarded() || !answer.value("/response/allowed"_json_pointer, false) ||
        answer.contains("/response/warnings"_json_pointer)) {
      give_up("a review was answered with " + body_);
    }
    return took;
  }

 private:
  CURL* curl_;
  curl_slist* headers_ = nullptr;
  std::string body_{};
};

class Bench {
 public:
  Bench(const fs::path& folder, const std::string& program)
      : folder_(folder), url_("https://127.0.0.1:" + std::to_string(port_) + "/review") {
    load(node_json());
    for (int i = 0; i < kBudgets; ++i) load(budget_json(i));
    for (int i = 0; i < kPods; ++i) load(pod_json(i));
    if (auto started = api_.start(); !started) give_up(started.error().message);
    std::ofstream(folder_ / "kubeconfig") << api_.kubeconfig();
    start(program);
  }

  // `figure` names what is reported.
  void ask(int clients, int reviews, const std::string& figure) {
    std::vector<std::vector<double>> took(static_cast<std::size_t>(clients));
    const int first = std::exchange(next_, next_ + reviews);
    const auto begun = Clock::now();
    {
      std::vector<std::jthread> threads;
      for (int client = 0; client < clients; ++client) {
        threads.emplace_back([&, client] {
          Client one(url_, (folder_ / "tls.crt").string());
          for (int i = first + client; i < first + reviews; i += clients) {
            took[static_cast<std::size_t>(client)].push_back(one.ask(review_json(i)));
          }
        });
      }
    }
    const double seconds = milliseconds(Clock::now() - begun) / 1000;
    std::vector<double> all;
    for (const auto& each : took) all.insert(all.end(), each.begin(), each.end());
    report("rescheduler/webhook/" + figure + "/answers", reviews / seconds, "1/s");
    report("rescheduler/webhook/" + figure + "/p50", percentile(all, 0.5), "ms");
    report("rescheduler/webhook/" + figure + "/p99", percentile(all, 0.99), "ms");
  }

  void report_entered() {
    int entered = 0;
    api_.with_world([&](lab::World& world) {
      const lab::Kind& budgets = *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
      for (const Json* each : world.all_stored_objects(budgets)) {
        entered += static_cast<int>(
            each->value("/status/recentDisruptions"_json_pointer, Json::array()).size());
      }
    });
    if (entered != next_) {
      give_up(std::to_string(next_) + " were allowed, and " + std::to_string(entered) + " entered");
    }
  }

 private:
  void load(const Json& object) {
    if (!world_.load(object)) give_up("an object of the benchmark's own was refused");
  }

  void start(const std::string& program) {
    const int health = bench::free_port();
    auto started = lab::DaemonProcess::start(
        program,
        {"--kubeconfig=" + (folder_ / "kubeconfig").string(), "--leader-elect=false",
         "--listen=127.0.0.1:" + std::to_string(health),
         "--webhook-listen=127.0.0.1:" + std::to_string(port_),
         "--webhook-cert=" + (folder_ / "tls.crt").string(),
         "--webhook-key=" + (folder_ / "tls.key").string()},
        (folder_ / "rescheduler.log").string());
    if (!started) give_up(started.error().message);
    rescheduler_.emplace(*std::move(started));
    if (!lab::comes_true([&] { return bench::is_ready(health); }, kPatience))
      give_up("never ready");
  }

  const fs::path folder_;
  const int port_ = bench::free_port();
  const std::string url_;
  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
  std::optional<lab::DaemonProcess> rescheduler_{};
  int next_ = 0;
};

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc != 3) give_up("usage: review_driver FOLDER ELBOWROOM_RESCHEDULER");
  curl_global_init(CURL_GLOBAL_DEFAULT);
  Bench bench(argv[1], argv[2]);
  bench.ask(4, 1'000, "4_clients");
  bench.ask(32, 5'000, "32_clients");
  bench.report_entered();
}
