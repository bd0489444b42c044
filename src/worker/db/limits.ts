/** How many projects an account can have, and how many servers: few enough to list them all at once. */
export const MAX_PER_ACCOUNT = 1_000;
