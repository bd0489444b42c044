import { fillIn, namesIn, usesAny } from "#build/site-rules/path-pattern.ts";
import { hasSamePath, pathIn, redirectPattern } from "#build/site-rules/parse-redirects.ts";
import { isShown, type RedirectRule } from "#build/site-rules/rule-schemas.ts";

/** What a rule does with a request. `target`: with a query of its own, but without the fragment. */
export type Redirect = {
  readonly status: RedirectRule["status"];
  readonly force: boolean;
  readonly target: string;
  readonly fragment: string;
  /** Whether the query of the request is added. */
  readonly keepsQuery: boolean;
};

/** `path`: in the spelling of `encodePath`. `query`: as it came, with its question mark. */
export type RedirectRequest = { readonly host: string; readonly path: string; readonly query: string };

/** The first rule that matches decides. Never throws. */
export function findRedirect(rules: readonly RedirectRule[], request: RedirectRequest): Redirect | null {
  for (const rule of redirectsOn(rules, request.host)) {
    const redirect = applyRule(rule, request);
    if (redirect !== null) return redirect;
  }
  return null;
}

/**
 * The rules that count for a host. A rule to the same path of another host does not count on that host, because it would
 * lead to itself.
 */
export function redirectsOn(rules: readonly RedirectRule[], host: string): readonly RedirectRule[] {
  return rules.filter((rule) => (rule.host ?? host) === host && hostThatLoops(rule) !== host);
}

/** The hosts on which rules count that do not on others, or the other way round. */
export function hostsWithOwnRules(rules: readonly RedirectRule[]): readonly string[] {
  return [
    ...new Set(
      rules.flatMap((rule) => [rule.host, hostThatLoops(rule)].filter((host) => host !== undefined)),
    ),
  ];
}

function hostThatLoops(rule: RedirectRule): string | undefined {
  const [, host] = /^https?:\/\/([^/?#:]*)/.exec(rule.to) ?? [];
  return host !== undefined && rule.query === undefined && hasSamePath(rule) ? host : undefined;
}

function applyRule(rule: RedirectRule, { path, query }: RedirectRequest): Redirect | null {
  const values = matchPath(rule, path);
  if (values === null || pathThatLoops(rule) === withoutSlash(path)) return null;
  const names = namesIn(rule.from);
  for (const [name, value] of rule.query ?? []) {
    const found = new RegExp(parameterPattern(name, value)).exec(query.slice(1));
    if (found === null) return null;
    if (!value.startsWith(":")) continue;
    names.push(value.slice(1));
    values.push(found[1] ?? "");
  }
  return redirectTo(rule, (template) => fillIn(template, names, (group) => values[group - 1] ?? ""));
}

/** @param fill fills in what the placeholders stand for */
export function redirectTo(rule: RedirectRule, fill: (template: string) => string): Redirect {
  const [, whole = "", fragment = ""] = /^([^#]*)(.*)$/.exec(rule.to) ?? [];
  // The query means nothing for a file.
  const target = isShown(rule.status) ? whole.replace(/\?.*$/, "") : whole;
  return {
    status: rule.status,
    force: rule.force === true,
    target: fill(target),
    fragment: fill(fragment),
    keepsQuery: !isShown(rule.status) && !target.includes("?"),
  };
}

/** @returns the texts that `*` and the placeholders stand for, or null if the path does not match */
function matchPath(rule: RedirectRule, path: string): string[] | null {
  if (namesIn(rule.from).length === 0) return withoutSlash(path) === rule.from ? [] : null;
  const match = new RegExp(redirectPattern(rule)).exec(path);
  return match === null ? null : match.slice(1).map((group: string | undefined) => group ?? "");
}

/** Longer targets are not compared with their own rule. */
const MAX_COMPARED = 200;

/** The path that would be led to itself: the target of a rule that matches it too. */
export function pathThatLoops(rule: RedirectRule): string | null {
  const names = namesIn(rule.from);
  if (names.length === 0 || isShown(rule.status) || !rule.to.startsWith("/")) return null;
  const path = pathIn(rule.to);
  if (path.length > MAX_COMPARED) return null;
  return !usesAny(path, names) && new RegExp(redirectPattern(rule)).test(path) ? path : null;
}

/**
 * The expression for a query, without its question mark, that has a parameter. A placeholder stands for characters that
 * mean nothing in a path.
 */
export function parameterPattern(name: string, value: string): string {
  const text = (part: string) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const wanted = value.startsWith(":") ? "([A-Za-z0-9._~%+,:@!$'()*;-]+)" : text(value);
  return `(?:^|&)${text(name)}=${wanted}(?:&|$)`;
}

function withoutSlash(path: string): string {
  return path === "/" ? path : path.replace(/\/$/, "");
}

/** The header `Location` of a redirect. */
export function locationOf({ target, fragment, keepsQuery }: Redirect, query: string): string {
  return target + (keepsQuery && query !== "?" ? query : "") + fragment;
}
