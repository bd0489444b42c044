import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import * as z from "zod";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { createLinkProxy } from "../support/faults/link-proxy.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { createCli, jsonOf } from "./support/command.ts";
import { accountSecrets, fillAccount, secretEnvironment } from "./support/filled-account.ts";
import { type ConnectedServer, connectServer } from "./support/server-with-key.ts";

const cli = createCli();
let gantry: Gantry;
let servers: ConnectedServer[] = [];

/** Two installations with servers of the same names: the first has something of everything, the second nothing. */
let first: NodeJS.ProcessEnv;
let second: NodeJS.ProcessEnv;

beforeAll(async () => {
  gantry = await useGantry();
  const { url, token, othersToken } = gantry;
  for (const one of [token, othersToken])
    servers.push(
      await connectServer({ url, token: one }, "web-1", "192.0.2.1"),
      await connectServer({ url, token: one }, "jobs 1", "192.0.2.2"),
    );
  const [web, jobs] = servers;
  if (web === undefined || jobs === undefined) throw new Error("there are no servers");
  await fillAccount(web.api, [web.serverId, jobs.serverId]);
  first = { GANTRY_URL: url, GANTRY_TOKEN: token };
  second = { GANTRY_URL: url, GANTRY_TOKEN: othersToken, ...secretEnvironment };
});
afterAll(() => {
  for (const server of servers) server.stop();
});

const run = (env: NodeJS.ProcessEnv, ...args: string[]) => cli.run(["config", ...args], { env });
const pathOf = (name: string) => join(cli.home, name);

/** Both accounts are at one address, where a domain can only be used once. */
const elsewhere = (text: string) =>
  text.replaceAll("store.example.com", "store.example.net").replaceAll("my-shop-2.", "my-shop-3.");

describe("gantry config", () => {
  it("makes an empty installation equal to an export of another one", async () => {
    const exported = await run(first, "export");
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining("may not read members") });
    for (const secret of Object.values(accountSecrets)) expect(exported.stdout).not.toContain(secret);
    expect(exported.stdout).not.toMatch(/(?:srv|proj)_/);
    // Nor defaults.
    expect(exported.stdout).not.toMatch(/keep_releases = 5|tries = 10|lifetime_minutes = 30|queue = "all"/);
    expect(exported.stdout).not.toMatch(/event_name|enabled = true|statuses = true|poll = false/);
    const text = elsewhere(exported.stdout);
    await writeFile(pathOf("gantry.toml"), text);
    const planned = await run(second, "plan");
    expect(planned).toMatchObject({ code: 2, stderr: "" });
    const applied = await run(second, "apply", "--yes");
    expect(applied).toMatchObject({ code: 0 });
    for (const secret of Object.values(accountSecrets))
      expect(planned.stdout + applied.stdout + applied.stderr).not.toContain(secret);

    expect((await run(second, "export")).stdout).toBe(text);
    expect(await run(second, "plan")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing to change."),
    });
    await writeFile(pathOf("first.toml"), exported.stdout);
    expect(await run({ ...first, ...secretEnvironment }, "plan", "first.toml")).toMatchObject({ code: 0 });
    expect(await run(second, "pull")).toMatchObject({ code: 0, stdout: "gantry.toml is up to date.\n" });
    expect(await readFile(pathOf("gantry.toml"), "utf8")).toBe(text);
  });

  it("prints a schema that accepts every export, and refuses what plan refuses", async () => {
    const schema = z.record(z.string(), z.unknown()).parse(jsonOf((await run({}, "schema")).stdout));
    const validate = new Ajv2020({
      strictTypes: false,
      allErrors: true,
      formats: { ipv4: true, "date-time": true },
    }).compile(schema);
    await run(first, "export", "all.json");
    const document = z
      .record(z.string(), z.unknown())
      .parse(jsonOf(await readFile(pathOf("all.json"), "utf8")));
    const isValid = validate(document);
    expect([isValid, validate.errors]).toEqual([true, null]);
    expect(validate({ ...document, projects: { shop: { keep_releases: 1 } } })).toBe(false);
    expect(validate({ ...document, projects: { shop: { keep_release: 5 } } })).toBe(false);
    expect(validate({ ...document, webhooks: { chat: { kind: "pigeon" } } })).toBe(false);
  });
});

