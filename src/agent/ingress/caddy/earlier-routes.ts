import { IMMUTABLE } from "#agent/ingress/caching.ts";
import {
  type CaddyHandler,
  type Matcher,
  matching,
  type CaddyRoute,
  setHeaders,
  VISIBLE_PATH,
} from "#agent/ingress/caddy/route.ts";
import { setType } from "#agent/ingress/caddy/types-route.ts";
import { hashedNames } from "#agent/ingress/hashed-name.ts";

/** The release that has the file. */
const VERSION = "{gantry_earlier}";

/**
 * For files of earlier releases whose names have a hash, which a browser with an older page asks for. The agent keeps them
 * in a folder for each release, and Caddy looks into all of them.
 * @param answer what answers a request for a file that an earlier release has. Its argument sends this file
 */
export function earlierRoutes(
  assets: string,
  answer: (sendFile: readonly CaddyHandler[]) => readonly CaddyHandler[],
): CaddyRoute[] {
  const sendFile: readonly CaddyHandler[] = [
    {
      handler: "map",
      source: "{http.matchers.file.relative}",
      destinations: [VERSION],
      mappings: [{ input_regexp: "^/?([0-9]+)/", outputs: ["${1}"] }],
    },
    setHeaders({
      "X-Content-Type-Options": "nosniff",
      "Gantry-Release": VERSION,
      "Cache-Control": IMMUTABLE,
    }),
    setType,
    { handler: "file_server", root: `${assets}/${VERSION}`, canonical_uris: false },
  ];
  const isKept: Matcher = {
    path_regexp: { pattern: VISIBLE_PATH },
    file: { root: assets, try_files: ["/*{http.request.uri.path}"] },
  };
  return [
    {
      match: hashedNames.map(namedLike),
      handle: [
        { handler: "subroute", routes: [{ match: [isKept], handle: answer(sendFile), terminal: true }] },
      ],
    },
  ];
}

/** All of `has`, as a matcher takes only one pattern. */
function namedLike({ has: [first, ...others], not }: (typeof hashedNames)[number]): Matcher {
  const lacksOther = others.map((pattern) => ({ not: [matching(pattern)] }));
  return {
    method: ["GET", "HEAD"],
    ...(first === undefined ? {} : matching(first)),
    not: [...lacksOther, ...not.map(matching)],
  };
}
