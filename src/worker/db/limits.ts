/** The most projects, servers and tokens of an account, each. Few enough to list all in one response. */
export const MAX_PER_ACCOUNT = 1_000;
