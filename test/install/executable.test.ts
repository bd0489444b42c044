import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { COMMAND_VERSION } from "#cli/version.ts";
import { buildExecutable } from "../../scripts/packages/executable.ts";
import { buildElsewhere } from "../scripts/packages/support/build-elsewhere.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-executable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("the executable", () => {
  it("has the same bytes in each build, and runs without Node", async () => {
    const [one, other] = [join(folder, "gantry-1"), join(folder, "gantry-2")];
    const bundled = await buildExecutable(one);
    expect(bundled.map(({ name }) => name)).toContain("zod");
    buildElsewhere(folder, "executable", `buildExecutable(${JSON.stringify(other)})`);
    expect(sha256(other)).toBe(sha256(one));
    const env = { PATH: "/nonexistent", HOME: folder };
    expect(execFileSync(one, ["--version"], { encoding: "utf8", env })).toBe(`gantry ${COMMAND_VERSION}\n`);
    expect(execFileSync(one, ["deploy", "--help"], { encoding: "utf8", env })).toContain("gantry deploy");
  });
});
