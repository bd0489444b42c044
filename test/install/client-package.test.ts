import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { calls } from "#library/calls.ts";
import { formWebhookSecret, signedHeaders } from "#sealing/standard-webhook.ts";
import { example } from "#contract/reference/examples.ts";
import { buildClient } from "../../scripts/client/build-client.ts";
import { root } from "../../scripts/shared/root.ts";
import { runCommand } from "../../scripts/shared/run-command.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { runAgent, type RunningAgent } from "../openapi/support/running-agent.ts";
import { createApi } from "../support/journey-api.ts";
import { readModules } from "./client/read-modules.ts";
import { inChromium, inNode, installPrograms, inWorker, processes, type Runtime } from "./client/runtimes.ts";

const typeRoots = [join(root, "node_modules/@types")];
const sources = join(import.meta.dirname, "client");
/** The folder of a user, which has the package and nothing else. */
let folder: string;
let gantry: Gantry;
let agent: RunningAgent;
let projectId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-client-"));
  await Promise.all([installPackage(), createProject()]);
});
afterAll(async () => {
  await agent.close();
  await rm(folder, { recursive: true, force: true });
});

async function installPackage(): Promise<void> {
  await buildClient(join(folder, "package"), { name: "gantry-client", version: "1.2.3" });
  await writeFile(join(folder, "package.json"), '{"type":"module","private":true}');
  for (const argv of [
    ["npm", "pack", "./package", "--silent"],
    [
      "npm",
      "install",
      "--offline",
      "--no-audit",
      "--no-fund",
      "--no-package-lock",
      "./gantry-client-1.2.3.tgz",
    ],
  ] as const) {
    const { code, output } = await runCommand(argv, { cwd: folder });
    if (code !== 0) throw new Error(output);
  }
  await rm(join(folder, "package"), { recursive: true });
  for (const name of ["use-client.mjs", "main.mjs", "types.ts"])
    await cp(join(sources, name), join(folder, name));
}

async function createProject(): Promise<void> {
  gantry = await useGantry();
  const api = createApi(gantry.url, gantry.token);
  const answer = await api.call("POST", "/v1/servers", { name: "web-1", ip: "192.0.2.10" });
  const Created = z.object({ id: z.string(), enrollment: z.object({ token: z.string() }) });
  const server = Created.parse(answer.json);
  agent = await runAgent(gantry.url, server.enrollment.token);
  const settings = { name: "shop", server_id: server.id, repository: "/srv/git/shop.git" };
  projectId = (await api.createProject(settings)).id;
}

/** Compiles files of the user's folder. */
async function compile(files: readonly string[], options: Readonly<Record<string, unknown>>) {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
    ...{ target: "es2022", types: [], ...options },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: files }));
  return await runCommand(["tsc", "-p", folder]);
}

/** A program that compiles only if the printed types of each operation agree with the schemas. */
function comparison(): string {
  const names = Object.keys(calls);
  const lines = names.map(
    (name) => `export const ${name}: [
  Printed["${name}"]["answer"], Body<Ours["${name}"]>, Params<Ours["${name}"]>,
] = null as unknown as [Ours["${name}"]["answer"], Body<Printed["${name}"]>, Params<Printed["${name}"]>];`,
  );
  return `import type { Operations as Ours } from "#library/operations.ts";
import type { Operations as Printed } from "./package/index.js";
type Writable<T> = T extends object ? { -readonly [Key in keyof T]: Writable<T[Key]> } : T;
type Given<Request, Name> = Name extends keyof Request ? Writable<Request[Name]> : unknown;
type Body<Of extends { readonly request: object }> = Given<Of["request"], "body">;
type Params<Of> = Of extends { readonly request: { readonly params: infer Needed } } ? Needed : unknown;
export const missing: Exclude<keyof Printed, keyof Ours> extends never ? true : false = true;
${lines.join("\n")}
`;
}

/** What a webhook sends of an event. */
async function signedEvent(event: unknown) {
  const secret = formWebhookSecret(new Uint8Array(32).fill(7));
  const body = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1000);
  return { secret, headers: await signedHeaders([secret], { id: "evt_1", timestamp, body }), body };
}

