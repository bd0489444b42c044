import { namesIn, respell } from "#build/site-rules/path-pattern.ts";
import { quoted, type Read, refusedRule } from "#build/site-rules/rule-lines.ts";

/** Which requests a rule is for. `from`: in the spelling of `encodePath`, apart from `*` and `:name`. */
export type RuleSource = { readonly host?: string; readonly from: string };

/** Reads the path of a rule, or an address. Its scheme does not count: visitors are led to HTTPS before. */
export function readSource(word: string): Read<RuleSource> {
  const [, authority, rest = word] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(word) ?? [];
  // Browsers do not send the fragment.
  const path = rest.replace(/#.*$/, "");
  if (path.includes("?"))
    return refusedRule(
      `The path ${quoted(word)} has a query, but paths are compared without it. Write its parameters after the path, as in: /old id=7 /new`,
    );
  if (authority === undefined && (!path.startsWith("/") || path.startsWith("//")))
    return refusedRule(`The path ${quoted(word)} must begin with / or https://.`);
  const host = authority === undefined ? null : readHost(authority);
  if (host === undefined)
    return refusedRule(`The host in ${quoted(word)} must be a name, without a port, a placeholder or *.`);
  const from = spell(path);
  if (from === null)
    return refusedRule(`The path ${quoted(word)} contains an encoding such as %FF that is not UTF-8.`);
  const names = namesIn(from);
  if (names.filter((name) => name === "splat").length > 1) return refusedRule("A path can have one * only.");
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return refusedRule(`The placeholder :${twice} is in the path twice.`);
  // More would let a request take seconds to compare.
  if (names.length > 1 && from.split("/").some((part) => namesIn(part).length > 1))
    return refusedRule("Between two slashes of the path there can be one placeholder or * only.");
  return { ok: true, value: { ...(host === null ? {} : { host }), from } };
}

/** @returns `undefined` for a text that is no host name */
function readHost(authority: string): string | undefined {
  return /[@:]/.test(authority) ? undefined : parseOrigin(`https://${authority}`)?.hostname;
}

/** The host of an origin. URLs allow more in it than names have, such as braces. @returns null if it is no name or address */
export function parseOrigin(origin: string): URL | null {
  if (origin.includes("\\") || !URL.canParse(origin)) return null;
  const url = new URL(origin);
  return /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname) ? url : null;
}

/** @returns null if its encoding is not UTF-8 */
function spell(path: string): string | null {
  // An encoded * is a text, and a plain * is a wildcard.
  const parts = path.split("*").map(respell);
  if (parts.includes(null)) return null;
  const spelled = parts.join("*").replaceAll(/\/{2,}/g, "/");
  return spelled.length > 1 ? spelled.replace(/\/$/, "") : "/";
}
