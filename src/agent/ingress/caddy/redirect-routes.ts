import type { CaddyHandler, Matcher, CaddyRoute } from "#agent/ingress/caddy/route.ts";
import {
  findRedirect,
  hostsWithOwnRules,
  parameterPattern,
  pathThatLoops,
  type Redirect,
  redirectsOn,
  redirectTo,
} from "#agent/ingress/redirects.ts";
import { REVALIDATE } from "#agent/ingress/caching.ts";
import { fillIn, namesIn } from "#build/site-rules/path-pattern.ts";
import { redirectPattern } from "#build/site-rules/parse-redirects.ts";
import { isShown, type RedirectRule } from "#build/site-rules/rule-schemas.ts";

// A value that comes from a visitor must not be expanded twice, or a path such as /{env.SECRET} would show a variable of
// Caddy. Caddy before 2.11.2 does that in `vars_regexp`, so it is not used here. A `map` and `vars` expand once.

/** What the rules decide about a request, in variables of Caddy. */
const KIND = "redirect";
const TARGET = "redirect_target";
const FRAGMENT = "redirect_fragment";
const QUERY = "asked_query";
const value = (variable: string) => `{http.vars.${variable}}`;

/** `decide` comes first. `forced` is before the search for a file, and `others` after it. */
export type RedirectRoutes = {
  readonly decide: readonly CaddyRoute[];
  readonly forced: readonly CaddyRoute[];
  readonly others: readonly CaddyRoute[];
  /** Matches if a rule shows a page of the site at another address. */
  readonly isShown: Matcher | null;
};

/**
 * How Caddy applies a site's redirects, as `findRedirect` does. The path of the request is normalized.
 * @param show the routes that serve the page of the path, with a status other than 200
 */
export function redirectRoutes(
  rules: readonly RedirectRule[],
  show: (status: 404 | 410 | null) => readonly CaddyRoute[],
): RedirectRoutes {
  if (rules.length === 0) return { decide: [], forced: [], others: [], isShown: null };
  const hosts = hostsWithOwnRules(rules);
  const compiler = new RedirectCompiler();
  const decide: CaddyRoute[] = [
    { handle: readUri },
    ...hosts.map((host) => ({
      match: [{ host: [host] }],
      handle: [subroute(compiler.decide(redirectsOn(rules, host)))],
    })),
    {
      ...(hosts.length === 0 ? {} : { match: [{ not: [{ host: hosts }] }] }),
      // No host is empty.
      handle: [subroute(compiler.decide(redirectsOn(rules, "")))],
    },
  ];
  const kinds = [...compiler.kinds.values()];
  const routes = (force: boolean) =>
    kinds.filter((redirect) => redirect.force === force).map((redirect) => applyRoute(redirect, show));
  const shown = kinds.filter(({ status }) => isShown(status)).map(kindOf);
  return {
    decide,
    forced: routes(true),
    others: routes(false),
    isShown: shown.length === 0 ? null : isKind(...shown),
  };
}

/** Stores the path and the query of the request, because pages and rules change them. */
const readUri: readonly CaddyHandler[] = [
  {
    handler: "map",
    source: "{http.request.uri}",
    destinations: ["{gantry_asked}", "{gantry_asked_query}"],
    mappings: [{ input_regexp: String.raw`^(/[^?]*)(\?.+)?\??$`, outputs: ["${1}", "${2}"] }],
    defaults: ["", ""],
  },
  { handler: "vars", [QUERY]: "{gantry_asked_query}" },
];

/** What a redirect does apart from where it leads. */
function kindOf({ status, force, keepsQuery }: Pick<Redirect, "status" | "force" | "keepsQuery">): string {
  return `${status}${force ? "!" : ""}${keepsQuery ? "?" : ""}`;
}

const isKind = (...kinds: readonly string[]): Matcher => ({ vars: { [KIND]: kinds } });

class RedirectCompiler {
  readonly kinds = new Map<string, Redirect>();
  /** The first placeholder of a name wins in Caddy, so each has a number. */
  #placeholders = 0;

  /** Stores what the first rule that matches does. */
  decide(rules: readonly RedirectRule[]): CaddyRoute[] {
    const routes: CaddyRoute[] = [];
    let run: RedirectRule[] = [];
    const endRun = () => {
      if (run.length > 0) routes.push(this.#byPath(run));
      run = [];
    };
    for (const rule of rules) {
      if (rule.query === undefined) run.push(rule);
      else {
        endRun();
        routes.push(this.#byQuery(rule, rule.query));
      }
    }
    endRun();
    return routes;
  }

  #placeholder(): string {
    this.#placeholders += 1;
    return `{gantry_redirect_${this.#placeholders}}`;
  }

  #kind(redirect: Redirect): string {
    const kind = kindOf(redirect);
    this.kinds.set(kind, redirect);
    return kind;
  }

