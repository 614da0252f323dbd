/*
 * The only process in a workload's network namespace besides the workload, and the only one that sees the sockets that
 * lead out of it and into it.
 *
 *   forwarder [-N | -u UID:GID] [-k FD] [-c MOST] [-r FILE] [-e ADDRESS:PORT=SOCKET]... [-d PORT[,PORT]...=SOCKET]
 *             [-n SOCKET] [-i SOCKET=PORT]... [-- PROGRAM [ARGUMENT]...]
 *   forwarder [-s FILTER] [-m DEVICE:INODE=PATH]... [-l LIMIT=SOFT:HARD]... [-p] -- PROGRAM [ARGUMENT]...
 *   forwarder -g PORT [-o SOCKET]... [-w SOCKET] [-r FILE]
 *
 *   -N  makes a user and a network namespace first and brings their loopback up (for sandboxes without an engine)
 *   -e  leads TCP connections at ADDRESS:PORT to the unix socket SOCKET (the way out)
 *   -d  makes every address local and leads TCP connections to any of them, at these ports, to the unix socket SOCKET. It
 *       writes one line first, `ADDRESS PORT`: where the program wanted to go.
 *   -n  makes every address local and asks the unix socket SOCKET each question that comes to port 53 of any of them
 *   -u  sets that up as the root of a container, then becomes this user and gives up every capability
 *   -i  leads connections at the unix socket SOCKET to 127.0.0.1:PORT, or [::1]:PORT if nobody is there (the way in)
 *   -c  connections at a time, for each -e and -i and for all of -d (256)
 *   -k  PROGRAM inherits the descriptors from 3 to FD; all others above 2 are closed
 *   -r  creates FILE once it listens everywhere: a process that joins the namespace after that cannot take our ports
 *   -s  applies the system call filter in the file FILTER and becomes PROGRAM; nothing is forwarded (for containers,
 *       whose engine adds its own filter)
 *   -m  becomes PROGRAM only if PATH is a mount point with this device and inode number: the engine could have mounted
 *       something else than what the daemon checked. After a `//` in PATH no name may be a link: there PATH leads through
 *       another mount, which somebody else may write to.
 *   -l  limits `nofile` (open files) or `nproc` (processes of the user, in the user namespace) for PROGRAM: not every engine
 *       does so on request
 *   -p  with -s, -m or -l: starts PROGRAM as a child and stays process 1 of the container. It passes signals on, reaps orphans
 *       and ends with PROGRAM. The filter holds for it too, so a server that writes its memory gains nothing.
 *   -g  is the door to forwarders whose sockets the daemon cannot reach, being on another machine: it listens on PORT for
 *       the daemon, which shows the token of the variable TOKEN. It dials nothing but SOCKET of -w.
 *   -o  passes each connection at the unix socket SOCKET to a connection on which the daemon waits for it
 *   -w  leads the daemon's own connections to the unix socket SOCKET
 *
 * At the door: the token, and one letter. `i`: the connection becomes one to the socket of -w. `o`: it waits until somebody
 * connects to a socket of -o, says which (one byte, counted from 0) and becomes that connection. `r`: answered with `y` if
 * the file of -r is there, else with `n`.
 *
 * The first process holds the listening sockets and does nothing else: a worker that crashes is replaced, and its ports
 * are never free for the workload to take. With PROGRAM it ends when PROGRAM ends, and with its exit code.
 */
#include "forwarder.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

enum { MOST_LISTENERS = 256, CHUNK = 64 * 1024, EVENTS = 64, MOST_INSTRUCTIONS = 1024, NAMES_PORT = 53 };
enum { MOST_STRANGERS = 64, MOST_WAITING = 64, STRANGER_SECONDS = 5, PATIENCE_SECONDS = 3, MOST_ASKING = 64 };
/* Enough for the maximum: two for each connection of the ways out, in and direct, and some for the rest. */
enum { MOST_DESCRIPTORS = 4096 };

