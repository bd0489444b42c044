import { HASHED_FOLDERS, IMMUTABLE, LOWER_CASE_NAME, PAGE_NAME, VITE_FILES } from "#agent/ingress/caching.ts";
import { earlierRoutes } from "#agent/ingress/caddy/earlier-routes.ts";
import { headerRoutes, setsCaching } from "#agent/ingress/caddy/header-routes.ts";
import { setType } from "#agent/ingress/caddy/types-route.ts";
import { pageRoutes } from "#agent/ingress/caddy/page-routes.ts";
import { redirectRoutes } from "#agent/ingress/caddy/redirect-routes.ts";
import {
  answer,
  escaped,
  type CaddyHandler,
  hasAnyFile,
  type Matcher,
  matching,
  RELEASE,
  ROOT,
  VISIBLE_PATH,
  type CaddyRoute,
} from "#agent/ingress/caddy/route.ts";
import { ACCEPTS_PAGE, encodedPath, FILE_NAME, WELL_KNOWN } from "#agent/ingress/fallback.ts";
import { pageOf } from "#agent/ingress/page.ts";
import type { SiteFile } from "#agent/ingress/site-file.ts";
import { DEFAULT_RULES, defaultRules, type SiteRules } from "#agent/workspace/site-rules.ts";
import { HIDDEN_PATH, ruleFiles } from "#build/site-rules/source-files.ts";

/** The name of the route that answers by these rules. All sites with equal rules share it. */
export function rulesName(id: string, showsSources: boolean): string {
  return showsSources ? `${id}-sources` : id;
}

