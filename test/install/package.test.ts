import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { COMMAND_VERSION } from "#cli/version.ts";
import { buildCommand } from "../../scripts/shared/build-command.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-package-"));
const packed = join(folder, `gantry-${COMMAND_VERSION}.tgz`);
const offline = {
  ...process.env,
  npm_config_update_notifier: "false",
  npm_config_cache: join(folder, "cache"),
};

beforeAll(async () => {
  const source = await buildCommand(join(folder, "package"));
  execFileSync("npm", ["pack", source, "--pack-destination", folder, "--silent"], { env: offline });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package", () => {
  it("has the program, a manifest without dependencies and a README", () => {
    const files = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n");
    expect(files.toSorted()).toEqual(["package/README.md", "package/gantry.mjs", "package/package.json"]);
    expect(readFileSync(join(folder, "package", "package.json"), "utf8")).not.toMatch(/ependencies/);
  });

  it("runs with npx from its file, without a registry", () => {
    const output = execFileSync(
      "npx",
      ["--yes", "--offline", `./gantry-${COMMAND_VERSION}.tgz`, "--version"],
      {
        cwd: folder,
        env: offline,
        encoding: "utf8",
      },
    );
    expect(output).toBe(`gantry ${COMMAND_VERSION}\n`);
  });
});