static struct listener listeners[MOST_LISTENERS];
static int listener_count;
static int most_connections = 256;
static int epoll_fd;
static struct link *dead_links;
static struct link *strangers, *waiting; /* oldest first */
static int stranger_count, waiting_count;
static time_t last_waiting;
static char token[TOKEN_LENGTH + 1];
static char *ready_file;
/* How many connections came through the door, and where its way in is. */
static struct listener inbound = { .kind = TO_TCP }, outbound;
/* Where connections to any address lead, and where name lookups lead. */
static struct listener direct = { .kind = TO_UNIX }, names = { .kind = TO_UNIX };
static volatile sig_atomic_t asked_to_end;

void fail(const char *what) {
  fprintf(stderr, "forwarder: %s: %s\n", what, strerror(errno));
  exit(1);
}

void wrong(const char *what) {
  fprintf(stderr, "forwarder: %s\n", what);
  exit(2);
}

/* ---- the worker ------------------------------------------------------------------------------------------------- */

void watch(struct side *side, uint32_t events) {
  struct epoll_event event = { .events = events, .data.ptr = side };
  if (side->is_watched && side->events == events) return;
  if (epoll_ctl(epoll_fd, side->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, side->fd, &event) < 0) fail("epoll_ctl");
  side->is_watched = 1;
  side->events = events;
}

static void unwatch(struct side *side) {
  if (side->is_watched) epoll_ctl(epoll_fd, EPOLL_CTL_DEL, side->fd, NULL);
  side->is_watched = 0;
}

time_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

void join_queue(struct link **queue, struct link *link) {
  while (*queue != NULL) queue = &(*queue)->next;
  link->next = NULL;
  *queue = link;
}

void leave_queue(struct link **queue, struct link *link) {
  while (*queue != NULL && *queue != link) queue = &(*queue)->next;
  if (*queue == link) *queue = link->next;
}

/* Connections that nobody waits for are not accepted, but stay in the kernel's queue. */
static void arm_handed(int is_open) {
  for (int n = 0; n < listener_count; n++) {
    struct epoll_event event = { .events = is_open ? EPOLLIN : 0, .data.ptr = &listeners[n] };
    if (listeners[n].kind == HANDED) epoll_ctl(epoll_fd, EPOLL_CTL_MOD, listeners[n].fd, &event);
  }
}

static void leave_state(struct link *link) {
  if (link->state == STRANGER) {
    leave_queue(&strangers, link);
    stranger_count--;
  }
  if (link->state == ASKING) forget_question(link);
  if (link->state == WAITING) {
    leave_queue(&waiting, link);
    last_waiting = now();
    if (--waiting_count == 0) arm_handed(0);
  }
}

void drop(struct link *link) {
  if (link->dead) return;
  leave_state(link);
  link->dead = 1;
  if (link->listener != NULL) link->listener->open--;
  for (int n = 0; n < 2; n++)
    if (link->sides[n].fd >= 0) close(link->sides[n].fd);
  /* Freed after the round: the list that is being processed may still contain its events. */
  link->next_dead = dead_links;
  dead_links = link;
}

static void bury(void) {
  while (dead_links != NULL) {
    struct link *link = dead_links;
    dead_links = link->next_dead;
    for (int n = 0; n < 2; n++) free(link->flows[n].bytes);
    free(link->question);
    free(link);
  }
}

