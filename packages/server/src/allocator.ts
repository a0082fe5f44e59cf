/**
 * How the C library of a role hands out memory, as its environment; what the operator sets wins. Left alone, glibc gives every thread a heap of
 * its own (eight a core), and the threads of a render, which come and go, leave their heaps full of holes: a worker that renders small videos
 * held 700 MB and went on growing, with two heaps 350 MB and flat, for the same processor time (bench/RESULTS.md, Soak). To have large blocks
 * come from the system as well (`MALLOC_MMAP_THRESHOLD_`) saves another 40 MB and costs up to a tenth more processor time. Other C libraries ignore
 * it. It is read when a process starts, so that whoever starts a role has to give it: the supervisor does, and the image and the systemd unit of
 * a single role.
 */
export const ALLOCATOR_SETTINGS = { MALLOC_ARENA_MAX: '2' } as const;
