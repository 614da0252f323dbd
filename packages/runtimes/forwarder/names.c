/*
 * Names for programs that do not support proxies. Each datagram at port 53 of any address becomes a connection to one
 * unix socket, with the question and the answer as in DNS over TCP. The other end decides on the answer.
 */
#include "forwarder.h"

enum { MOST_QUESTIONS = 64, ANSWER_SECONDS = 10, HEADER = 12, LONGEST_QUESTION = 1232, LONGEST_ANSWER = 512 };

struct question {
  int fd; /* the socket that received it */
  struct sockaddr_storage from;
  socklen_t from_size;
  /* The kernel's record of the address that was asked. Returned with the answer, it becomes the sender's address. */
  char control[128];
  size_t control_size;
  /* Both with their length in two bytes before them. */
  unsigned char text[2 + LONGEST_QUESTION], answer[2 + LONGEST_ANSWER];
  size_t length;
};

struct link *questions;
static int question_count;

static void reply(const struct question *question, void *bytes, size_t length) {
  struct iovec part = { bytes, length };
  struct sockaddr_storage to = question->from;
  struct msghdr message = {
    .msg_name = &to, .msg_namelen = question->from_size, .msg_iov = &part, .msg_iovlen = 1,
    .msg_control = (void *)question->control, .msg_controllen = question->control_size,
  };
  /* The program asks again if this is lost. */
  sendmsg(question->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Cuts off everything after the question itself, and returns what is left. */
static size_t only_question(unsigned char *message, size_t length) {
  size_t at = HEADER;
  while (at < length && message[at] != 0) at += 1u + message[at];
  at += 1 + 4;
  memset(message + 6, 0, 6);
  if (at <= length && message[4] == 0 && message[5] == 1) return at;
  message[5] = 0;
  return HEADER;
}

/* "The server failed", sent at once, so that a program need not wait for a daemon that does not run. */
static void refuse(struct link *link) {
  struct question *question = link->question;
  unsigned char *message = question->text + 2;
  message[2] |= 0x80;
  message[3] = 0x82;
  reply(question, message, only_question(message, question->length));
  drop(link);
}

void forget_question(struct link *link) {
  leave_queue(&questions, link);
  question_count--;
}

void end_late_questions(void) {
  while (questions != NULL && now() - questions->since >= ANSWER_SECONDS) refuse(questions);
}

void take_question(struct listener *listener, const struct sockaddr_un *names) {
  struct question got = { .fd = listener->fd };
  struct iovec part = { got.text + 2, LONGEST_QUESTION };
  struct msghdr message = {
    .msg_name = &got.from, .msg_namelen = sizeof got.from, .msg_iov = &part, .msg_iovlen = 1,
    .msg_control = got.control, .msg_controllen = sizeof got.control,
  };
  ssize_t length = recvmsg(listener->fd, &message, MSG_DONTWAIT);
  if (length < HEADER || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || question_count >= MOST_QUESTIONS) return;
  /* An answer, perhaps ours to a forged sender: never answered, so that no two programs continue for ever. */
  if (got.text[2 + 2] & 0x80) return;
  got.from_size = message.msg_namelen;
  got.control_size = message.msg_controllen;
  got.length = (size_t)length;
  got.text[0] = (unsigned char)(length >> 8);
  got.text[1] = (unsigned char)length;
  struct link *link = calloc(1, sizeof *link);
  if (link == NULL) return;
  if ((link->question = malloc(sizeof got)) == NULL) return free(link);
  *link->question = got;
  link->state = ASKING;
  link->since = now();
  join_queue(&questions, link);
  question_count++;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  link->sides[0] = (struct side){ .fd = -1, .link = link };
  link->sides[1] = (struct side){ .fd = fd, .link = link };
  /* A unix socket connects at once or not at all, and holds more than a question before anybody reads it. */
  if (fd < 0 || connect(fd, (const void *)names, sizeof *names) < 0) return refuse(link);
  if (send(fd, got.text, got.length + 2, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)got.length + 2) return refuse(link);
  watch(&link->sides[1], EPOLLIN);
}

void hear_answer(struct link *link) {
  unsigned char *answer = link->question->answer, *message = answer + 2;
  ssize_t got = recv(link->sides[1].fd, answer + link->heard, sizeof link->question->answer - link->heard, MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
  if (got <= 0) return refuse(link);
  if ((link->heard += (size_t)got) < 2 + HEADER) return;
  size_t length = (size_t)answer[0] << 8 | answer[1];
  if (length < HEADER) return refuse(link);
  if (link->heard < 2 + length && link->heard < sizeof link->question->answer) return;
  if (length > LONGEST_ANSWER) {
    /* Too long for some programs. Those that want all of it ask again by TCP. */
    length = only_question(message, LONGEST_ANSWER);
    message[2] |= 0x02;
  }
  reply(link->question, message, length);
  drop(link);
}
