import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { allPoints } from "../support/faults/points/all-points.ts";
import { diskPoints } from "../support/faults/points/disk-points.ts";

const points = [...allPoints, ...diskPoints];
const root = resolve(import.meta.dirname, "../..");

it("docs/reliability.md names only tests and fault points that exist", async () => {
  const rows = (await readFile(join(root, "docs/reliability.md"), "utf8")).split("\n");
  const proofs = rows.filter((row) => row.startsWith("| ")).map((row) => row.split(" | ").at(-1) ?? "");
  const files = proofs.flatMap((proof) => proof.match(/[\w/.-]+\.test\.ts/g) ?? []);
  const named = proofs.flatMap((proof) => [
    ...proof.matchAll(/"(the [^"]+|a [^"]+|all [^"]+|git [^"]+|output [^"]+)"/g),
  ]);
  expect(files.filter((file) => !existsSync(join(root, "test", file)))).toEqual([]);
  const known = new Set(points.map((point) => point.name));
  expect(named.map(([, name = ""]) => name).filter((name) => !known.has(name))).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
  expect(named.length).toBeGreaterThan(20);
});
