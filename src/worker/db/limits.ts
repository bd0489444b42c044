/** How many projects an account can have, how many servers and how many tokens: few enough to list them all at once. */
export const MAX_PER_ACCOUNT = 1_000;
