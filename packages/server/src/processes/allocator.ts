/**
 * Environment that configures the C library's allocator for a role; values set by the operator take precedence. By
 * default glibc gives every thread its own heap (eight per core), and the short-lived threads of a render leave them
 * fragmented: a worker that renders small videos used 700 MB and kept growing; with two heaps it stays at 350 MB, for
 * the same processor time (bench/RESULTS.md, Soak). Allocating large blocks from the system as well
 * (`MALLOC_MMAP_THRESHOLD_`) saves another 40 MB and costs up to a tenth more processor time. Other C libraries ignore
 * it. It is read when a process starts, so it is set by the supervisor, and by the image and the systemd unit of a
 * single role.
 */
export const ALLOCATOR_SETTINGS = { MALLOC_ARENA_MAX: '2' } as const;
