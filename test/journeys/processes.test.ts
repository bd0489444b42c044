import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, it } from "vitest";

import { descendantsOf } from "../support/faults/processes.ts";

it("finds the descendants of a process, and none of a process that does not run", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  expect(descendantsOf(process.pid)).toContainEqual(expect.objectContaining({ pid: child.pid }));
  child.kill();
  await once(child, "exit");
  expect(descendantsOf(null)).toEqual([]);
  expect(descendantsOf(0)).toEqual([]);
});