/* How many of the bytes `to` accepts now; -1: the connection is broken. */
static ssize_t give(int to, const char *bytes, size_t length) {
  for (;;) {
    ssize_t sent = send(to, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return sent;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return -1;
  }
}

static int give_kept(struct flow *flow, int to) {
  ssize_t sent = give(to, flow->bytes + flow->at, flow->length - flow->at);
  if (sent < 0) return 0;
  if ((flow->at += (size_t)sent) < flow->length) return 1;
  free(flow->bytes);
  *flow = (struct flow){ .ended = flow->ended };
  return 1;
}

static int keep(struct flow *flow, const char *bytes, size_t length) {
  if ((flow->bytes = malloc(length)) == NULL) return 0;
  memcpy(flow->bytes, bytes, length);
  flow->length = length;
  return 1;
}

/*
 * Moves at most one chunk from sides[n] to the other, so that one flood does not delay the others. It reads only what the other
 * side accepts: the rest waits in the kernel's buffers, and no number of slow readers costs memory here. False: the link
 * is broken.
 */
static int move(struct link *link, int n) {
  static char chunk[CHUNK];
  struct flow *flow = &link->flows[n];
  int from = link->sides[n].fd, to = link->sides[1 - n].fd;
  if (flow->bytes != NULL) return give_kept(flow, to);
  if (flow->ended) return 1;
  flow->is_held_up = 0;
  ssize_t got = recv(from, chunk, CHUNK, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0) return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
  if (got == 0) {
    flow->ended = 1;
    shutdown(to, SHUT_WR);
    return 1;
  }
  ssize_t sent = give(to, chunk, (size_t)got);
  flow->is_held_up = sent < got;
  return sent == 0 || (sent > 0 && recv(from, chunk, (size_t)sent, MSG_TRUNC | MSG_DONTWAIT) == sent);
}

static int is_waiting(const struct flow *flow) {
  return flow->bytes != NULL || flow->is_held_up;
}

static void rearm(struct link *link) {
  for (int n = 0; n < 2; n++) {
    struct flow *out = &link->flows[n], *in = &link->flows[1 - n];
    uint32_t events = 0;
    if (!out->ended && !is_waiting(out)) events |= EPOLLIN;
    if (is_waiting(in)) events |= EPOLLOUT;
    /* The end of a side is reported repeatedly, even if not requested. It must not be handled while its last bytes wait. */
    if (events == 0 && is_waiting(out)) unwatch(&link->sides[n]);
    else watch(&link->sides[n], events);
  }
}

static void lead(struct link *link, struct listener *to, int is_unix);

static void obey(struct link *link, char letter) {
  leave_state(link);
  if (letter == 'i' && inbound.kind == TO_UNIX && inbound.open < most_connections) {
    lead(link, &inbound, 1);
  } else if (letter == 'o' && waiting_count < MOST_WAITING) {
    link->state = WAITING;
    join_queue(&waiting, link);
    if (waiting_count++ == 0) arm_handed(1);
  } else {
    if (letter == 'r') send(link->sides[0].fd, access(ready_file, F_OK) == 0 ? "y" : "n", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    link->state = JOINED;
    drop(link);
  }
}

static void greet(struct link *link) {
  ssize_t got = recv(link->sides[0].fd, link->hello + link->heard, sizeof link->hello - link->heard, MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
  if (got <= 0) return drop(link);
  if ((link->heard += (size_t)got) < sizeof link->hello) return;
  /* Compares all of it, however early it differs, so that the time reveals nothing. */
  int differs = 0;
  for (int n = 0; n < TOKEN_LENGTH; n++) differs |= link->hello[n] ^ token[n];
  if (differs) return drop(link);
  obey(link, link->hello[TOKEN_LENGTH]);
}

static void open_door(struct listener *listener) {
  int client = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client < 0) return;
  struct link *link = stranger_count < MOST_STRANGERS ? calloc(1, sizeof *link) : NULL;
  if (link == NULL) {
    close(client);
    return;
  }
  int on = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  link->sides[0] = (struct side){ .fd = client, .link = link };
  link->sides[1] = (struct side){ .fd = -1, .link = link };
  link->state = STRANGER;
  link->since = now();
  join_queue(&strangers, link);
  stranger_count++;
  watch(&link->sides[0], EPOLLIN);
}

static void hand_over(struct listener *listener) {
  struct link *link = waiting;
  if (link == NULL) return;
  int client = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client < 0) return;
  unsigned char which = 0;
  for (struct listener *other = listeners; other < listener; other++) which += other->kind == HANDED;
  if (outbound.open >= most_connections) {
    close(client);
    return;
  }
  leave_state(link);
  link->state = JOINED;
  link->listener = &outbound;
  outbound.open++;
  link->sides[1].fd = client;
  watch(&link->sides[1], 0);
  if (send(link->sides[0].fd, &which, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) return drop(link);
  rearm(link);
}

/* Closes strangers that send nothing, and connections that want out when nobody is there to decide on them. */
static void keep_order(void) {
  while (strangers != NULL && now() - strangers->since >= STRANGER_SECONDS) drop(strangers);
  if (waiting_count > 0 || now() - last_waiting < PATIENCE_SECONDS) return;
  for (int n = 0; n < listener_count; n++) {
    int client;
    while (listeners[n].kind == HANDED && (client = accept4(listeners[n].fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) close(client);
  }
}

static void try_six(struct link *link);

static void serve(struct side *side, uint32_t events) {
  struct link *link = side->link;
  if (link->dead) return;
  if (link->state == STRANGER) return greet(link);
  if (link->state == ASKING) return hear_answer(link);
  /* It has gone, or sent something before it was asked. */
  if (link->state == WAITING) return drop(link);
  if (link->state == CONNECTING) {
    /* Already gone, which is reported once. What it sent is read when the other side is there. */
    if (side != &link->sides[1]) return unwatch(side);
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(side->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) return drop(link);
    if (error != 0) return try_six(link);
    if (!(events & EPOLLOUT)) return;
    link->state = JOINED;
  }
  int n = side == &link->sides[1];
  uint32_t broken = events & (EPOLLERR | EPOLLHUP);
  if ((broken || events & EPOLLIN) && !move(link, n)) return drop(link);
  if ((broken || events & EPOLLOUT) && !move(link, 1 - n)) return drop(link);
  /* It is gone, not only silent, and the other side has everything that it sent. */
  if (broken && link->flows[n].ended) return drop(link);
  if (link->flows[0].ended && link->flows[1].ended) return drop(link);
  rearm(link);
}

/* Connects the other side of a link without blocking: a server that does not accept must not delay other connections. */
static void connect_to(struct link *link, const void *address, socklen_t size) {
  int family = ((const struct sockaddr *)address)->sa_family, on = 1;
  int target = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  link->sides[1] = (struct side){ .fd = target, .link = link };
  if (target < 0) return drop(link);
  setsockopt(family == AF_UNIX ? link->sides[0].fd : target, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  watch(&link->sides[1], EPOLLOUT);
  if (connect(target, address, size) < 0 && errno != EINPROGRESS) try_six(link);
}

static void lead(struct link *link, struct listener *to, int is_unix) {
  link->state = CONNECTING;
  link->listener = to;
  to->open++;
  watch(&link->sides[0], 0);
  if (is_unix) connect_to(link, &to->socket_path, sizeof to->socket_path);
  else connect_to(link, &to->tcp, sizeof to->tcp);
}

/* Nothing listens at 127.0.0.1: some servers listen only on the other loopback address. */
static void try_six(struct link *link) {
  if (link->listener->kind != TO_TCP || link->has_tried_six) return drop(link);
  struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT, .sin6_port = link->listener->tcp.sin_port };
  link->has_tried_six = 1;
  close(link->sides[1].fd);
  connect_to(link, &six, sizeof six);
}

/* The first line for the other side: where the program wanted to go, which is the address that this socket is bound to. */
static int keep_destination(struct link *link) {
  struct sockaddr_in6 six;
  struct sockaddr_in *four = (void *)&six;
  socklen_t size = sizeof six;
  if (getsockname(link->sides[0].fd, (void *)&six, &size) < 0) return 0;
  int is_mapped = six.sin6_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six.sin6_addr);
  const void *address = six.sin6_family == AF_INET ? (void *)&four->sin_addr : &six.sin6_addr.s6_addr[is_mapped ? 12 : 0];
  char text[INET6_ADDRSTRLEN], line[INET6_ADDRSTRLEN + sizeof " 65535\n"];
  if (inet_ntop(is_mapped ? AF_INET : six.sin6_family, address, text, sizeof text) == NULL) return 0;
  /* The port is in the same place for both families. */
  int length = snprintf(line, sizeof line, "%s %u\n", text, ntohs(six.sin6_port));
  return keep(&link->flows[0], line, (size_t)length);
}

static void accept_one(struct listener *listener) {
  if (listener->kind == DOOR) return open_door(listener);
  if (listener->kind == HANDED) return hand_over(listener);
  if (listener->kind == QUESTIONS) return take_question(listener, &names.socket_path);
  struct listener *to = listener->kind == DIRECT ? &direct : listener->kind == NAMES ? &names : listener;
  int client = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client < 0) return;
  int most = to == &names && most_connections > MOST_ASKING ? MOST_ASKING : most_connections;
  struct link *link = to->open < most ? calloc(1, sizeof *link) : NULL;
  if (link == NULL) {
    close(client);
    return;
  }
  link->sides[0] = (struct side){ .fd = client, .link = link };
  link->sides[1] = (struct side){ .fd = -1, .link = link };
  if (to == &direct && !keep_destination(link)) return drop(link);
  watch(&link->sides[0], 0);
  lead(link, to, to->kind == TO_UNIX);
}

static void work(void) {
  give_up_rights();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST_DESCRIPTORS) {
    limit.rlim_cur = limit.rlim_max < MOST_DESCRIPTORS ? limit.rlim_max : MOST_DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if ((epoll_fd = epoll_create1(EPOLL_CLOEXEC)) < 0) fail("epoll_create1");
  for (int n = 0; n < listener_count; n++) {
    struct epoll_event event = { .events = listeners[n].kind == HANDED ? 0 : EPOLLIN, .data.ptr = &listeners[n] };
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listeners[n].fd, &event) < 0) fail("epoll_ctl");
  }
  for (;;) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(epoll_fd, events, EVENTS, *token == '\0' && questions == NULL ? -1 : 1000);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    for (int n = 0; n < count; n++) {
      void *who = events[n].data.ptr;
      int is_listener = who >= (void *)listeners && who < (void *)(listeners + MOST_LISTENERS);
      if (is_listener) accept_one(who);
      else serve(who, events[n].events);
    }
    if (*token != '\0') keep_order();
    end_late_questions();
    bury();
  }
}

