import { insidePath } from "#project-files/frameworks/inside-path.ts";

/** Packages that answer requests, and are used for nothing else. */
const serverPackages = [
  ...[
    "express",
    "hono",
    "fastify",
    "koa",
    "polka",
    "restify",
    "@hapi/hapi",
    "h3",
    "micro",
    "sails",
    "@adonisjs/core",
  ],
  ...["@feathersjs/express", "@feathersjs/koa", "@apollo/server", "apollo-server", "apollo-server-express"],
  ...[
    "graphql-yoga",
    "@nestjs/core",
    "@hono/node-server",
    "socket.io",
    "ws",
    "elysia",
    "@trpc/server",
    "json-server",
  ],
  ...[
    "hyper-express",
    "uWebSockets.js",
    "total.js",
    "@loopback/rest",
    "moleculer-web",
    "itty-router",
    "srvx",
  ],
];

/** The files that a Node app usually begins with. */
const usualFiles = ["server", "index", "app", "main"].flatMap((name) => [
  `${name}.js`,
  `${name}.mjs`,
  `${name}.cjs`,
]);

/** The files that `findNodeEntry` looks for below the top. @param main `main` of package.json */
export function deepNodeEntries(files: ReadonlySet<string>, main: unknown): readonly string[] {
  const inSource = ["src", "server"].filter((folder) => files.has(folder));
  const named = typeof main === "string" ? insidePath(main) : null;
  return [
    ...(named?.includes("/") === true ? [named] : []),
    ...inSource.flatMap((folder) => usualFiles.map((name) => `${folder}/${name}`)),
  ];
}

/** The package of a Node project that answers requests; null if it has none that is known. */
export function serverPackage(packages: ReadonlySet<string>): string | null {
  return serverPackages.find((name) => packages.has(name)) ?? null;
}

/** Build tools write into these folders. */
const built = /^(?:dist|build|lib|out)\//;

/**
 * The file that a Node app begins with, if no script starts it: server.js, as for `npm start`, or for a project with a
 * server package `main` of package.json and the usual files.
 * @param hasBuild whether a script builds the project, so that `main` may not exist before
 */
export function findNodeEntry(
  files: ReadonlySet<string>,
  {
    main,
    hasServer,
    hasBuild,
  }: { readonly main: unknown; readonly hasServer: boolean; readonly hasBuild: boolean },
): string | null {
  if (files.has("server.js")) return "server.js";
  if (!hasServer) return null;
  const named = typeof main === "string" ? insidePath(/\.[cm]?js$/.test(main) ? main : `${main}.js`) : null;
  const exists = (path: string) => files.has(path) || (hasBuild && path === named && built.test(path));
  const places = ["", "src/", "server/"].flatMap((folder) => usualFiles.map((name) => `${folder}${name}`));
  const found = [...(named === null ? [] : [named]), ...places].find(exists) ?? null;
  return found !== null && /^[\w./-]+$/.test(found) ? found : null;
}
