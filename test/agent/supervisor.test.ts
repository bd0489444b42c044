import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll } from "vitest";

import { createProcessSupervisor, endSupervisor } from "#agent/apps/process-supervisor.ts";
import type { SupervisorOptions } from "#agent/apps/supervisor-connection.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { attempt } from "#node/attempt.ts";

import { describeSupervisor, type SupervisorWorld } from "../support/supervisor-suite.ts";
import { bundleAgent } from "./support/agent-bundle.ts";
import { ids, isAlive } from "./support/harness.ts";

let home: string;
let options: SupervisorOptions;
let world: SupervisorWorld;
const project = ids.project();
const readText = (path: string): string => attempt(() => readFileSync(path, "utf8"), "");

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-supervisor-"));
  options = { home, program: bundleAgent(), environment: process.env };
  world = {
    supervisor: createProcessSupervisor(options),
    project,
    release: 1,
    folder: home,
    node: process.execPath,
    readText: async (path) => readText(path),
    readLog: async (name) => readText(join(projectFolder(home, project).logs, `${name}.log`)),
    isAlive: async (pid) => isAlive(pid),
  };
});
afterAll(async () => {
  await endSupervisor(options);
  await rm(home, { recursive: true, force: true });
});

describeSupervisor("local", () => world);
