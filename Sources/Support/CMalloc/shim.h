// What Swift's module Glibc leaves out.
#include <malloc.h>
