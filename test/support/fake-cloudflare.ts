import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { DatabaseSync } from "node:sqlite";

import * as z from "zod";

import { listenLocally } from "./listen.ts";

/** The parts of a Cloudflare account that wrangler uses: databases in real SQLite, and the uploaded scripts. */
export type FakeCloudflare = {
  /** The environment that makes wrangler use this account. */
  readonly environment: Record<string, string>;
  /** The account's databases, by name. */
  readonly databases: ReadonlyMap<string, DatabaseSync>;
  readonly buckets: ReadonlySet<string>;
  /** Where the databases and buckets were created, and whether a database has replicas, by their names. */
  readonly places: ReadonlyMap<string, FakePlace>;
  /** The metadata of each upload of a script. */
  readonly uploads: readonly unknown[];
  /** Each request, without the account, such as `GET /d1/database`, in order. */
  readonly requests: readonly string[];
  /**
   * The answer to every request from now on, as for a token without permissions. `null`: normal answers.
   * @param route only to requests that begin with this, such as `PUT /d1/database`
   */
  refuse(problem: { readonly code: number; readonly message: string } | null, route?: string): void;
  close(): Promise<void>;
};

export type FakePlace = {
  readonly location: string | null;
  readonly jurisdiction: string | null;
  readonly replicas: string;
};

const ACCOUNT = "0123456789abcdef0123456789abcdef";
const API = `/client/v4/accounts/${ACCOUNT}`;

const Query = z.object({ sql: z.string() });
const Named = z.object({ name: z.string() });
const Placed = z.object({
  primary_location_hint: z.string().nullable().default(null),
  locationHint: z.string().nullable().default(null),
  jurisdiction: z.string().nullable().default(null),
});
const Replicated = z.object({ read_replication: z.object({ mode: z.string() }) });

const nowhere: FakePlace = { location: null, jurisdiction: null, replicas: "disabled" };

type Answer = { readonly status?: number; readonly result?: unknown; readonly errors?: unknown[] };

const missing = (message: string, code = 7404): Answer => ({ status: 404, errors: [{ code, message }] });

/** Answers to other requests of wrangler, which the tests do not check. */
const fixed = new Map<string, unknown>([
  [
    "GET /workers/services/gantry",
    { default_environment: { script: { tag: "tag", last_deployed_from: "wrangler" } } },
  ],
  ["GET /workers/scripts/gantry/secrets", []],
  ["GET /workers/subdomain", { subdomain: "team" }],
  [
    "GET /workers/workers/gantry",
    { id: "gantry", name: "gantry", subdomain: { enabled: true, previews_enabled: false } },
  ],
  ["GET /workers/scripts/gantry/subdomain", { enabled: true, previews_enabled: false }],
  ["POST /workers/scripts/gantry/subdomain", { enabled: true, previews_enabled: false }],
  ["PUT /workers/scripts/gantry/schedules", { schedules: [] }],
  ["GET /workers/scripts/gantry/settings", { bindings: [], migration_tag: "v1" }],
  ["GET /workers/scripts", [{ id: "gantry", migration_tag: "v1" }]],
  ["POST /workers/scripts/gantry/assets-upload-session", { jwt: "everything is there", buckets: [] }],
  ["PUT /workers/scripts/gantry/domains/records", []],
  [
    "POST /workers/scripts/gantry/domains/changeset",
    { added: [], removed: [], updated: [], conflicting: [] },
  ],
  ["GET /workers/scripts/gantry/deployments", { deployments: [] }],
  ["POST /workers/scripts/gantry/deployments", {}],
]);

