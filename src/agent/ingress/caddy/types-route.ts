import { type CaddyHandler, type Matcher, type CaddyRoute, setHeaders } from "#agent/ingress/caddy/route.ts";
import { contentTypes } from "#agent/ingress/content-types.ts";
import { acceptsCoding, type Coding, codings, packedNames } from "#agent/ingress/packed-files.ts";

/** The name of the route that sets the type of a file. */
export const TYPES = "types";

const TYPE = "{gantry_type}";

/** The coding of the file that answers for a path without one. */
const CODING = "coding";

const ofPath: readonly CaddyHandler[] = [
  {
    handler: "map",
    source: "{http.request.uri.path}",
    destinations: [TYPE],
    mappings: contentTypes.map(({ type, path }) => ({ input_regexp: `(?i)${path}`, outputs: [type] })),
    defaults: [""],
  },
  {
    handler: "subroute",
    routes: [
      {
        match: [{ not: [{ vars: { [TYPE]: [""] } }] }],
        handle: [{ handler: "headers", response: { set: { "Content-Type": [TYPE] } } }],
      },
    ],
  },
];

const ignoringCase = ({ source }: RegExp) => `(?i)${source}`;

/** Whether the client unpacks files of this coding. */
export function accepts(coding: Coding): Matcher {
  return { header_regexp: { "Accept-Encoding": { pattern: ignoringCase(acceptsCoding(coding)) } } };
}

/** Shows a packed file as the file that it contains. @param serve serves the file of the path */
export function unpacked({ name, ending }: Coding, serve: readonly CaddyHandler[]): readonly CaddyHandler[] {
  return [
    { handler: "vars", [CODING]: name },
    { handler: "rewrite", uri: `{http.request.uri.path}${ending}` },
    ...serve,
  ];
}

function packedRoutes(coding: Coding): CaddyRoute[] {
  const { name, ending } = coding;
  const named: Matcher = { path_regexp: { pattern: ignoringCase(packedNames[name]) } };
  const vary = { handler: "headers", response: { add: { Vary: ["Accept-Encoding"] } } };
  return [
    {
      group: TYPES,
      match: [{ vars: { [CODING]: [name] } }, { ...named, ...accepts(coding) }],
      handle: [
        { handler: "rewrite", strip_path_suffix: ending },
        ...ofPath,
        { handler: "rewrite", uri: `{http.request.uri.path}${ending}` },
        setHeaders({ "Content-Encoding": name }),
        vary,
      ],
    },
    {
      group: TYPES,
      match: [named],
      handle: [setHeaders({ "Content-Type": "application/octet-stream" }), vary],
    },
  ];
}

/**
 * Sets the type of the file at the path. Caddy's own types depend on the packages that the server has installed. A
 * compressed file has the type of its content, if the client decompresses it.
 */
export const typesRoute: CaddyRoute = {
  handle: [
    {
      handler: "subroute",
      routes: [...codings.flatMap(packedRoutes), { group: TYPES, handle: ofPath }],
    },
  ],
};

export const setType: CaddyHandler = { handler: "invoke", name: TYPES };
