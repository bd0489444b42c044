import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { endPackageScope } from "../../scripts/start/package-scope.ts";

let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "gantry-clone-"));
  writeFileSync(join(clone, "package.json"), '{"type": "module"}');
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

it("an app without a package.json runs with require, in a home inside of Gantry's clone", async () => {
  const release = join(clone, ".gantry/releases/1");
  mkdirSync(release, { recursive: true });
  writeFileSync(join(release, "server.js"), 'console.log(typeof require("node:http").createServer)');
  await endPackageScope(join(clone, ".gantry"));
  const output = execFileSync(process.execPath, ["server.js"], { cwd: release, encoding: "utf8" });
  expect(output.trim()).toBe("function");
});

it("a package.json that is in the home already is kept", async () => {
  await endPackageScope(clone);
  expect(readFileSync(join(clone, "package.json"), "utf8")).toBe('{"type": "module"}');
});
