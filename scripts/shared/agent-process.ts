/**
 * How Node runs the agent in little memory: a small space for new objects, one thread for garbage collection, one heap of
 * the C library that returns free memory, and no optimizing compiler before a project's command runs (`optimizeHotCode`).
 * install.sh writes the same into the agent's program.
 */
export const agentFlags = ["--max-semi-space-size=2", "--v8-pool-size=1", "--no-maglev"] as const;
export const agentMemory = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "65536" } as const;
