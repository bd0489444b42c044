/** What skopeo and buildah print if a registry, or the policy for its images, refuses an image. */
export const registryWords = {
  limited: /toomanyrequests|too many requests|rate limit|status(?: ?code)?:? 429/i,
  denied: /unauthorized|authentication required|denied|forbidden|incorrect username or password/i,
  refused: /rejected by policy/i,
} as const;
