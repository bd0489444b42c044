import { HASHED_FOLDERS, IMMUTABLE, LOWER_CASE_NAME, PAGE_NAME, VITE_FILES } from "#agent/ingress/caching.ts";
import { setType } from "#agent/ingress/caddy/types-route.ts";
import { pageRoutes } from "#agent/ingress/caddy/page-routes.ts";
import {
  escaped,
  type Handler,
  hasAnyFile,
  type Matcher,
  matching,
  RELEASE,
  ROOT,
  VISIBLE_PATH,
  type Route,
} from "#agent/ingress/caddy/route.ts";
import { ACCEPTS_PAGE, encodedPath, FILE_NAME, WELL_KNOWN } from "#agent/ingress/fallback.ts";
import type { SiteFile } from "#agent/ingress/site-file.ts";
import { DEFAULT_RULES, defaultRules, type SiteRules } from "#agent/ingress/site-rules.ts";
import { sourceFiles } from "#agent/ingress/source-files.ts";

/** The name of the route that answers by these rules. All sites with equal rules share it. */
export function rulesName(id: string, showsSources: boolean): string {
  return showsSources ? `${id}-sources` : id;
}

/** The routes for the rules of these sites, by their names. */
export function rulesRoutes(contents: readonly SiteFile["content"][]): Record<string, Route> {
  const routes = new Map<string, Route>();
  for (const content of contents) {
    if (content.kind !== "files") continue;
    const showsSources = content.sources === true;
    for (const [id, rules] of [
      [DEFAULT_RULES, defaultRules] as const,
      ...Object.entries(content.rule_sets ?? {}),
    ])
      if (!routes.has(rulesName(id, showsSources)))
        routes.set(rulesName(id, showsSources), rulesRoute(rules, showsSources));
  }
  return Object.fromEntries([...routes].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const immutablePaths: readonly Matcher[] = [
  { ...matching(HASHED_FOLDERS), not: [matching(PAGE_NAME)] },
  { ...matching(VITE_FILES), not: [matching(LOWER_CASE_NAME), matching(PAGE_NAME)] },
];

/** Answers by these rules, or continues if nothing is found. */
function rulesRoute(rules: SiteRules, showsSources: boolean): Route {
  const hidden = showsSources ? sourceFiles : [];
  const names = hidden.map((name) => name.replaceAll(".", String.raw`\.`)).join("|");
  const isVisible = {
    path_regexp: { pattern: VISIBLE_PATH },
    ...(names === "" ? {} : { not: [{ path_regexp: { pattern: `^/(?:${names})/?$` } }] }),
  };
  const serve: readonly Handler[] = [
    { handler: "subroute", routes: [{ match: immutablePaths, handle: [cacheForever] }] },
    ...serveFile,
  ];
  const pages = [...pageRoutes(rules.trailing_slash, serve), ...fallbackRoutes(rules.fallback)];
  return {
    handle: [
      {
        handler: "subroute",
        routes: [{ match: [isVisible], handle: [{ handler: "subroute", routes: pages }] }],
      },
    ],
  };
}

/** Answers with a page's file for what a browser can navigate to. */
function fallbackRoutes(fallback: string | null): Route[] {
  if (fallback === null) return [];
  const page = { not: [matching(FILE_NAME), matching(WELL_KNOWN)], ...hasAnyFile(`/${escaped(fallback)}`) };
  return [
    {
      match: [
        { ...page, header: { Accept: null } },
        { ...page, header_regexp: { Accept: { pattern: ACCEPTS_PAGE.source } } },
      ],
      handle: [{ handler: "rewrite", uri: `/${encodedPath(fallback)}` }, ...serveFile],
      terminal: true,
    },
  ];
}

/** Only for a file that exists: a missing file may be in the next release. */
const cacheForever: Handler = {
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
const releaseTags: Handler = {
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
const serveFile: readonly Handler[] = [
  setType,
  releaseTags,
  { handler: "file_server", root: ROOT, canonical_uris: false },
];
