/* The network that the forwarder holds, and the rights that it needs to set it up and gives up after that. */
#include "forwarder.h"
#include <grp.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static void write_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) fail(path);
  close(fd);
}

void make_namespaces(void) {
  char map[64];
  unsigned uid = geteuid(), gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) fail("unshare");
  write_text("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", uid, uid);
  write_text("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", gid, gid);
  write_text("/proc/self/gid_map", map);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq request = { .ifr_name = "lo" };
  if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0) fail("lo");
  request.ifr_flags |= IFF_UP | IFF_RUNNING;
  if (ioctl(fd, SIOCSIFFLAGS, &request) < 0) fail("lo");
  close(fd);
}

/* In a network that leads anywhere, the routes below would cut off everything else in it. */
static void check_only_loopback(void) {
  struct if_nameindex *all = if_nameindex();
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (all == NULL || fd < 0) fail("interfaces");
  for (struct if_nameindex *each = all; each->if_name != NULL; each++) {
    struct ifreq request = { 0 };
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", each->if_name);
    if (ioctl(fd, SIOCGIFFLAGS, &request) < 0) fail(each->if_name);
    if (request.ifr_flags & IFF_UP && !(request.ifr_flags & IFF_LOOPBACK))
      wrong("-d and -n are for a network with a loopback and nothing else");
  }
  if_freenameindex(all);
  close(fd);
}

/* Returns 0, or why the kernel refuses. */
static int tell_kernel(const void *request, size_t size) {
  struct { struct nlmsghdr head; struct nlmsgerr error; char rest[256]; } answer = { 0 };
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0 || send(fd, request, size, 0) < 0 || recv(fd, &answer, sizeof answer, 0) < 0) fail("netlink");
  close(fd);
  return answer.head.nlmsg_type == NLMSG_ERROR ? -answer.error.error : EPROTO;
}

/* `ip route add local default dev lo` */
static int add_local_route(unsigned char family, unsigned loopback) {
  struct { struct nlmsghdr head; struct rtmsg route; struct rtattr attribute; unsigned interface; } request = {
    .head = { .nlmsg_len = sizeof request, .nlmsg_type = RTM_NEWROUTE, .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK },
    .route = { .rtm_family = family, .rtm_table = RT_TABLE_LOCAL, .rtm_protocol = RTPROT_BOOT, .rtm_type = RTN_LOCAL,
      .rtm_scope = family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE },
    .attribute = { .rta_len = RTA_LENGTH(sizeof request.interface), .rta_type = RTA_OIF },
    .interface = loopback,
  };
  return tell_kernel(&request, sizeof request);
}

/* `ip address add 127.0.0.2/32 dev lo` */
static int add_second_address(unsigned loopback) {
  struct { struct nlmsghdr head; struct ifaddrmsg address; struct rtattr attribute; in_addr_t number; } request = {
    .head = { .nlmsg_len = sizeof request, .nlmsg_type = RTM_NEWADDR, .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK },
    .address = { .ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_scope = RT_SCOPE_HOST, .ifa_index = loopback },
    .attribute = { .rta_len = RTA_LENGTH(sizeof request.number), .rta_type = IFA_LOCAL },
    .number = htonl(INADDR_LOOPBACK + 1),
  };
  return tell_kernel(&request, sizeof request);
}

/* Connections to any address in the world then end here. The workload has no right to change it. */
void make_every_address_local(void) {
  unsigned loopback = if_nametoindex("lo");
  check_only_loopback();
  if ((errno = add_local_route(AF_INET, loopback)) != 0) fail("route");
  /* Many machines, and most containers, have no IPv6: there its addresses cannot be reached at all. */
  add_local_route(AF_INET6, loopback);
  /* The C library treats a machine with no address but 127.0.0.1 as one without IPv4, where IPv4-only lookups find nothing. */
  if ((errno = add_second_address(loopback)) != 0 && errno != EEXIST) fail("address");
}

/* Drops what no program started from here may ever gain again. A process that may not drop it has nothing to lose. */
static void empty_bounding_set(void) {
  for (int capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;) capability++;
}

/* UID:GID, from the root of a container, which has capabilities for this and for the routes only. */
void become_user(const char *text) {
  char *end;
  unsigned long uid = strtoul(text, &end, 10), gid = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
  if (strchr(text, ':') == NULL || *end != '\0') wrong("-u takes UID:GID");
  empty_bounding_set();
  /* A rootless engine may forbid changing groups, and then there are no other groups. */
  if (setgroups(0, NULL) < 0 && errno != EPERM) fail("setgroups");
  if (setresgid((gid_t)gid, (gid_t)gid, (gid_t)gid) < 0 || setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) < 0) fail("-u");
  give_up_rights();
}

/* Needs no right itself, so it cannot fail for lack of one. */
void give_up_rights(void) {
  empty_bounding_set();
  struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
  if (syscall(SYS_capset, &head, none) < 0) fail("capset");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("no_new_privs");
}

/* One socket for both families; where there is no IPv6, for the one that there is. */
int bind_everywhere(int type, uint16_t port) {
  int on = 1, off = 0, fd = socket(AF_INET6, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), has_six = fd >= 0;
  struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
  struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
  if (!has_six) fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  if (has_six && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) < 0) fail("both families");
  /* Never for datagrams: with it, the workload could take a share of them. */
  if (type == SOCK_STREAM) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  else if (!has_six) setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  else {
    setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    /* For IPv6 a route is not enough to answer from an address. */
    setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof on);
  }
  if (bind(fd, has_six ? (void *)&six : (void *)&four, has_six ? sizeof six : sizeof four) < 0) {
    fprintf(stderr, "forwarder: port %u: %s\n", port, strerror(errno));
    exit(1);
  }
  if (type == SOCK_STREAM && listen(fd, 128) < 0) fail("listen");
  return fd;
}