/* ---- setting up ------------------------------------------------------------------------------------------------- */

static struct sockaddr_un unix_address(const char *path) {
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  /* If it were cut off, it would name another file. */
  if (strlen(path) >= sizeof address.sun_path) wrong("the path of a socket is too long");
  strcpy(address.sun_path, path);
  return address;
}

static uint16_t port_number(const char *text) {
  char *end;
  long number = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || number < 1 || number > 65535) wrong("a port is a number from 1 to 65535");
  return (uint16_t)number;
}

static struct sockaddr_in tcp_address(const char *host, const char *port) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port_number(port)) };
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) wrong("an address is four numbers");
  return address;
}

static struct listener *next_listener(void) {
  if (listener_count == MOST_LISTENERS) wrong("too many ports to listen on: there is room for 256");
  return &listeners[listener_count++];
}

static void listen_on(struct listener *listener, int family, const void *address, socklen_t size) {
  int on = 1;
  listener->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener->fd < 0) fail("socket");
  if (family == AF_INET) setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener->fd, address, size) < 0 || listen(listener->fd, 128) < 0) fail("listen");
}

static void listen_on_path(struct listener *listener, const char *path) {
  struct sockaddr_un address = unix_address(path);
  unlink(path);
  mode_t before = umask(0177);
  listen_on(listener, AF_UNIX, &address, sizeof address);
  umask(before);
}

