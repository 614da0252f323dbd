/*
 * Tries ways out of a sandbox with bare system calls and says for each what came of it, one line "TRY OUTCOME". A try is
 *   tcp:ADDRESS:PORT   udp:ADDRESS:PORT   tcp6:ADDRESS:PORT   abstract:NAME   path:FILE   family:NUMBER   uring   namespaces
 *   route (away with the one that makes every address local)
 * An outcome is "open" or the name of an error. A TCP connection is open when something was said in it: to be accepted means
 * nothing where every address is the forwarder's. Built by the suite and mounted into the instance.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const char *outcome(int result) {
  return result < 0 ? strerrorname_np(errno) : "open";
}

static const char *reach(int type, const void *address, socklen_t size) {
  const struct sockaddr *to = address;
  int fd = socket(to->sa_family, type | SOCK_NONBLOCK, 0), error = 0;
  if (fd < 0) return outcome(fd);
  if (type == SOCK_DGRAM) {
    char answer[8];
    if (sendto(fd, "hello", 5, 0, to, size) < 0) return outcome(-1);
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    if (poll(&wait, 1, 1500) < 1) return "SILENCE";
    return outcome((int)recv(fd, answer, sizeof answer, 0));
  }
  int connected = connect(fd, to, size);
  if (connected == 0 && to->sa_family == AF_UNIX) return "open";
  if (connected < 0 && errno != EINPROGRESS) return outcome(-1);
  struct pollfd wait = { .fd = fd, .events = POLLOUT };
  if (poll(&wait, 1, 1500) < 1) return "SILENCE";
  size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return strerrorname_np(error);
  char word;
  wait.events = POLLIN;
  if (poll(&wait, 1, 1500) < 1) return "SILENCE";
  ssize_t heard = recv(fd, &word, 1, 0);
  return heard == 0 ? "CLOSED" : outcome((int)heard);
}

static const char *remove_route(void) {
  struct {
    struct nlmsghdr head;
    struct rtmsg route;
  } request = {
    .head = { .nlmsg_len = sizeof request, .nlmsg_type = RTM_DELROUTE, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
    .route = { .rtm_family = AF_INET, .rtm_table = RT_TABLE_LOCAL, .rtm_scope = RT_SCOPE_NOWHERE, .rtm_type = RTN_LOCAL },
  };
  struct { struct nlmsghdr head; struct nlmsgerr error; char rest[256]; } answer = { 0 };
  int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  if (fd < 0 || send(fd, &request, sizeof request, 0) < 0 || recv(fd, &answer, sizeof answer, 0) < 0) return outcome(-1);
  errno = -answer.error.error;
  return outcome(errno == 0 ? 0 : -1);
}

static const char *reach_inet(int family, int type, char *where) {
  char *colon = strrchr(where, ':');
  if (colon == NULL) return "MALFORMED";
  *colon = '\0';
  struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1)) };
  struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = four.sin_port };
  int parsed = inet_pton(family, where, family == AF_INET ? (void *)&four.sin_addr : (void *)&six.sin6_addr);
  *colon = ':';
  if (parsed != 1) return "MALFORMED";
  return family == AF_INET ? reach(type, &four, sizeof four) : reach(type, &six, sizeof six);
}

static const char *reach_unix(const char *name, int is_abstract) {
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  size_t length = strlen(name);
  if (length + 1 > sizeof address.sun_path) return "MALFORMED";
  memcpy(address.sun_path + is_abstract, name, length);
  return reach(SOCK_STREAM, &address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + is_abstract + length));
}

static const char *attempt(const char *try) {
  char text[256];
  snprintf(text, sizeof text, "%s", try);
  char *rest = strchr(text, ':');
  if (rest != NULL) *rest++ = '\0';
  if (strcmp(text, "tcp") == 0 && rest) return reach_inet(AF_INET, SOCK_STREAM, rest);
  if (strcmp(text, "udp") == 0 && rest) return reach_inet(AF_INET, SOCK_DGRAM, rest);
  if (strcmp(text, "tcp6") == 0 && rest) return reach_inet(AF_INET6, SOCK_STREAM, rest);
  if (strcmp(text, "abstract") == 0 && rest) return reach_unix(rest, 1);
  if (strcmp(text, "path") == 0 && rest) return reach_unix(rest, 0);
  if (strcmp(text, "family") == 0 && rest)
    return outcome(socket(atoi(rest), atoi(rest) == AF_PACKET ? SOCK_RAW : SOCK_STREAM, 0));
  if (strcmp(text, "uring") == 0) {
    char parameters[120] = { 0 };
    return outcome((int)syscall(SYS_io_uring_setup, 4, parameters));
  }
  if (strcmp(text, "route") == 0) return remove_route();
  if (strcmp(text, "namespaces") == 0) return outcome(unshare(CLONE_NEWUSER | CLONE_NEWNET));
  return "UNKNOWN";
}

int main(int count, char **tries) {
  for (int n = 1; n < count; n++) printf("%s %s\n", tries[n], attempt(tries[n]));
  return 0;
}
