// A forwarder between one program and one server that a test can close: it refuses connections, or
// does not answer. It begins closed (refusing), and affects only programs that connect through it.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace elbowroom::test {

class Gate {
 public:
  // In front of a server on a loopback port; listens on a port of its own.
  [[nodiscard]] static std::unique_ptr<Gate> before_port(int server_port);
  // In front of a server on a unix socket; listens at `path`, which is removed while shut.
  [[nodiscard]] static std::unique_ptr<Gate> before_socket(const std::string& server,
                                                           const std::string& path);
  // The same, listening on a port of its own.
  [[nodiscard]] static std::unique_ptr<Gate> before_socket(const std::string& server);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open();     // forwards
  void refuse();   // ends all connections and stops listening
  void silence();  // accepts, and forwards nothing
  void trickle();  // forwards what the server says byte by byte
  // Opens, and replaces this in the server's bytes by another text of the same length.
  void garble(std::string what, std::string with);

  [[nodiscard]] int port() const { return port_; }

 private:
  enum class Mode { Open, Refusing, Silent, Trickling };
  struct Address {
    sockaddr_storage bytes{};
    socklen_t size = 0;
  };
  struct Pair {
    Fd client{};
    Fd server{};  // none until the gate is open
  };

  template <class Known>
  [[nodiscard]] static Address as_bytes(const Known& address);
  Gate(Address server, Address own);
  void bind_own();
  void choose_port();
  void be(Mode mode);
  void run();
  void accept_one();
  [[nodiscard]] bool pass(const Fd& from, const Fd& to, bool is_server) const;

  Address server_;
  Address own_;
  std::string path_{};  // of a unix socket
  int port_ = 0;
  std::string garbled_{};  // "": nothing
  std::string garble_with_{};
  Fd listener_{};
  Fd wake_{};
  Mode mode_ = Mode::Refusing;
  std::vector<Pair> pairs_{};
  std::thread
      thread_{};  // runs while it does not refuse; no other thread touches the rest meanwhile
};

}  // namespace elbowroom::test
