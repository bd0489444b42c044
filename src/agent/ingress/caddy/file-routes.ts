import {
  HASHED_FOLDERS,
  IMMUTABLE,
  LOWER_CASE_NAME,
  REVALIDATE,
  VITE_FILES,
} from "#agent/ingress/caching.ts";
import {
  answer,
  compress,
  contentOf,
  escaped,
  type Handler,
  hasFile,
  type Matcher,
  type Route,
  setHeaders,
} from "#agent/ingress/caddy/route.ts";
import { pageOf } from "#agent/ingress/page.ts";
import type { slotFiles } from "#agent/ingress/slots.ts";

const ROOT = "{http.vars.root}";
const RELEASE = "{gantry_release}";

/** Every part of the path begins with another character than a dot, or is `.well-known`. */
const VISIBLE_PATH = String.raw`^(?:/+(?:\.well-known|[^./][^/]*)?)*$`;

const matching = ({ source }: RegExp): Matcher => ({ path_regexp: { pattern: source } });
const immutablePaths: readonly Matcher[] = [
  matching(HASHED_FOLDERS),
  { ...matching(VITE_FILES), not: [matching(LOWER_CASE_NAME)] },
];

/**
 * How Caddy serves the files of a release, as the site server does (`src/agent/sites`).
 * @param fallbackRoot the folder to serve while the slot is empty: after a reboot, until the agent has started
 * @param hidden names of files and folders that are not served, at any depth; `*` stands for any text
 */
export function fileRoutes(
  files: ReturnType<typeof slotFiles>,
  fallbackRoot: string,
  { hidden }: { readonly hidden: readonly string[] },
): Route[] {
  return [
    { handle: [{ handler: "vars", root: escaped(fallbackRoot) }] },
    {
      match: [hasFile(files.folder, "root")],
      handle: [{ handler: "vars", root: contentOf(files.root) }],
    },
    {
      handle: [
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
    {
      match: [{ not: [{ method: ["GET", "HEAD"] }] }],
      handle: answer(405, pageOf("Method not allowed", "A static site only supports GET and HEAD."), {
        Allow: "GET, HEAD",
      }),
      terminal: true,
    },
    { handle: [compress] },
    { match: immutablePaths, handle: [cacheForever] },
    {
      match: [{ path_regexp: { pattern: VISIBLE_PATH } }],
      handle: [
        releaseTags,
        {
          handler: "file_server",
          root: ROOT,
          index_names: ["index.html"],
          ...(hidden.length === 0 ? {} : { hide: hidden }),
          pass_thru: true,
        },
      ],
    },
    {
      match: [{ file: { root: ROOT, try_files: ["/404.html"] } }],
      handle: [
        unconditional,
        { handler: "rewrite", uri: "/404.html" },
        { handler: "file_server", root: ROOT, canonical_uris: false, status_code: "404" },
      ],
      terminal: true,
    },
    { handle: answer(404, pageOf("Not found", "This page does not exist.")) },
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

/** The page for missing files is always sent completely: its ETag and date say nothing about the missing file. */
const unconditional: Handler = {
  handler: "headers",
  request: {
    delete: ["If-None-Match", "If-Match", "If-Range", "If-Modified-Since", "If-Unmodified-Since", "Range"],
  },
  response: { deferred: true, delete: ["Etag", "Last-Modified", "Accept-Ranges"] },
};