/* ADDRESS:PORT=SOCKET */
static void add_way_out(char *text) {
  char *equals = strchr(text, '='), *colon = strchr(text, ':');
  if (equals == NULL || colon == NULL || colon > equals) wrong("-e takes ADDRESS:PORT=SOCKET");
  *equals = *colon = '\0';
  struct listener *listener = next_listener();
  listener->kind = TO_UNIX;
  listener->socket_path = unix_address(equals + 1);
  struct sockaddr_in address = tcp_address(text, colon + 1);
  listen_on(listener, AF_INET, &address, sizeof address);
}

/* PORT[,PORT]...=SOCKET */
static void add_direct(char *text) {
  char *equals = strchr(text, '=');
  if (equals == NULL) wrong("-d takes PORT[,PORT]...=SOCKET");
  *equals = '\0';
  direct.socket_path = unix_address(equals + 1);
  for (char *rest = text, *port; (port = strsep(&rest, ",")) != NULL;) {
    struct listener *listener = next_listener();
    listener->kind = DIRECT;
    listener->fd = bind_everywhere(SOCK_STREAM, port_number(port));
  }
}

static void add_names(char *path) {
  names.socket_path = unix_address(path);
  struct listener *by_tcp = next_listener(), *by_datagram = next_listener();
  *by_tcp = (struct listener){ .kind = NAMES, .fd = bind_everywhere(SOCK_STREAM, NAMES_PORT) };
  *by_datagram = (struct listener){ .kind = QUESTIONS, .fd = bind_everywhere(SOCK_DGRAM, NAMES_PORT) };
}