describe("the package of the client", () => {
  it("has a module, its types and no dependencies", async () => {
    const installed = join(folder, "node_modules", "gantry-client");
    const manifest: unknown = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).toMatchObject({ version: "1.2.3", license: "MIT", sideEffects: false });
    for (const file of ["index.js", "index.d.ts"])
      expect(await readFile(join(installed, file), "utf8")).not.toMatch(/["']zod|^import /m);
  });

  it.each([
    ["nodenext", { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022", "dom"] }],
    ["bundler", { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] }],
    [
      "Node's types instead of the DOM's",
      {
        module: "nodenext",
        lib: ["es2024"],
        types: ["node"],
        typeRoots,
      },
    ],
  ])("has types that compile strictly: %s", async (_, options) => {
    expect(await compile(["types.ts"], options)).toMatchObject({ code: 0, output: "" });
  });
});

describe("the types of the client", () => {
  it("take and return what the schemas do", async () => {
    // Below the repository, where the schemas are found.
    const here = join(root, "build", `client-types-${process.pid}`);
    await buildClient(join(here, "package"), { name: "gantry-client", version: "1.2.3" });
    await writeFile(join(here, "compare.ts"), comparison());
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: [] },
      ...{ target: "es2024", lib: ["es2024", "dom"], module: "esnext", moduleResolution: "bundler" },
    };
    await writeFile(
      join(here, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["compare.ts"] }),
    );
    const outcome = await runCommand(["tsc", "-p", here]);
    await rm(here, { recursive: true });
    expect(outcome).toMatchObject({ code: 0, output: "" });
  });
});

describe("docs/client.md", () => {
  it("compiles, and its examples do what it says", async () => {
    const modules = await readModules();
    const files = modules.map((_, at) => `example-${at + 1}.ts`);
    for (const [at, text] of modules.entries()) {
      const here = text.replaceAll("https://gantry.example.com", gantry.url);
      await writeFile(join(folder, `example-${at + 1}.ts`), here.replaceAll(example.project, projectId));
    }
    const types = { module: "nodenext", lib: ["es2024"], types: ["node"], typeRoots };
    expect(await compile(files, types)).toMatchObject({ code: 0, output: "" });

    const env = { GANTRY_TOKEN: gantry.token };
    const printing = await runCommand([process.execPath, "example-1.ts"], { cwd: folder, env });
    expect(printing).toMatchObject({ code: 0 });
    const printed = printing.stdout.split("\n");
    expect(printed).toEqual(
      expect.arrayContaining([
        gantry.accountName,
        expect.stringMatching(/^\/name [a-z]/),
        expect.stringMatching(/^srv_/),
        "shop",
        expect.stringMatching(/^dpl_\w+ (?:live|failed)$/),
        expect.stringMatching(/^end Live: v2/),
        expect.stringMatching(/^\d+ deployment\.(?:live|failed)$/),
      ]),
    );

    const signed = await signedEvent({
      type: "webhook.test",
      timestamp: "2026-11-20T09:14:02.310Z",
      data: {},
    });
    const receiver = `import worker from "./example-2.ts";
const { secret, headers, body } = ${JSON.stringify(signed)};
for (const text of [body, body + " "]) {
  const request = new Request("http://example.com", { method: "POST", headers, body: text });
  console.log((await worker.fetch(request, { WEBHOOK_SECRET: secret })).status);
}`;
    await writeFile(join(folder, "receiver.mjs"), receiver);
    const webhook = await runCommand([process.execPath, "receiver.mjs"], { cwd: folder });
    expect(webhook).toMatchObject({ code: 0, stdout: "204\n401\n" });
  });
});

describe("the client runs in", async () => {
  const programs = await installPrograms();
  const runtimes: Record<string, Runtime> = {
    "Node 24": inNode,
    "a Worker": inWorker,
    Chromium: inChromium,
    ...(programs === null ? {} : processes(programs)),
  };

  it.each(Object.entries(runtimes))("%s", async (name, run) => {
    const webhook = await signedEvent({
      type: "webhook.test",
      timestamp: new Date().toISOString(),
      data: {},
    });
    const given = { url: gantry.url, token: gantry.token, name, projectId, webhook };
    expect(await run(folder, JSON.stringify(given))).toEqual({
      // A create whose answer was lost was repeated without a second effect.
      servers: [name],
      invalid: [422, "invalid_request", [{ pointer: "/name", message: expect.any(String) }]],
      ended: true,
      isWhole: true,
      events: ["deployment.started"],
      isDeleted: true,
      gone: [404, "not_found", []],
      aborted: "enough",
      unreachable: "unreachable",
      verified: "webhook.test",
      refused: null,
    });
  });
});
