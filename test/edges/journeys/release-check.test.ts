import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { beforeAll, describe, expect, it, vi } from "vitest";

import { readHandChecks } from "../../../scripts/release-check/by-hand.ts";
import { reportText } from "../../../scripts/release-check/report.ts";
import { processesOf } from "../../support/journey-processes.ts";
import { type UsedSystem, useSystem } from "../../support/use-system.ts";

const root = resolve(import.meta.dirname, "../../..");

let system: UsedSystem;
beforeAll(async () => void (system = await useSystem()));

function start(url: string, token: string | null) {
  const child = spawn(process.execPath, ["scripts/release-check.ts", "--quick", "--url", url], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", ...(token === null ? {} : { GANTRY_TOKEN: token }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = once(child, "close").then(([exit]: unknown[]) => exit);
  return { child, code, output: () => output };
}

async function run(url: string, token: string | null) {
  const started = start(url, token);
  return { code: await started.code, output: started.output() };
}

/** The names of the servers and projects that a check has created. */
async function created(): Promise<string[]> {
  const lists = ["servers", "projects"] as const;
  const bodies = await Promise.all(lists.map((list) => system.api.call("GET", `/v1/${list}?limit=100`)));
  return [...JSON.stringify(bodies).matchAll(/release-check-\w+/g)].map(([name]) => name);
}

describe("npm run release:check", () => {
  it("finds that everything works, and leaves nothing in the account and on the machine", async () => {
    const { code, output } = await run(system.local.url, system.local.token);
    expect([code, output]).toEqual([0, expect.stringContaining("✓ a rollback goes live")]);
    expect(output).not.toContain("✗");
    expect(await created()).toEqual([]);
    expect(await processesOf("gantry-release-check-")).toEqual([]);
    expect(await readFile(join(root, "build", "release-check.md"), "utf8")).toContain(
      "| a running build is canceled | works | in ",
    );
  });

  it("removes what it has created when it is interrupted", async () => {
    const { child, code, output } = start(system.local.url, system.local.token);
    await vi.waitFor(() => expect(output()).toContain("✓ a project is created"), 60_000);
    child.kill("SIGINT");
    expect([await code, output()]).toEqual([1, expect.stringContaining("The check was stopped.")]);
    expect(await created()).toEqual([]);
    expect(await processesOf("gantry-release-check-")).toEqual([]);
  });

  it.each([
    ["without a token", () => run(system.local.url, null), "GANTRY_TOKEN is not set"],
    ["with a wrong token", () => run(system.local.url, "gt_wrong"), "Reading the account failed"],
    ["of an address without an installation", () => run("http://127.0.0.1:9", "gt_x"), "does not answer"],
    ["of something else than an address", () => run("gantry", "gt_x"), "--url must be an address"],
  ])("says what is wrong %s", async (_, check, message) => {
    const { code, output } = await check();
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });
});

it("the checks by hand are the rows of docs/release.md", async () => {
  const checks = await readHandChecks();
  expect(checks.length).toBeGreaterThan(10);
  expect(checks.filter(({ action, expected }) => action === "" || expected === "")).toEqual([]);
});

it("a report keeps each finding in its row", () => {
  const findings = [{ name: "a | b", outcome: "fails" as const, note: "first\nsecond" }];
  expect(reportText({ url: "https://g.example", version: "1.0.0", startedAt: 0 }, findings)).toContain(
    "| a \\| b | fails | first second |\n",
  );
});
