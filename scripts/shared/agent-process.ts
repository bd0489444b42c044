/**
 * How Node runs the agent in little memory: a small space for new objects, one thread for garbage collection, and one heap
 * of the C library that returns free memory. install.sh writes the same into the agent's program.
 */
export const agentFlags = ["--max-semi-space-size=2", "--v8-pool-size=1"] as const;
export const agentMemory = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "65536" } as const;