/** The routes for the rules of these sites, by their names. */
export function rulesRoutes(contents: readonly SiteFile["content"][]): Record<string, CaddyRoute> {
  const routes = new Map<string, CaddyRoute>();
  for (const content of contents) {
    if (content.kind !== "files") continue;
    const showsSources = content.sources === true;
    for (const [id, rules] of [
      [DEFAULT_RULES, defaultRules] as const,
      ...Object.entries(content.rule_sets ?? {}),
    ])
      if (!routes.has(rulesName(id, showsSources)))
        for (const [name, route] of rulesRoute(rules, rulesName(id, showsSources), showsSources))
          routes.set(name, route);
  }
  return Object.fromEntries([...routes].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const immutablePaths: readonly (Matcher & { readonly not: readonly Matcher[] })[] = [
  { ...matching(HASHED_FOLDERS), not: [matching(PAGE_NAME)] },
  { ...matching(VITE_FILES), not: [matching(LOWER_CASE_NAME), matching(PAGE_NAME)] },
];

/** Without what a rule says how to cache. */
function unlessSet<Set extends { readonly not: readonly Matcher[] }>(match: Set): Set {
  return { ...match, not: [...match.not, setsCaching] };
}

/**
 * Answers by these rules, or continues if nothing is found. With a second route for their headers, because a page can be
 * found in many ways.
 */
function rulesRoute(
  rules: SiteRules,
  name: string,
  showsSources: boolean,
): (readonly [string, CaddyRoute])[] {
  const isVisible = visible(showsSources);
  const headers = headerRoutes(rules.headers ?? []);
  const ofFiles = { name: `${name}-headers`, handle: subroute(headers.apply(true)) };
  const setHeaders: readonly CaddyHandler[] =
    ofFiles.handle.length === 0 ? [] : [{ handler: "invoke", name: ofFiles.name }];
  const immutable = ofFiles.handle.length === 0 ? immutablePaths : immutablePaths.map(unlessSet);
  const keep = subroute([{ match: immutable, handle: [cacheForever] }]);
  const serve: readonly CaddyHandler[] = [setType, ...setHeaders, ...keep, releaseTags, fileServer];
  // The address has no hash, whatever the name of the file is.
  const serveElsewhere: readonly CaddyHandler[] = [setType, ...setHeaders, releaseTags, fileServer];
  const show = (status: 404 | 410 | null): CaddyRoute[] => {
    const handle =
      status === null
        ? serveElsewhere
        : [
            setType,
            ...subroute(headers.apply(false)),
            unconditional,
            { ...fileServer, status_code: `${status}` },
          ];
    return [{ match: [isVisible], handle: subroute(pageRoutes("ignore", handle)) }];
  };
  const redirects = redirectRoutes(rules.redirects ?? [], show);
  const isShown = redirects.isShown === null ? [] : [redirects.isShown];
  const route: CaddyRoute = {
    handle: subroute([
      ...redirects.decide,
      ...headers.decide,
      ...redirects.forced,
      { match: [{ ...isVisible, ...READS }], handle: subroute(pageRoutes(rules.trailing_slash, serve)) },
      // A rule such as /* for missing pages must not answer for the scripts of an older page.
      ...(redirects.others.length === 0 ? [] : earlierRoutes("{http.vars.assets}", (found) => found)),
      ...redirects.others,
      {
        match: [{ not: [READS] }],
        handle: answer(405, pageOf("Method not allowed", "A static site only supports GET and HEAD."), {
          Allow: "GET, HEAD",
        }),
        terminal: true,
      },
      ...(rules.fallback === null
        ? []
        : [
            {
              match: [{ ...isVisible, not: [...isVisible.not, ...isShown] }],
              handle: subroute(fallbackRoutes(rules.fallback, serveElsewhere)),
            },
          ]),
      ...headers.apply(false),
    ]),
  };
  return [
    [name, route],
    ...(ofFiles.handle.length === 0 ? [] : [[ofFiles.name, { handle: ofFiles.handle }] as const]),
  ];
}

const READS: Matcher = { method: ["GET", "HEAD"] };

function visible(showsSources: boolean): { path_regexp: object; not: readonly Matcher[] } {
  return {
    path_regexp: { pattern: VISIBLE_PATH },
    not: [
      { path_regexp: { pattern: `^/(?:${ruleFiles.join("|")})/?$` } },
      ...(showsSources ? [matching(HIDDEN_PATH)] : []),
    ],
  };
}

function subroute(routes: readonly CaddyRoute[]): readonly CaddyHandler[] {
  return routes.length === 0 ? [] : [{ handler: "subroute", routes }];
}

/** Answers with a page's file for what a browser can navigate to. */
function fallbackRoutes(fallback: string, serve: readonly CaddyHandler[]): CaddyRoute[] {
  const page = { not: [matching(FILE_NAME), matching(WELL_KNOWN)], ...hasAnyFile(`/${escaped(fallback)}`) };
  return [
    {
      match: [
        { ...page, header: { Accept: null } },
        { ...page, header_regexp: { Accept: { pattern: ACCEPTS_PAGE.source } } },
      ],
      handle: [{ handler: "rewrite", uri: `/${encodedPath(fallback)}` }, ...serve],
      terminal: true,
    },
  ];
}

/** Only for a file that exists: a missing file may be in the next release. */
const cacheForever: CaddyHandler = {
  handler: "headers",
  response: {
    deferred: true,
    require: { status_code: [200, 206, 304] },
    set: { "Cache-Control": [IMMUTABLE] },
  },
};

/**
 * Puts the release into the ETag and removes Last-Modified, because exported files can have equal sizes and times in two
 * releases, and a rollback makes files older.
 */
const releaseTags: CaddyHandler = {
  handler: "headers",
  request: {
    replace: Object.fromEntries(
      ["If-None-Match", "If-Match", "If-Range"].map((name) => [
        name,
        [{ search: `"${RELEASE}-`, replace: '"' }],
      ]),
    ),
    delete: ["If-Modified-Since", "If-Unmodified-Since"],
  },
  response: {
    deferred: true,
    replace: { Etag: [{ search_regexp: '^"', replace: `"${RELEASE}-` }] },
    delete: ["Last-Modified"],
  },
};

/** Serves the file of the path. */
const fileServer: CaddyHandler = { handler: "file_server", root: ROOT, canonical_uris: false };

/** The page for missing files is always sent completely: its ETag and date say nothing about the missing file. */
export const unconditional: CaddyHandler = {
  handler: "headers",
  request: {
    delete: ["If-None-Match", "If-Match", "If-Range", "If-Modified-Since", "If-Unmodified-Since", "Range"],
  },
  response: { deferred: true, delete: ["Etag", "Last-Modified", "Accept-Ranges"] },
};
