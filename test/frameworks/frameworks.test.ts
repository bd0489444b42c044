import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { freePort } from "../support/free-port.ts";
import { createRepository } from "../support/journey-repository.ts";
import { removeHome, startSystem, type System } from "../support/journey-system.ts";
import { type App, apps } from "./apps.ts";

/** Long enough for an installation of hundreds of packages on a busy machine. */
const BUILD_MS = 240_000;
const START_MS = 30_000;

let home: string;
let system: System;

beforeAll(async () => {
  // Not in memory, where the other tests have their files: the packages need several hundred megabytes.
  home = await mkdtemp("/var/tmp/gantry-frameworks-");
  // The frameworks need a newer Node than Gantry does. Builds do not see the programs of this repository.
  await mkdir(join(home, "bin"));
  await symlink(await realpath(process.execPath), join(home, "bin", "node"));
  process.env["PATH"] = `${join(home, "bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  system = await startSystem(home);
});
afterAll(async () => {
  await system.interrupt();
  await removeHome(home);
}, 60_000);

/** Creates a project with the repository's address only, and deploys it. @returns the log's own lines */
async function deploy(app: App): Promise<{ project: Project; lines: readonly string[] }> {
  const name = app.name.toLowerCase().replaceAll(/[^a-z]+/g, "-");
  const repository = await createRepository(join(home, "repositories", name));
  await repository.commit(app.files);
  const { id } = await system.api.createProject({
    name,
    server_id: system.local.server_id,
    repository: repository.path,
    ...(app.root_directory === undefined ? {} : { root_directory: app.root_directory }),
  });
  const telemetry = ["NEXT_TELEMETRY_DISABLED", "NUXT_TELEMETRY_DISABLED", "ASTRO_TELEMETRY_DISABLED"];
  const set = telemetry.map((variable) => ({ name: variable, value: "1" }));
  await system.api.call("PATCH", `/v1/projects/${id}/variables`, { set });
  const started = await system.api.start(id);
  const ended = await system.api.ended(started.id, BUILD_MS);
  const log = await system.api.log(started.id);
  expect(ended, log.map(({ message }) => message).join("\n")).toMatchObject({ status: "live" });
  const lines = log.flatMap(({ stream, message }) => (stream === "system" ? [message] : []));
  return { project: await system.api.getProject(id), lines };
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

/** Starts a server in its release, as its process `web` does, and requests its page. */
async function answerOf({ id, root_directory }: Project, command: string): Promise<string> {
  const port = await freePort();
  const server = spawn("sh", ["-c", command], {
    cwd: join(home, "agent", "projects", id, "current", root_directory),
    env: { ...process.env, PORT: `${port}`, HOST: "127.0.0.1", NODE_ENV: "production" },
    detached: true,
    stdio: "ignore",
  });
  try {
    return await firstAnswer(server, `http://127.0.0.1:${port}/`);
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGKILL");
  }
}

async function firstAnswer(server: ChildProcess, url: string): Promise<string> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const text = await textOf(url).catch(() => null);
    if (text !== null) return text;
    if (server.exitCode !== null) throw new Error(`the server ended with exit code ${server.exitCode}`);
    if (Date.now() > deadline) throw new Error("the server did not answer");
    await pause(100);
  }
}

describe.concurrent("a repository is deployed by its name and address alone:", () => {
  it.for(apps)("$name", { timeout: BUILD_MS + START_MS }, async (app) => {
    const { project, lines } = await deploy(app);
    expect(project).toMatchObject({ framework: app.framework, app_type: app.app_type });
    const page = await textOf(project.url ?? "");
    if (app.app_type === "static") expect(page).toContain(app.text);
    else {
      expect(page).toContain("This app runs as a server");
      const [, command] =
        /^process web runs (.*) \(usual for this framework\)$/m.exec(lines.join("\n")) ?? [];
      expect(await answerOf(project, command ?? "")).toContain(app.text);
    }
    // Makes room for the packages of the next one.
    await system.api.call("DELETE", `/v1/projects/${project.id}?purge=true`);
  });
});
