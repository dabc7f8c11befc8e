#include "api/transport/socket_set.h"

#include <curl/curl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <vector>

namespace elbowroom::api {

SocketSet::SocketSet(void* multi)
    : multi_(multi),
      poller_(epoll_create1(EPOLL_CLOEXEC)),
      woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  assert(poller_.is_open() && woken_.is_open());
  epoll_event event{.events = EPOLLIN, .data = {.fd = woken_.get()}};
  epoll_ctl(poller_.get(), EPOLL_CTL_ADD, woken_.get(), &event);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &SocketSet::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &SocketSet::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

SocketSet::~SocketSet() {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
}

void SocketSet::wake() {
  const std::uint64_t one = 1;
  // Fails only if the counter is at its maximum, and then the wait ends anyway.
  [[maybe_unused]] const auto written = ::write(woken_.get(), &one, sizeof one);
}

void SocketSet::wait(Clock::duration at_most, std::span<const int> others) {
  if (due_) at_most = std::min(at_most, *due_ - Clock::now());
  auto wait_ms = static_cast<int>(
      std::max<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(at_most).count(), 0));
  if (std::ranges::any_of(others, [](int other) { return other >= 0; })) {
    std::vector<pollfd> all{{.fd = poller_.get(), .events = POLLIN, .revents = 0}};
    // poll() ignores negative descriptors.
    for (const int other : others) all.push_back({.fd = other, .events = POLLIN, .revents = 0});
    ::poll(all.data(), all.size(), wait_ms);
    wait_ms = 0;
  }
  std::array<epoll_event, 64> events{};
  const int count = epoll_wait(poller_.get(), events.data(), events.size(), wait_ms);
  ready_count_ = 0;
  for (Own& own : own_) own.is_ready = false;
  for (int each = 0; each < count; ++each) {
    const epoll_event& event = events.at(static_cast<std::size_t>(each));
    if (event.data.fd == woken_.get()) {
      std::uint64_t times = 0;
      [[maybe_unused]] const auto read = ::read(woken_.get(), &times, sizeof times);
      continue;
    }
    const auto own = std::ranges::find(own_, event.data.fd, &Own::socket);
    if (own != own_.end()) {
      own->is_ready = true;
      continue;
    }
    int what = 0;
    if ((event.events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
    ready_.at(ready_count_++) = {.socket = event.data.fd, .what = what};
  }
}

void SocketSet::follow_own(int socket, bool wants_write) {
  auto own = std::ranges::find(own_, socket, &Own::socket);
  const bool is_known = own != own_.end();
  if (is_known && own->wants_write == wants_write) return;
  if (!is_known) own = own_.insert(own_.end(), Own{.socket = socket});
  own->wants_write = wants_write;
  epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
  if (wants_write) event.events |= EPOLLOUT;
  epoll_ctl(poller_.get(), is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
}

void SocketSet::drop_own(int socket) {
  if (std::erase_if(own_, [&](const Own& own) { return own.socket == socket; }) == 0) return;
  epoll_ctl(poller_.get(), EPOLL_CTL_DEL, socket, nullptr);
}

bool SocketSet::is_own_ready(int socket) const {
  const auto own = std::ranges::find(own_, socket, &Own::socket);
  return own != own_.end() && own->is_ready;
}

void SocketSet::pause(Clock::duration time) {
  if (time <= Clock::duration::zero()) return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const timespec left{.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
  ::ppoll(nullptr, 0, &left, nullptr);
}

void SocketSet::act() {
  int running = 0;
  for (std::size_t each = 0; each < ready_count_; ++each) {
    curl_multi_socket_action(multi_, ready_.at(each).socket, ready_.at(each).what, &running);
  }
  ready_count_ = 0;
  act_on_time();
}

void SocketSet::act_on_time() {
  if (!due_ || *due_ > Clock::now()) return;
  due_.reset();
  int running = 0;
  curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
}

int SocketSet::on_socket(void* /*easy*/, int socket, int what, void* self, void* known) {
  static_cast<SocketSet*>(self)->follow(socket, what, known != nullptr);
  return 0;
}

void SocketSet::follow(int socket, int what, bool is_known) {
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(poller_.get(), EPOLL_CTL_DEL, socket, nullptr);
    return;
  }
  epoll_event event{.events = 0, .data = {.fd = socket}};
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  epoll_ctl(poller_.get(), is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
  if (!is_known) curl_multi_assign(multi_, socket, this);
}

int SocketSet::on_timer(void* /*multi*/, long timeout_ms, void* self) {
  auto& due = static_cast<SocketSet*>(self)->due_;
  due.reset();
  if (timeout_ms >= 0) due = Clock::now() + std::chrono::milliseconds(timeout_ms);
  return 0;
}

}  // namespace elbowroom::api