/** What people do by hand, by the name of a thing in the account. */
const edits: readonly ((
  api: Api,
  id: (path: string, name: string) => Promise<string>,
) => Promise<unknown>)[] = [
  async (api, id) => {
    const store = `/v1/projects/${await id("/v1/projects", "store")}`;
    await api.call("PATCH", store, {
      keep_releases: 30,
      automatic: ["build_command"],
      processes: { web: null, job: { command: "x" } },
    });
    await api.call("PATCH", `${store}/variables`, {
      set: [{ name: "BY_HAND", value: "1" }],
      remove: ["LOG_LEVEL", "NPM_TOKEN"],
    });
    await api.call("PATCH", `/v1/webhooks/${await id("/v1/webhooks", "states")}`, {
      enabled: false,
      environment: null,
      project_ids: null,
    });
    await api.call("DELETE", `/v1/webhooks/${await id("/v1/webhooks", "program")}`);
  },
  async (api, id) => {
    await api.call("PATCH", `/v1/projects/${await id("/v1/projects", "store")}`, { name: "renamed by hand" });
    const times = { type: "weekly", days: ["monday"], from: "01:00", to: "02:00", timezone: "UTC" };
    await api.call("PATCH", `/v1/freezes/${await id("/v1/freezes", "Weekend.")}`, { times });
    await api.call("PATCH", `/v1/trust-rules/${await id("/v1/trust-rules", "other")}`, {
      lifetime_minutes: 99,
      audience: "x",
      name: "another",
    });
  },
  async (api, id) => {
    await api.call("DELETE", `/v1/projects/${await id("/v1/projects", "my.shop #2")}`);
    await api.call("POST", "/v1/freezes", {
      name: "By hand",
      times: { type: "once", from: "2090-01-01T00:00:00Z", to: "2090-01-02T00:00:00Z" },
    });
    const hook = { forge: "git", repository: "https://git.test/team/store.git" };
    await api.call("DELETE", `/v1/hooks/${await id("/v1/hooks", hook.repository)}`);
    await api.call("POST", "/v1/hooks", hook);
    await api.call("PATCH", "/v1/account", { log_retention_days: 3 });
  },
];

describe("two installations", () => {
  it("are kept equal after edits by hand, renames, kills and a missing server", async () => {
    const api = createApi(gantry.url, gantry.othersToken);
    const proxy = await createLinkProxy(gantry.url);
    // The address of the installation is the audience of trust rules that name none.
    const env = { ...second, GANTRY_URL: proxy.url };
    const Rows = z.record(z.string(), z.unknown());
    const Row = z.object({ id: z.string(), name: z.string().optional(), repository: z.string().optional() });
    const idOf = async (path: string, name: string) => {
      const page = Rows.parse((await api.call("GET", path)).json);
      const rows = Object.values(page).flatMap((value) => z.array(Row).safeParse(value).data ?? []);
      return rows.find((row) => row.name === name || row.repository === name)?.id ?? name;
    };
    const text = elsewhere((await run(first, "export")).stdout);
    const apply = ["config", "apply", "--yes", "--prune"];
    for (const [at, edit] of edits.entries()) {
      await edit(api, idOf);
      expect(await run(env, "plan", "--prune")).toMatchObject({ code: 2 });
      await writeFile(pathOf("gantry.toml"), text.replace('"web-1"]', '"web-1", "web-9"]'));
      expect(await run(env, "apply", "--yes", "--prune")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("servers has web-9, which the installation does not have."),
      });
      await writeFile(pathOf("gantry.toml"), text);
      const killed = cli.start(apply, { env });
      let writes = 0;
      const removeRule = proxy.rule((passage) => {
        if (passage.kind !== "request" || passage.method === "GET") return null;
        writes += 1;
        if (writes <= at) return null;
        killed.child.kill("SIGKILL");
        return "drop";
      });
      expect((await killed.ended).code).toBeNull();
      removeRule();
      expect(await cli.run(apply, { env })).toMatchObject({ code: 0 });
      expect((await run(env, "export")).stdout).toBe(text);
    }
    await proxy.close();
  });
});