/* SOCKET=PORT */
static void add_way_in(char *text) {
  char *equals = strrchr(text, '=');
  if (equals == NULL) wrong("-i takes SOCKET=PORT");
  *equals = '\0';
  struct listener *listener = next_listener();
  listener->kind = TO_TCP;
  listener->tcp = tcp_address("127.0.0.1", equals + 1);
  listen_on_path(listener, text);
}

static void add_handed(char *path) {
  struct listener *listener = next_listener();
  listener->kind = HANDED;
  listen_on_path(listener, path);
}

/* Last, so that its number comes after those of -o. */
static void add_door(char *port) {
  struct listener *listener = next_listener();
  listener->kind = DOOR;
  struct sockaddr_in address = tcp_address("0.0.0.0", port);
  listen_on(listener, AF_INET, &address, sizeof address);
}

static void take_token(void) {
  char *given = getenv("TOKEN");
  if (given == NULL || strlen(given) != TOKEN_LENGTH) wrong("-g takes a token of 64 letters in the variable TOKEN");
  memcpy(token, given, TOKEN_LENGTH);
  /* So that it cannot be read from our environment later. */
  memset(given, 0, TOKEN_LENGTH);
}

static void on_end(int signal) {
  (void)signal;
  asked_to_end = signal;
}

static void close_kept(int kept_fd) {
  for (int fd = 3; fd <= kept_fd; fd++) close(fd);
}

/* PROGRAM's input and output belong to it alone: if they were open here, the other end would never see them end. */
static void leave_pipes(void) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0) fail("/dev/null");
  close(nothing);
}

static pid_t start_worker(int kept_fd, int has_program) {
  pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid > 0) return pid;
  close_kept(kept_fd);
  if (has_program) leave_pipes();
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  work();
  _exit(1);
}

static pid_t start_program(char **command, int kept_fd) {
  pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid > 0) return pid;
  /* When the forwarder is killed, the sandbox ends: it must never continue without supervision. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  struct rlimit limit;
  int first = kept_fd > 2 ? kept_fd + 1 : 3;
  int most = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  if (close_range((unsigned)first, ~0U, 0) < 0)
    for (int fd = first; fd < most; fd++) close(fd);
  execvp(command[0], command);
  fprintf(stderr, "forwarder: %s: %s\n", command[0], strerror(errno));
  _exit(127);
}

/* A descriptor of what is at the path. Links are followed before `//`; -1 if there is one after it. */
static int open_place(const char *path) {
  char *names = strdup(path), *rest = strstr(names, "//");
  if (rest != NULL) *rest++ = 0;
  int fd = open(*names == 0 ? "/" : names, O_PATH | O_CLOEXEC);
  for (char *name = rest == NULL ? NULL : strtok(rest, "/"); fd >= 0 && name != NULL; name = strtok(NULL, "/")) {
    int outer = fd;
    struct stat found;
    fd = openat(outer, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    close(outer);
    if (fd >= 0 && fstat(fd, &found) == 0 && !S_ISLNK(found.st_mode)) continue;
    if (fd >= 0) close(fd);
    fd = -1;
    errno = ELOOP;
  }
  free(names);
  return fd;
}

/* DEVICE:INODE=PATH. Nothing of the workload runs yet, so it cannot have changed what is at the path. */
static void check_mount(const char *text) {
  char *end;
  unsigned long long device = strtoull(text, &end, 10), inode = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
  if (*end != '=' || end[1] != '/') wrong("-m takes DEVICE:INODE=PATH");
  struct statx found;
  int fd = open_place(end + 1);
  if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_INO, &found) < 0) fail(end + 1);
  close(fd);
  int is_same = makedev(found.stx_dev_major, found.stx_dev_minor) == device && found.stx_ino == inode;
  /* Older kernels cannot say whether it is the top of a mount. */
  int is_top = !(found.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) || found.stx_attributes & STATX_ATTR_MOUNT_ROOT;
  if (is_same && is_top) return;
  fprintf(stderr, "Toolhaven: what is mounted at %s is not what was checked before this start.\n", end + 1);
  exit(126);
}

