import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import * as z from "zod";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
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
      await connectServer({ url, token: one }, "web-1"),
      await connectServer({ url, token: one }, "jobs 1"),
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