  /** All in one table, which Caddy searches in the order of the rules. */
  #byPath(rules: readonly RedirectRule[]): CaddyRoute {
    const destinations = [this.#placeholder(), this.#placeholder(), this.#placeholder()];
    const [kind = "", target = "", fragment = ""] = destinations;
    // Caddy refuses a table with two equal inputs. Only the first would count.
    const mappings = new Map<string, CaddyHandler | object>();
    const add = (input: object, redirect: Redirect | null) => {
      const key = JSON.stringify(input);
      if (mappings.has(key)) return;
      const outputs =
        redirect === null ? ["", "", ""] : [this.#kind(redirect), redirect.target, redirect.fragment];
      mappings.set(key, { ...input, outputs });
    };
    for (const [index, rule] of rules.entries()) {
      if (namesIn(rule.from).length === 0) {
        for (const input of spellings(rule.from))
          add(
            { input },
            redirectTo(rule, (text) => text),
          );
        continue;
      }
      const loop = pathThatLoops(rule);
      if (loop !== null)
        for (const input of spellings(loop))
          add({ input }, findRedirect(rules.slice(index + 1), { host: "", path: input, query: "" }));
      const names = namesIn(rule.from);
      const groups = (text: string) => fillIn(text.replaceAll("$", "$$$$"), names, (group) => `\${${group}}`);
      add({ input_regexp: redirectPattern(rule) }, redirectTo(rule, groups));
    }
    return {
      match: [isKind("")],
      handle: [
        {
          handler: "map",
          source: "{gantry_asked}",
          destinations,
          mappings: [...mappings.values()],
          defaults: ["", "", ""],
        },
        { handler: "vars", [KIND]: kind, [TARGET]: target, [FRAGMENT]: fragment },
      ],
    };
  }

  /** A rule that needs parameters. The parts of the path and of each parameter that it uses must not be empty. */
  #byQuery(rule: RedirectRule, query: readonly (readonly [string, string])[]): CaddyRoute {
    const inPath = namesIn(rule.from);
    const matched = this.#placeholder();
    const groups = inPath.map(() => this.#placeholder());
    const parameters = query.map(([name, wanted]) => ({ name, wanted, placeholder: this.#placeholder() }));
    const captured = parameters.filter(({ wanted }) => wanted.startsWith(":"));
    const names = [...inPath, ...captured.map(({ wanted }) => wanted.slice(1))];
    const placeholders = [...groups, ...captured.map(({ placeholder }) => placeholder)];
    const redirect = redirectTo(rule, (text) =>
      fillIn(text, names, (group) => placeholders[group - 1] ?? ""),
    );
    const needed = [matched, ...parameters.map(({ placeholder }) => placeholder)];
    return {
      match: [isKind("")],
      handle: [
        {
          handler: "map",
          source: "{gantry_asked}",
          destinations: [matched, ...groups],
          mappings: [
            {
              input_regexp: redirectPattern(rule),
              outputs: ["yes", ...groups.map((_, at) => `\${${at + 1}}`)],
            },
          ],
          defaults: ["", ...groups.map(() => "")],
        },
        ...parameters.map(({ name, wanted, placeholder }) => ({
          handler: "map",
          source: "{http.request.uri.query}",
          destinations: [placeholder],
          mappings: [
            {
              input_regexp: parameterPattern(name, wanted),
              outputs: [wanted.startsWith(":") ? "${1}" : "yes"],
            },
          ],
          defaults: [""],
        })),
        subroute([
          {
            match: [{ not: [{ vars: Object.fromEntries(needed.map((one) => [one, [""]])) }] }],
            handle: [
              {
                handler: "vars",
                [KIND]: this.#kind(redirect),
                [TARGET]: redirect.target,
                [FRAGMENT]: redirect.fragment,
              },
            ],
          },
        ]),
      ],
    };
  }
}

/** The two paths for which a rule without placeholders is. */
function spellings(path: string): readonly string[] {
  return path === "/" ? [path] : [path, `${path}/`];
}

function applyRoute(
  redirect: Redirect,
  show: (status: 404 | 410 | null) => readonly CaddyRoute[],
): CaddyRoute {
  const { status, keepsQuery } = redirect;
  const match = isKind(kindOf(redirect));
  if (status === 200 || status === 404 || status === 410)
    return {
      match: [{ ...match, method: ["GET", "HEAD"] }],
      handle: [{ handler: "rewrite", uri: value(TARGET) }, subroute(show(status === 200 ? null : status))],
    };
  const location = value(TARGET) + (keepsQuery ? value(QUERY) : "") + value(FRAGMENT);
  return {
    match: [match],
    handle: [
      {
        handler: "static_response",
        status_code: status,
        // The next release may have another rule.
        headers: { Location: [location], "Cache-Control": [REVALIDATE] },
      },
    ],
    terminal: true,
  };
}

function subroute(routes: readonly CaddyRoute[]): CaddyHandler {
  return { handler: "subroute", routes };
}
