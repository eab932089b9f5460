#include "CLibGD.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "Look up the name of this processor in linux/audit.h."
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)

static bool limit(__rlimit_resource_t resource, rlim_t most) {
    const struct rlimit both = {most, most};
    return setrlimit(resource, &both) == 0;
}

// Any other system call fails with EPERM. Resource limits alone would let a decoder that was taken over send signals to
// the server, whose user it shares, or write into its memory.
static bool forbid_system_calls(void) {
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(read),
        ALLOW(write),
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(mremap),
        ALLOW(munmap),
        ALLOW(madvise),
        ALLOW(futex),
        ALLOW(getrandom),
        ALLOW(restart_syscall),
        ALLOW(exit_group),
        // Swift's handler of crashes takes itself away, so that the second crash is the last one.
        ALLOW(rt_sigaction),
        ALLOW(rt_sigreturn),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool cherish_confine(size_t memory, unsigned seconds) {
    return setpriority(PRIO_PROCESS, 0, 5) == 0
        && limit(RLIMIT_AS, memory) && limit(RLIMIT_CPU, seconds)
        && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 0) && limit(RLIMIT_NPROC, 0)
        && prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0
        && forbid_system_calls();
}
