import { maskUrlPassword } from "#contract/git-names.ts";

/** Shorter ones would hide ordinary words all over a log. */
const SHORTEST_PASSWORD = 4;
const SHORTEST_USER_TOKEN = 16;

export type Mask = (text: string) => string;

/**
 * Hides the passwords of all URLs, and the one of this repository wherever it stands.
 * A long user name without a password is hidden as well: that is how access tokens are often written.
 */
export function createMask(repository: string): Mask {
  const secrets = secretsOf(repository);
  return (text) => {
    let masked = maskUrlPassword(text);
    for (const secret of secrets) masked = masked.replaceAll(secret, "***");
    return masked;
  };
}

function secretsOf(repository: string): readonly string[] {
  const userInfo = /^https:\/\/([^/@]*)@/.exec(repository)?.[1];
  if (userInfo === undefined) return [];
  const colon = userInfo.indexOf(":");
  const secret = colon === -1 ? userInfo : userInfo.slice(colon + 1);
  if (secret.length < (colon === -1 ? SHORTEST_USER_TOKEN : SHORTEST_PASSWORD)) return [];
  return [...new Set([secret, decode(secret)])];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
