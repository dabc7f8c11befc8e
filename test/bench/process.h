// A program that is measured from outside: when it is ready, the memory it holds and the cpu it has
// used. Memory and cpu come from Linux's /proc.
#pragma once

#include <arpa/inet.h>
#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "test/bench/figure.h"

namespace elbowroom::bench {

// A port that was free when the system chose it.
inline int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!bound) give_up("no port could be had");
  return ntohs(address.sin_port);
}

// Whether /readyz answers with 200.
inline bool is_ready(int port) {
  CURL* curl = curl_easy_init();
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/readyz";
  const auto drop = +[](char*, std::size_t size, std::size_t count, void*) { return size * count; };
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 2000L);
  long status = 0;
  if (curl_easy_perform(curl) == CURLE_OK) {
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  }
  curl_easy_cleanup(curl);
  return status == 200;
}

// A line of /proc/PID/status in MiB.
inline double mebibytes(pid_t pid, const std::string& key) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1)) / 1024;
  }
  give_up("no " + key + " of process " + std::to_string(pid));
}

// Sums its live threads from the scheduler's accounts in nanoseconds; the ticks of /proc/PID/stat
// are only samples.
inline double cpu_seconds(pid_t pid) {
  double nanoseconds = 0;
  const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    double used = 0;
    std::ifstream(task.path() / "schedstat") >> used;
    nanoseconds += used;
  }
  return nanoseconds / 1e9;
}

}  // namespace elbowroom::bench