export async function startFakeCloudflare(): Promise<FakeCloudflare> {
  const databases = new Map<string, DatabaseSync>();
  const buckets = new Set<string>();
  const uploads: unknown[] = [];
  const requests: string[] = [];
  const places = new Map<string, FakePlace>();
  let refusal: { code: number; message: string } | null = null;
  let refusedRoute = "";
  const idOf = (name: string) => Buffer.from(name.padEnd(16, "-")).toString("hex");
  const describe = (name: string) => ({ uuid: idOf(name), name, version: "production" });
  const details = (name: string) => {
    const { location, jurisdiction, replicas } = places.get(name) ?? nowhere;
    return {
      ...describe(name),
      jurisdiction,
      running_in_region: location?.toUpperCase() ?? null,
      read_replication: { mode: replicas },
    };
  };

  async function answer(request: IncomingMessage, path: string): Promise<Answer> {
    const body = await buffer(request);
    const json = () => JSON.parse(body.toString());
    const route = `${request.method} ${path}`;
    requests.push(route);
    if (refusal !== null && route.startsWith(refusedRoute)) return { status: 403, errors: [refusal] };
    const [, , , name = "", action] = path.split("/");
    if (route === "GET /d1/database") return { result: [...databases.keys()].map(describe) };
    if (route === "POST /d1/database") {
      const made = Named.parse(json()).name;
      databases.set(made, new DatabaseSync(":memory:"));
      const { primary_location_hint: location, jurisdiction } = Placed.parse(json());
      places.set(made, { location, jurisdiction, replicas: "disabled" });
      return { result: describe(made) };
    }
    if (path.includes("/d1/database/")) {
      const found = [...databases.keys()].find((known) => known === name || idOf(known) === name);
      if (found === undefined) return missing(`no database ${name}`);
      if (request.method === "PUT") {
        const { mode } = Replicated.parse(json()).read_replication;
        places.set(found, { ...(places.get(found) ?? nowhere), replicas: mode });
      }
      if (action !== "query") return { result: details(found) };
      const database = databases.get(found);
      return { result: statementsOf(Query.parse(json()).sql).map((sql) => run(database, sql)) };
    }
    if (route === "GET /r2/buckets")
      return { result: { buckets: [...buckets].map((bucket) => ({ name: bucket })) } };
    if (route === "POST /r2/buckets") {
      const made = Named.parse(json()).name;
      if (buckets.has(made)) return { status: 409, errors: [{ code: 10004, message: "it exists" }] };
      buckets.add(made);
      const jurisdiction = String(request.headers["cf-r2-jurisdiction"] ?? "");
      const { locationHint } = Placed.parse(json());
      places.set(made, { ...nowhere, location: locationHint, jurisdiction: jurisdiction || null });
      return { result: {} };
    }
    if (path.includes("/r2/buckets/"))
      return buckets.has(name) ? { result: { name } } : missing(`no bucket ${name}`, 10006);
    if (route === "PUT /workers/scripts/gantry") {
      const form = await new Response(body, {
        headers: { "content-type": request.headers["content-type"] ?? "" },
      }).formData();
      const metadata = form.get("metadata");
      uploads.push(typeof metadata === "string" ? JSON.parse(metadata) : null);
      return { result: { id: "gantry", tag: "tag", deployment_id: "deployment", startup_time_ms: 9 } };
    }
    if (route.startsWith("GET /workers/services/gantry") && uploads.length === 0)
      return missing("This Worker does not exist", 10090);
    if (route.startsWith("GET /workers/scripts/gantry") && uploads.length === 0)
      return missing("This Worker does not exist", 10007);
    const result = fixed.get(route);
    return result === undefined ? missing(`nothing at ${route}`) : { result };
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://fake").pathname.replace(API, "");
    void answer(request, path).then(({ status = 200, result = null, errors = [] }) => {
      response.writeHead(status, { "content-type": "application/json" });
      const info = { page: 1, per_page: 100, count: 0, total_count: 0 };
      response.end(
        JSON.stringify({ success: status === 200, result, errors, messages: [], result_info: info }),
      );
    });
  });
  const port = await listenLocally(server);
  return {
    environment: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: "a-token-that-this-account-knows",
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    },
    databases,
    buckets,
    places,
    uploads,
    requests,
    refuse: (problem, route = "") => {
      refusal = problem;
      refusedRoute = route;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function run(database: DatabaseSync | undefined, sql: string): unknown {
  const results = database?.prepare(sql).all() ?? [];
  return { success: true, results, meta: { duration: 1, changes: 0, rows_read: 0, rows_written: 0 } };
}

/** Splits SQL into statements. A semicolon inside a string does not end a statement. */
function statementsOf(sql: string): string[] {
  const parts = sql.match(/(?:'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|[^;])+/g) ?? [];
  return parts.filter((part) => part.replace(/--[^\n]*/g, "").trim() !== "");
}
