import { fillIn, namesIn, pathPattern, usesAny } from "#build/site-rules/path-pattern.ts";
import type { HeaderRule } from "#build/site-rules/rule-schemas.ts";

/**
 * Headers that describe a file. They are not on the page for a missing one: a cache must not keep it, and it has its own
 * type.
 */
const ofFiles = new Set([
  ...["cache-control", "cdn-cache-control", "cloudflare-cdn-cache-control", "surrogate-control", "expires"],
  ...["pragma", "content-type", "content-disposition", "content-language", "accept-patch"],
]);

/** `isFound`: whether a file answers, and no page for a missing one. `path`: decoded. */
export type HeaderRequest = { readonly host: string; readonly path: string; readonly isFound: boolean };

/** What a rule says for a kind of answer. */
export function headersFor({ set, unset }: HeaderRule, isFound: boolean): Pick<HeaderRule, "set" | "unset"> {
  const counts = (name: string) => isFound || !ofFiles.has(name);
  return { unset: unset.filter(counts), set: set.filter(([name]) => counts(name)) };
}

/** The expression for the path of a request, decoded. What becomes part of a value is ASCII. */
export function headerPattern(rule: HeaderRule): string {
  const names = namesIn(rule.from);
  const isUsed = rule.set.some(([, value]) => usesAny(value, names));
  return pathPattern(rule.from, isUsed ? "printable" : "decoded").source;
}

/**
 * The headers that a site's rules change. All rules that match count, in their order: a value is added to the values of
 * earlier rules, and null removes them and the value that the web server would set.
 */
export function findHeaders(
  rules: readonly HeaderRule[],
  { host, path, isFound }: HeaderRequest,
): ReadonlyMap<string, string | null> {
  const headers = new Map<string, string | null>();
  for (const rule of rules) {
    if (rule.host !== undefined && rule.host !== host) continue;
    const match = new RegExp(headerPattern(rule)).exec(path);
    if (match === null) continue;
    const names = namesIn(rule.from);
    const { set, unset } = headersFor(rule, isFound);
    for (const name of unset) headers.set(name, null);
    for (const [name, template] of set) {
      const value = fillIn(template, names, (group) => match[group] ?? "");
      const earlier = headers.get(name);
      headers.set(name, typeof earlier === "string" ? `${earlier}, ${value}` : value);
    }
  }
  return headers;
}
