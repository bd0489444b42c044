import { mkdir, mkdtemp, readFile, realpath, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readNotes } from "#agent/apps/instance-notes.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { createRepository } from "../support/journey-repository.ts";
import { removeHome, startSystem, type System } from "../support/journey-system.ts";
import { type App, apps } from "./apps.ts";

/** Long enough for an installation of hundreds of packages on a busy machine. */
const BUILD_MS = 240_000;
/** 127.0.0.1 in the byte order of the kernel's tables. */
const LOOPBACK = "0100007F";

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
});

/** Creates a project with the repository's address only, and deploys it. */
async function deploy(app: App): Promise<Project> {
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
  return await system.api.getProject(id);
}

async function answerOf(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: "manual" });
  if (answer.status === 308) return `→ ${answer.headers.get("location") ?? ""}`;
  return answer.status === 200 ? await answer.text() : `${answer.status}`;
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

/** The addresses that the project's instance listens on. */
async function addressesOf({ id }: Project): Promise<readonly string[]> {
  const notes = readNotes(projectFolder(join(home, "agent"), id));
  const ports = notes.flatMap(({ port }) => (port === null ? [] : [port]));
  return (await Promise.all(ports.map(listeningOn))).flat();
}

/** The addresses that a port is open on, as the kernel writes them. Source: proc(5), /proc/net/tcp. */
async function listeningOn(port: number): Promise<readonly string[]> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8")));
  const listening = "0A";
  return tables
    .join("\n")
    .split("\n")
    .flatMap((line) => {
      const [, local = "", , state] = line.trim().split(/\s+/);
      const [address = "", hex = ""] = local.split(":");
      return state === listening && Number.parseInt(hex, 16) === port ? [address] : [];
    });
}

describe.concurrent("a repository is deployed by its name and address alone:", () => {
  it.for(apps)("$name", { timeout: BUILD_MS }, async (app) => {
    const project = await deploy(app);
    expect(project).toMatchObject({ framework: app.framework, app_type: app.app_type });
    const page = await textOf(project.url ?? "");
    expect(page).toContain(app.text);
    for (const [path, answer] of Object.entries(app.answers ?? {}))
      expect([path, await answerOf(`${project.url ?? ""}${path}`)]).toEqual([
        path,
        expect.stringContaining(answer),
      ]);
    if (app.app_type === "server")
      expect(await addressesOf(project), "only this server reaches it").toEqual([LOOPBACK]);
    // Makes room for the packages of the next one.
    await system.api.call("DELETE", `/v1/projects/${project.id}?purge=true`);
  });
});
