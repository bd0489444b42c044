import { readFileSync } from "node:fs";

import { afterAll, beforeAll } from "vitest";

import { attempt } from "#node/attempt.ts";

import { describeSupervisor, type SupervisorWorld } from "../../../support/supervisor-suite.ts";
import { isAlive } from "../../../agent/support/harness.ts";
import { type SupervisedHome, superviseHome } from "../../../agent/supervisor/support.ts";

let supervised: SupervisedHome;
let world: SupervisorWorld;

beforeAll(async () => {
  supervised = await superviseHome();
  world = {
    supervisor: supervised.connect(),
    project: supervised.project,
    release: 1,
    folder: supervised.home,
    node: process.execPath,
    readText: async (path) => attempt(() => readFileSync(path, "utf8"), ""),
    readLog: async (name) => supervised.linesOf(name).join("\n"),
    isAlive: async (pid) => isAlive(pid),
  };
});
afterAll(() => supervised.close());

describeSupervisor("local", () => world);
