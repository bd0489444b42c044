import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { COMMAND_VERSION } from "#cli/version.ts";
import { buildPackage } from "../../scripts/packages/build-packages.ts";
import { command } from "../../scripts/packages/package-list.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-package-"));
const packed = join(folder, `gantry-${COMMAND_VERSION}.tgz`);
const offline = {
  ...process.env,
  npm_config_update_notifier: "false",
  npm_config_cache: join(folder, "cache"),
};

beforeAll(async () => {
  writeFileSync(packed, (await buildPackage(command, COMMAND_VERSION)).archive);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package", () => {
  it("has the program, a manifest without dependencies, a README and the licenses", () => {
    const listed = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n");
    const files = ["LICENSE", "LICENSES-BUNDLED.txt", "README.md", "gantry.mjs", "package.json"];
    expect(listed).toEqual(files.map((name) => `package/${name}`));
    const manifest = execFileSync("tar", ["-xzOf", packed, "package/package.json"], { encoding: "utf8" });
    expect(manifest).not.toMatch(/ependencies/);
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

  it("starts without the modules for requests", () => {
    execFileSync("tar", ["-xzf", packed, "-C", folder]);
    const program = join(folder, "package", "gantry.mjs");
    const code = `process.on("exit", () => console.log(process.moduleLoadList.filter((name) => name.includes("undici"))));
process.argv.push("gantry", "--version"); await import(${JSON.stringify(program)});`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
    expect(printed).toBe(`gantry ${COMMAND_VERSION}\n[]\n`);
  });
});
