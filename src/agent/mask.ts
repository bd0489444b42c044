import { maskUrlPassword } from "#contract/git-names.ts";

/** Shorter ones would hide ordinary words all over a log. */
const SHORTEST_PASSWORD = 4;
const SHORTEST_USER_TOKEN = 16;

/** @param isCut whether the text went on: then its end may be the beginning of a secret, which is hidden as well */
export type Mask = (text: string, isCut?: boolean) => string;

/**
 * Hides the passwords of all URLs, and the one of this repository wherever it stands.
 * A long user name without a password is hidden as well: that is how access tokens are often written.
 */
export function createMask(repository: string): Mask {
  const secrets = secretsOf(repository);
  return (text, isCut = false) => {
    let masked = maskUrlPassword(text);
    for (const secret of secrets) masked = masked.replaceAll(secret, "***");
    return isCut ? maskEnd(masked, secrets) : masked;
  };
}

/** A URL's user name and the beginning of its password, or of a number that is its port. */
const URL_CUT_OFF = /([a-z0-9+.-]:\/\/[^\s:@/]*):[^\s@/]*$/i;

function maskEnd(cut: string, secrets: readonly string[]): string {
  // What is left of a letter that was cut in two.
  const text = cut.replace(/\uFFFD+$/, "");
  const begun = secrets.map((secret) => beginningAtEnd(text, secret));
  const longest = Math.max(0, ...begun);
  const masked = longest === 0 ? text : `${text.slice(0, -longest)}***`;
  return masked.replace(URL_CUT_OFF, "$1:***");
}

/** How many characters at the end of a text are the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = secret.length - 1; length > 0; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
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
