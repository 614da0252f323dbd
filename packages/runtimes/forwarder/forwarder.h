/* What the parts of the forwarder share. forwarder.c describes its purpose. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { TOKEN_LENGTH = 64 };

/* What a listener leads to. */
enum kind { TO_UNIX, TO_TCP, DOOR, HANDED, DIRECT, NAMES, QUESTIONS };
/* A stranger has not sent the token; a waiting one is for a connection yet to come; one that asks is a question. */
enum state { JOINED, CONNECTING, STRANGER, WAITING, ASKING };

struct listener {
  int fd;
  int open; /* connections of this listener now: each has a limit, so that one direction cannot starve the other */
  enum kind kind;
  struct sockaddr_un socket_path;
  struct sockaddr_in tcp;
};

/* One direction of a connection. */
struct flow {
  char *bytes; /* our own bytes, which are sent first */
  size_t at, length;
  int ended;
  int is_held_up; /* there is more, and the other side accepts nothing now */
};

struct side {
  int fd;
  struct link *link;
  int is_watched;
  uint32_t events;
};

struct link {
  struct listener *listener;
  struct side sides[2];
  struct flow flows[2]; /* flows[n] goes from sides[n] to the other one */
  enum state state;
  int dead, has_tried_six;
  struct link *next_dead;
  /* For strangers, for waiting connections and for questions. */
  struct link *next;
  time_t since;
  size_t heard;
  char hello[TOKEN_LENGTH + 1];
  struct question *question;
};

/* forwarder.c */
void fail(const char *what) __attribute__((noreturn));
void wrong(const char *what) __attribute__((noreturn));
time_t now(void);
void watch(struct side *side, uint32_t events);
void drop(struct link *link);
void join_queue(struct link **queue, struct link *link);
void leave_queue(struct link **queue, struct link *link);

/* names.c */
extern struct link *questions; /* oldest first */
void take_question(struct listener *listener, const struct sockaddr_un *names);
void hear_answer(struct link *link);
void forget_question(struct link *link);
void end_late_questions(void);

/* network.c */
void make_namespaces(void);
void make_every_address_local(void);
void become_user(const char *text);
void give_up_rights(void);
int bind_everywhere(int type, uint16_t port);