/* Never more than the engine allows. */
static void put_limit_in_force(const char *text) {
  char name[8];
  unsigned long soft, hard;
  int end = 0;
  if (sscanf(text, "%7[a-z]=%lu:%lu%n", name, &soft, &hard, &end) != 3 || text[end] != 0) wrong("-l takes LIMIT=SOFT:HARD");
  int is_files = strcmp(name, "nofile") == 0;
  if (!is_files && strcmp(name, "nproc") != 0) wrong("-l knows nofile and nproc");
  struct rlimit limit;
  if (getrlimit(is_files ? RLIMIT_NOFILE : RLIMIT_NPROC, &limit) < 0) fail("getrlimit");
  if (limit.rlim_max > hard) limit.rlim_max = hard;
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  if (setrlimit(is_files ? RLIMIT_NOFILE : RLIMIT_NPROC, &limit) < 0) fail("setrlimit");
}

static void become(char **command) {
  execvp(command[0], command);
  fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
  exit(errno == ENOENT ? 127 : 126);
}

static int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Process 1 of a container. It waits for every signal in turn, so none is lost between two checks. */
static void attend(char **command) {
  sigset_t all, before;
  sigfillset(&all);
  if (sigprocmask(SIG_BLOCK, &all, &before) < 0) fail("sigprocmask");
  pid_t program = fork();
  if (program < 0) fail("fork");
  if (program == 0) {
    /* Its own group, as with other inits: a server that signals its group does not signal process 1. */
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    become(command);
  }
  leave_pipes();
  for (;;) {
    siginfo_t got;
    if (sigwaitinfo(&all, &got) < 0) continue;
    if (got.si_signo != SIGCHLD) {
      kill(program, got.si_signo);
      continue;
    }
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == program) exit(code_of(status));
  }
}

/* Filters add up: what the engine forbids stays forbidden. */
static void put_filter_in_force(const char *file) {
  static struct sock_filter instructions[MOST_INSTRUCTIONS + 1];
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? -1 : read(fd, instructions, sizeof instructions);
  if (size < 0) fail(file);
  close(fd);
  if (size == 0 || size % sizeof *instructions != 0 || size > (ssize_t)(MOST_INSTRUCTIONS * sizeof *instructions))
    wrong("-s takes a file of filter instructions");
  struct sock_fprog program = { .len = (unsigned short)(size / sizeof *instructions), .filter = instructions };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("no_new_privs");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) fail("seccomp");
}

static void make_file(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) fail(path);
  close(fd);
}

static void pause_a_little(void) {
  struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };
  nanosleep(&pause, NULL);
}

