import { basename, dirname } from "node:path";

import { REVALIDATE } from "#agent/ingress/caching.ts";
import { earlierRoutes } from "#agent/ingress/caddy/earlier-routes.ts";
import {
  answer,
  compress,
  contentOf,
  escaped,
  type CaddyHandler,
  hasAnyFile,
  hasFile,
  type Matcher,
  RELEASE,
  ROOT,
  type CaddyRoute,
  setHeaders,
} from "#agent/ingress/caddy/route.ts";
import { rulesName, unconditional } from "#agent/ingress/caddy/rules-route.ts";
import { setType } from "#agent/ingress/caddy/types-route.ts";
import { pageOf } from "#agent/ingress/page.ts";
import { DEFAULT_RULES, type RuleSets } from "#agent/workspace/site-rules.ts";
import { SERVED_PATTERN, type slotFiles } from "#agent/ingress/slots.ts";

/** The parts of what a site's slot says. */
const RULES = "{gantry_rules}";
const DOCUMENT_ROOT = "{gantry_root}";

/** What `site.json` says about the files of a project. */
export type ServedFiles = {
  /** The folder to serve while nothing says another one: before the first switch of this agent. */
  readonly fallbackRoot: string;
  /** As the slot `root`, but kept after a restart of the server. */
  readonly servedPath: string;
  /** Whether it is the folder with the sources. */
  readonly showsSources: boolean;
  readonly ruleSets: RuleSets;
  /** The folder with the files of earlier releases. */
  readonly assets: string;
};

/**
 * How Caddy serves the files of a release, as the site server does (`src/agent/sites`). The rules of each release that can
 * be switched to are here already, and the slot says which ones count.
 */
export function fileRoutes(files: ReturnType<typeof slotFiles>, served: ServedFiles): CaddyRoute[] {
  const others = Object.keys(served.ruleSets);
  const byRules = (match: Matcher, id: string): CaddyRoute => ({
    match: [match],
    handle: [{ handler: "invoke", name: rulesName(id, served.showsSources) }],
  });
  const slot = (value: string): CaddyHandler => ({ handler: "vars", served: value });
  return [
    {
      match: [hasFile(dirname(served.servedPath), basename(served.servedPath))],
      handle: [slot(contentOf(served.servedPath))],
    },
    { match: [hasFile(files.folder, "root")], handle: [slot(contentOf(files.root))] },
    {
      handle: [
        {
          handler: "map",
          source: "{http.vars.served}",
          destinations: [RULES, DOCUMENT_ROOT],
          mappings: [{ input_regexp: SERVED_PATTERN, outputs: ["${1}", "${2}"] }],
          // Also for a file that a power cut has emptied: without a root, Caddy would serve the folder that it runs in.
          defaults: [DEFAULT_RULES, escaped(served.fallbackRoot)],
        },
        { handler: "vars", root: DOCUMENT_ROOT, assets: escaped(served.assets) },
        {
          handler: "map",
          source: ROOT,
          destinations: [RELEASE],
          mappings: [{ input_regexp: "/releases/([0-9]+)(?:/|$)", outputs: ["${1}"] }],
          defaults: ["current"],
        },
        setHeaders({
          "X-Content-Type-Options": "nosniff",
          "Gantry-Release": RELEASE,
          "Cache-Control": REVALIDATE,
        }),
      ],
    },
    { handle: [compress, normalizePath] },
    ...others.map((id) => byRules({ vars: { [RULES]: [id] } }, id)),
    byRules(others.length === 0 ? {} : { not: [{ vars: { [RULES]: others } }] }, DEFAULT_RULES),
    ...earlierRoutes(served.assets, (found) => found),
    {
      match: [hasAnyFile("/404.html")],
      handle: [
        unconditional,
        { handler: "rewrite", uri: "/404.html" },
        setType,
        { handler: "file_server", root: ROOT, canonical_uris: false, status_code: "404" },
      ],
      terminal: true,
    },
    { handle: answer(404, pageOf("Not found", "This page does not exist.")) },
  ];
}

/** Has one spelling for each path: no needless encoding, and no empty parts. Keeps the query. */
const normalizePath: CaddyHandler = {
  handler: "rewrite",
  uri: "{http.request.uri.path}",
  path_regexp: [{ find: "/{2,}", replace: "/" }],
};
