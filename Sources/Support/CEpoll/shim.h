// What Swift's module Glibc leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