int main(int count, char **words) {
  int kept_fd = -1, own_namespaces = 0, becomes_program = 0, stays = 0, option;
  char *ways[MOST_LISTENERS], *filter_file = NULL, *door_port = NULL, *way_in = NULL, *direct_way = NULL, *names_way = NULL;
  char *user = NULL;
  int way_count = 0, kinds[MOST_LISTENERS];
  while ((option = getopt(count, words, "+Nu:k:c:r:s:m:l:pg:w:o:e:d:n:i:")) != -1) {
    becomes_program |= option == 's' || option == 'm' || option == 'l';
    if (option == 'N') own_namespaces = 1;
    else if (option == 'u') user = optarg;
    else if (option == 'd') direct_way = optarg;
    else if (option == 'n') names_way = optarg;
    else if (option == 'k') kept_fd = atoi(optarg);
    else if (option == 'c') most_connections = atoi(optarg);
    else if (option == 'r') ready_file = optarg;
    else if (option == 's') filter_file = optarg;
    else if (option == 'm') check_mount(optarg);
    else if (option == 'l') put_limit_in_force(optarg);
    else if (option == 'p') stays = 1;
    else if (option == 'g') door_port = optarg;
    else if (option == 'w') way_in = optarg;
    else if ((option == 'e' || option == 'i' || option == 'o') && way_count < MOST_LISTENERS) {
      kinds[way_count] = option;
      ways[way_count++] = optarg;
    } else
      wrong("usage: forwarder [-N | -u UID:GID] [-k FD] [-c MOST] [-r FILE] [-e ADDRESS:PORT=SOCKET]... "
            "[-d PORT[,PORT]...=SOCKET] [-n SOCKET] [-i SOCKET=PORT]... [-- PROGRAM], forwarder [-s FILTER] [-m DEVICE:INODE=PATH]... [-l LIMIT=SOFT:HARD]... [-p] -- PROGRAM, or forwarder -g PORT [-o SOCKET]... [-w SOCKET] [-r FILE]");
  }
  if (most_connections < 1) wrong("-c takes a number from 1");
  if (becomes_program) {
    if (optind == count || way_count > 0 || own_namespaces || user || direct_way || names_way)
      wrong("-s, -m and -l take a program and nothing else");
    if (filter_file != NULL) put_filter_in_force(filter_file);
    (stays ? attend : become)(words + optind);
  }
  if (stays) wrong("-p belongs to -s, -m and -l");
  int takes_every_address = direct_way != NULL || names_way != NULL;
  if (own_namespaces && user != NULL) wrong("-N and -u do not go together");
  if (takes_every_address && !own_namespaces && user == NULL) wrong("-d and -n go with -N or -u");
  for (int n = 0; n < way_count; n++)
    if ((kinds[n] == 'o') != (door_port != NULL)) wrong("-o belongs to -g, and -e and -i do not");
  if (door_port == NULL ? way_in != NULL : ready_file == NULL || own_namespaces || user || optind < count)
    wrong("-g takes -o, -w and -r and nothing else");
  if (door_port != NULL) take_token();
  if (way_in != NULL) {
    inbound.kind = TO_UNIX;
    inbound.socket_path = unix_address(way_in);
  }
  /* A listener would fill a gap among them, and PROGRAM must never get one. */
  for (int fd = 3; fd <= kept_fd; fd++)
    if (fcntl(fd, F_GETFD) < 0) wrong("-k takes a number up to which all descriptors are open");
  if (own_namespaces) {
    make_namespaces();
    if (takes_every_address) make_every_address_local();
    /* After the change of rights, which would clear it: all of this ends with the process that started it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  } else if (user != NULL) {
    if (takes_every_address) make_every_address_local();
    become_user(user);
  }
  /* From an earlier run. Only now are we the user who may remove it. */
  if (ready_file != NULL && door_port == NULL) unlink(ready_file);
  if (direct_way != NULL) add_direct(direct_way);
  if (names_way != NULL) add_names(names_way);
  for (int n = 0; n < way_count; n++)
    (kinds[n] == 'i' ? add_way_in : kinds[n] == 'o' ? add_handed : add_way_out)(ways[n]);
  if (door_port != NULL) add_door(door_port);
  if (listener_count == 0 && optind == count) wrong("nothing to forward and nothing to run");

  struct sigaction action = { .sa_handler = on_end };
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  int has_program = optind < count;
  pid_t worker = start_worker(kept_fd, has_program);
  pid_t program = has_program ? start_program(words + optind, kept_fd) : 0;
  give_up_rights();
  close_kept(kept_fd);
  if (has_program) leave_pipes();
  if (ready_file != NULL && door_port == NULL) make_file(ready_file);
  for (;;) {
    int status;
    pid_t ended = wait(&status);
    if (asked_to_end) {
      int signal_given = asked_to_end;
      asked_to_end = 0;
      if (program == 0) break;
      kill(program, signal_given);
    }
    if (ended < 0) continue;
    if (program != 0 && ended == program) {
      kill(worker, SIGKILL);
      return code_of(status);
    }
    if (ended == worker) {
      pause_a_little();
      worker = start_worker(-1, has_program);
    }
  }
  kill(worker, SIGKILL);
  return 0;
}
