import { escaped, type CaddyHandler, type Matcher, type CaddyRoute } from "#agent/ingress/caddy/route.ts";
import { headerPattern, headersFor } from "#agent/ingress/custom-headers.ts";
import { fillIn, namesIn } from "#build/site-rules/path-pattern.ts";
import type { HeaderRule } from "#build/site-rules/rule-schemas.ts";

const variable = (rule: number) => `headers_${rule}`;
/** Whether a rule has set a header that several rules set. */
const isSet = (name: string) => `header_${name}`;
const OWN_CACHING = "own_caching";

/** Matches if a rule says how the answer is cached. */
export const setsCaching: Matcher = { vars: { [OWN_CACHING]: ["yes"] } };

/**
 * How Caddy changes headers, as `findHeaders` does. `decide` finds the rules for the path of the request, before a page or
 * a redirect changes it.
 */
export type HeaderRoutes = {
  readonly decide: readonly CaddyRoute[];
  readonly apply: (isFound: boolean) => readonly CaddyRoute[];
};

export function headerRoutes(rules: readonly HeaderRule[]): HeaderRoutes {
  const counts = new Map<string, number>();
  for (const { set } of rules) for (const [name] of set) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isShared = (name: string) => (counts.get(name) ?? 0) > 1;
  return {
    decide: rules.map((rule, at) => ({
      match: [
        {
          ...(rule.host === undefined ? {} : { host: [rule.host] }),
          path_regexp: { name: variable(at), pattern: headerPattern(rule) },
        },
      ],
      handle: [{ handler: "vars", [variable(at)]: "yes" }],
    })),
    apply: (isFound) => rules.flatMap((rule, at) => applyRule(rule, at, isFound, isShared)),
  };
}

function applyRule(
  rule: HeaderRule,
  at: number,
  isFound: boolean,
  isShared: (name: string) => boolean,
): CaddyRoute[] {
  const { set, unset } = headersFor(rule, isFound);
  const caching = [...unset, ...set.map(([name]) => name)].includes("cache-control");
  const valueOf = (template: string) =>
    fillIn(escaped(template), namesIn(rule.from), (group) => `{http.regexp.${variable(at)}.${group}}`);
  const alone = set.filter(([name]) => !isShared(name));
  const shared = set.filter(([name]) => isShared(name));
  const flags = {
    ...Object.fromEntries(unset.filter(isShared).map((name) => [isSet(name), ""])),
    ...(caching ? { [OWN_CACHING]: "yes" } : {}),
  };
  const handle: CaddyHandler[] = [
    ...(unset.length === 0 ? [] : [change({ delete: unset })]),
    ...(Object.keys(flags).length === 0 ? [] : [{ handler: "vars", ...flags }]),
    ...(alone.length === 0 ? [] : [change({ set: valuesOf(alone, valueOf) })]),
    ...shared.map(([name, template]) => joinTo(name, valueOf(template))),
  ];
  if (handle.length === 0) return [];
  return [{ match: [{ vars: { [variable(at)]: ["yes"] } }], handle }];
}

/** Adds a value to the value of earlier rules, or replaces the value that the web server sets. */
function joinTo(name: string, text: string): CaddyHandler {
  const earlier = { vars: { [isSet(name)]: ["yes"] } };
  return {
    handler: "subroute",
    routes: [
      {
        match: [earlier],
        handle: [change({ set: { [name]: [`{http.response.header.${name}}, ${text}`] } })],
      },
      { match: [{ not: [earlier] }], handle: [change({ set: { [name]: [text] } })] },
      { handle: [{ handler: "vars", [isSet(name)]: "yes" }] },
    ],
  };
}

function valuesOf(set: readonly (readonly [string, string])[], valueOf: (template: string) => string) {
  return Object.fromEntries(set.map(([name, template]) => [name, [valueOf(template)]]));
}

function change(operations: object): CaddyHandler {
  return { handler: "headers", response: operations };
}
