import { hasUnclearLogin } from "#contract/addresses/login-problem.ts";
import { maskUrlPassword, partsOfQuery, SHORTEST_USER_TOKEN } from "#contract/git-names.ts";

/** Shorter secrets are not masked, because they would hide ordinary words all over a log. */
const SHORTEST_PASSWORD = 4;

/** @param isCut whether the text was cut off: then a partial secret at its end is hidden as well */
export type Mask = (text: string, isCut?: boolean) => string;

/** `before`: the text in front of the secret, which stays; only after it `text` is a secret. */
type Secret = { readonly before: string; readonly text: string };

/**
 * Creates a mask for the passwords in all URLs, and for the secrets of these addresses (the repository's, the health
 * check's) wherever they occur. A long user name without a password is hidden as well, because access tokens are
 * often written that way. Values of a query are hidden after their names, and long values everywhere.
 */
export function createMask(...addresses: readonly string[]): Mask {
  const secrets = addresses
    .flatMap((address) => [...userSecrets(address), ...querySecrets(address)])
    // Longest first: one secret may be the beginning of another, whose end would stay visible.
    .toSorted((a, b) => b.text.length - a.text.length);
  return (text, isCut = false) => {
    let masked = maskUrlPassword(text);
    for (const { before, text: secret } of secrets)
      masked = masked.replaceAll(before + secret, () => `${before}***`);
    return isCut ? maskEnd(masked, secrets) : masked;
  };
}

/** A URL with a user name and the first part of its password, or of its port. */
const URL_CUT_OFF = /([a-z0-9+.-]:\/\/[^\s:@/]*):[^\s@/]*$/i;

function maskEnd(cut: string, secrets: readonly Secret[]): string {
  // Remove the rest of a character that was cut in two.
  const text = cut.replace(/\uFFFD+$/, "");
  const begun = secrets.map((secret) => beginningAtEnd(text, secret));
  const longest = Math.max(0, ...begun);
  const masked = longest === 0 ? text : `${text.slice(0, -longest)}***`;
  return masked.replace(URL_CUT_OFF, "$1:***");
}

/** How many characters at the end of a text are the beginning of a secret. */
export function beginningAtEnd(text: string, { before, text: secret }: Secret): number {
  for (let at = Math.max(0, text.length - secret.length + 1); at < text.length; at += 1)
    if (secret.startsWith(text.slice(at)) && text.endsWith(before, at)) return text.length - at;
  return 0;
}

function userSecrets(address: string): readonly Secret[] {
  const isUnclear = hasUnclearLogin(address);
  const userInfo = (isUnclear ? /^\w+:\/\/([^]*)@/ : /^(?:https|docker):\/\/([^/@]*)@/).exec(address)?.[1];
  if (userInfo === undefined) return [];
  const colon = userInfo.indexOf(":");
  const secret = colon === -1 ? userInfo : userInfo.slice(colon + 1);
  if (secret.length < (colon === -1 ? SHORTEST_USER_TOKEN : SHORTEST_PASSWORD)) return [];
  return written("", secret);
}

function querySecrets(address: string): readonly Secret[] {
  return partsOfQuery(address)
    .filter(([, value]) => value !== "")
    .flatMap(([before, value]) => [
      ...written(before, value),
      ...(value.length < SHORTEST_USER_TOKEN ? [] : written("", value)),
    ]);
}

/** The ways to write a secret of a URL: as it is, and percent-decoded. */
function written(before: string, secret: string): readonly Secret[] {
  return [...new Set([secret, percentDecoded(secret)])].map((text) => ({ before, text }));
}

/** Decodes percent-encoded text. Text that is not validly encoded is returned as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
