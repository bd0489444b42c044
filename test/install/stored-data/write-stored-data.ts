// Writes the data of an installation, as the current version stores it: `node test/install/stored-data/write-stored-data.ts`.
// Run it once for each released version that changes stored state. stored-data.test.ts starts the current code on each file.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { AGENT_VERSION } from "#agent/context/version.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

import { createRepository } from "../../support/journey-repository.ts";
import { startSystem } from "../../support/journey-system.ts";
import { readStored } from "./read-stored.ts";

const SERVER = `require("node:http").createServer((_, answer) => answer.end(process.env.TEXT + process.env.PASSWORD)).listen(process.env.PORT)`;

const home = await mkdtemp(join(tmpdir(), "gantry-stored-"));
const system = await startSystem(home);
const { api, local } = system;

/** @throws with the answer if a request fails */
async function send(method: string, path: string, body: unknown): Promise<unknown> {
  const { status, text, json } = await api.call(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json;
}

/** @throws if the deployment does not end with the status */
async function endsAs(status: Deployment["status"], { id }: { id: string }): Promise<void> {
  const ended = await api.ended(id);
  if (ended.status !== status) throw new Error(`Not ${status}: ${JSON.stringify(ended)}`);
}

const repository = await createRepository(join(home, "shop"));
await repository.commit({
  "server.cjs": SERVER,
  Procfile: "web: node server.cjs\nworker: sleep 100000\n",
  "gantry.json": JSON.stringify({
    cron: [{ name: "report", command: "echo report", schedule: "0 5 * * *" }],
  }),
});
const shop = await api.createProject({
  name: "shop",
  server_id: local.server_id,
  repository: repository.path,
  build_command: 'echo "building"; test ! -e broken',
  domain: "shop.localhost",
  keep_releases: 4,
});
await send("PATCH", `/v1/projects/${shop.id}/variables`, {
  set: [
    { name: "TEXT", value: "one" },
    { name: "PASSWORD", value: "-sealed", secret: true },
  ],
});
await endsAs("live", await api.start(shop.id));
await send("PATCH", `/v1/projects/${shop.id}/variables`, { set: [{ name: "TEXT", value: "two" }] });
await repository.commit({ "version.txt": "2" });
await endsAs("live", await api.start(shop.id));
await repository.commit({ broken: "yes" });
await endsAs("failed", await api.start(shop.id));
await endsAs("live", await api.rollBack(shop.id));

await send("POST", "/v1/tokens", {
  name: "CI of shop",
  scopes: ["deployments:write"],
  project_ids: [shop.id],
});
// Nothing listens on port 9, so the webhook's deliveries wait for their next attempt.
await send("POST", "/v1/webhooks", {
  name: "Log",
  kind: "standard",
  url: "http://127.0.0.1:9/gantry",
  events: ["deployment.*"],
});
await send("POST", "/v1/hooks", { forge: "github", repository: "https://github.com/gantry-example/shop" });
await send("POST", "/v1/freezes", {
  name: "New Year",
  times: { type: "once", from: "2099-12-30T00:00:00Z", to: "2099-12-31T00:00:00Z" },
});
// A deployment that waits for an approval.
await repository.commit({ broken: null });
await send("PATCH", `/v1/projects/${shop.id}`, { approval: "required" });
await api.start(shop.id);

await writeFile(join(home, "answers.json"), JSON.stringify(await readStored(api, shop.id), null, 1));
await system.interrupt();

// What the next start makes again, and sockets, are left out.
const left = ["bundles", "logs", "run", "*.sock", "node-compile-cache"].map((name) => `--exclude=${name}`);
const file = join(import.meta.dirname, `${AGENT_VERSION}.tar.gz`);
await promisify(execFile)("tar", ["--create", "--gzip", ...left, "--file", file, "--directory", home, "."]);
await rm(home, { recursive: true, force: true });
