import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { agentPoints } from "../support/faults/points/agent-points.ts";
import { commandPoints } from "../support/faults/points/command-points.ts";
import { diskPoints } from "../support/faults/points/disk-points.ts";
import { eventPoints } from "../support/faults/points/event-points.ts";
import { networkPoints } from "../support/faults/points/network-points.ts";
import { processPoints } from "../support/faults/points/process-points.ts";
import { racePoints } from "../support/faults/points/race-points.ts";
import { workerPoints } from "../support/faults/points/worker-points.ts";

const points = [
  ...agentPoints,
  ...commandPoints,
  ...diskPoints,
  ...eventPoints,
  ...networkPoints,
  ...processPoints,
  ...racePoints,
  ...workerPoints,
];
const root = resolve(import.meta.dirname, "../..");

it("docs/reliability.md names only tests and fault points that exist", async () => {
  const rows = (await readFile(join(root, "docs/reliability.md"), "utf8")).split("\n");
  const proofs = rows.filter((row) => row.startsWith("| ")).map((row) => row.split(" | ").at(-1) ?? "");
  const files = proofs.flatMap((proof) => proof.match(/[\w/-]+\.test\.ts/g) ?? []);
  const named = proofs.flatMap((proof) => [
    ...proof.matchAll(/"(the [^"]+|a [^"]+|all [^"]+|git [^"]+|output [^"]+)"/g),
  ]);
  expect(files.filter((file) => !existsSync(join(root, "test", file)))).toEqual([]);
  const known = new Set(points.map((point) => point.name));
  expect(named.map(([, name = ""]) => name).filter((name) => !known.has(name))).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
  expect(named.length).toBeGreaterThan(20);
});
