import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";
import * as z from "zod";

import { root } from "../../scripts/shared/root.ts";

const run = promisify(execFile);

const Package = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Package.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
/** All scripts except the `pre` scripts, which npm runs before others. */
const names = Object.keys(scripts).filter((name) => !name.startsWith("pre"));

describe("npm run", () => {
  it.concurrent.each(names)("%s -- --help prints a usage text and does nothing else", async (name) => {
    // npm appends arguments to the script in the same way.
    const { stdout, stderr } = await run("sh", ["-c", `${scripts[name]} --help`], {
      cwd: root,
      env: {
        ...process.env,
        PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"] ?? ""}`,
        NODE_COMPILE_CACHE: join(root, "build/compile-cache"),
      },
      timeout: 60_000,
    });
    const call = name === "start" || name === "test" ? `npm ${name}` : `npm run ${name}`;
    const [usage = "", summary = "", list = ""] = stdout.split(/\n\n/);
    expect(usage).toMatch(/^Usage: npm /);
    expect(
      usage
        .replace("Usage:", "")
        .split("\n")
        .map((line) => line.trim().split(" -- ")[0]),
    ).toContain(call);
    expect(summary).toMatch(/^[A-Z].+\.$/ms);
    expect(`${list}${stdout}`).toContain("\n  -h, --help");
    expect(stderr).toBe("");
  });
});
