import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createServerTools, type ServerTools } from "#build/tools/server-tools.ts";

let folder: string;
let tools: ServerTools;
let now: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-tools-"));
  mkdirSync(join(folder, "bin"));
  now = 0;
  tools = createServerTools({
    environment: { PATH: `${join(folder, "bin")}:/usr/bin:/bin` },
    home: folder,
    monotonic: () => now,
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(name: string, script: string, file = join("bin", name)): void {
  writeFileSync(join(folder, file), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

async function versionOf(name: string): Promise<string | null | undefined> {
  return (await tools.list()).find((tool) => tool.name === name)?.version;
}

describe("the tools of a server", () => {
  it.each([
    ["php", 'echo "PHP 8.4.11 (cli) (built: Aug  3 2025 08:12:12) (NTS)"', "8.4.11"],
    ["go", '[ "$1" = version ] && echo "go version go1.24.4 linux/amd64"', "1.24.4"],
    ["hugo", '[ "$1" = version ] && echo "hugo v0.131.0+extended linux/amd64 BuildDate=unknown"', "0.131.0"],
    ["bundle", 'echo "Bundler version 2.6.7"', "2.6.7"],
    ["ruby", 'echo "ruby 3.3.8 (2025-04-09 revision b200bad6cd) [x86_64-linux-gnu]"', "3.3.8"],
    ["poetry", 'echo "Poetry (version 2.1.2)"', "2.1.2"],
    ["mise", 'echo "2026.9.15 linux-x64 (2026-09-27)"', "2026.9.15"],
  ])("have the version that %s prints", async (name, script, version) => {
    install(name, script);
    expect(await versionOf(name)).toBe(version);
  });

  it("have the version of their npm package, without starting them", async () => {
    mkdirSync(join(folder, "pnpm/bin"), { recursive: true });
    writeFileSync(join(folder, "pnpm/package.json"), '{"name":"pnpm","version":"9.1.0"}');
    install("pnpm.cjs", "exit 1", "pnpm/bin/pnpm.cjs");
    symlinkSync(join(folder, "pnpm/bin/pnpm.cjs"), join(folder, "bin/pnpm"));
    expect(await versionOf("pnpm")).toBe("9.1.0");
  });

  it("are listed without a version if they do not print one", async () => {
    install("deno", "exit 1");
    install("bun", "echo nothing");
    expect(await versionOf("deno")).toBeNull();
    expect(await versionOf("bun")).toBeNull();
    expect(await versionOf("hugo")).toBeUndefined();
  });

  it("are started again only after their file has changed, or ten minutes later", async () => {
    install("ruby", `echo started >>${folder}/starts; echo "ruby 3.1.0"`);
    expect(await versionOf("ruby")).toBe("3.1.0");
    expect(await versionOf("ruby")).toBe("3.1.0");
    expect(readFileSync(join(folder, "starts"), "utf8")).toBe("started\n");
    install("ruby", `echo "ruby 3.3.0, which is newer"`);
    expect(await versionOf("ruby")).toBe("3.3.0");

    install("php", `cat ${folder}/chosen`);
    writeFileSync(join(folder, "chosen"), "PHP 8.2.0");
    expect(await versionOf("php")).toBe("8.2.0");
    writeFileSync(join(folder, "chosen"), "PHP 8.4.0");
    expect(await versionOf("php")).toBe("8.2.0");
    now += 10 * 60_000;
    expect(await versionOf("php")).toBe("8.4.0");
  });
});
