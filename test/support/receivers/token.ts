/** The only token that the fake forges accept. */
export const FORGE_TOKEN = "token-of-the-forge";
