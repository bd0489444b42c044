// How long tests wait before they fail. A machine may be five times as slow as the machine they were written on, and
// busy with other tests, so a test that passes must never come near. A test names a time of its own only if its work
// needs longer.

/** For a condition to become true, by `expect.poll` and `vi.waitFor`. */
export const CONDITION_MS = 60_000;

/**
 * For a whole test or hook: longer than several conditions, because only the limits of conditions name the missing
 * result.
 */
export const TEST_MS = 300_000;
