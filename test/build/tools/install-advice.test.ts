import { describe, expect, it } from "vitest";

import { adviceFor, type System } from "#build/tools/install-advice.ts";
import { findRequests } from "#project-files/frameworks/tools/find-requests.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";

const requests = (tool: Tool, name: string, text: string) =>
  findRequests([{ path: "", files: new Map([[name, text]]) }]).get(tool) ?? [];

const facts = { origin: "https://gantry.example.com", hasMise: false };
const node20 = {
  ...facts,
  program: "node",
  tool: "node" as const,
  requests: requests("node", ".nvmrc", "20"),
};

describe("the advice for a missing tool", () => {
  it.each<[System, string, string]>([
    ["debian", "composer", "apt-get install composer"],
    ["debian", "bundle", "apt-get install ruby-bundler ruby-dev build-essential"],
    ["debian", "pnpm", "apt-get install npm"],
    ["fedora", "go", "dnf install golang"],
    ["alpine", "npm", "apk add npm"],
    ["arch", "python3", "pacman -S python"],
    ["macos", "hugo", "brew install hugo"],
  ])("is the package of the system: on %s, %s", (system, program, line) => {
    const advice = adviceFor(system, { ...facts, program, tool: null, requests: [] }, null, true);
    expect(advice).toBe(`Run \`${line}\` on the server as root.`);
  });

  it("is Debian's package if it has the wanted version, and mise if it has another one", () => {
    expect(adviceFor("debian", node20, "20.19.2", true)).toContain("`apt-get install nodejs`");
    expect(adviceFor("debian", node20, "18.19.0", true)).toBe(
      "Run `curl -fsSL https://gantry.example.com/install.sh | sh -s -- --with-mise` on the server as root: with mise, deployments install the versions that they ask for.",
    );
  });

  it("is mise if the version of the system's package is unknown, or there is none", () => {
    expect(adviceFor("fedora", node20, null, true)).toContain("--with-mise");
    const deno = { ...facts, program: "deno", tool: "deno" as const, requests: [] };
    expect(adviceFor("debian", deno, null, true)).toContain("--with-mise");
    expect(adviceFor("other", deno, null, true)).toContain("--with-mise");
  });

  it("is the site of mise on a machine for which the installer has none", () => {
    expect(adviceFor("other", node20, null, false)).toContain("https://mise.jdx.dev");
  });
});
