import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";

import { root } from "../../../scripts/shared/root.ts";

const workflows = join(root, ".github", "workflows");
const Step = z.object({ uses: z.string().optional(), run: z.string().optional() });
const Workflow = z.object({
  permissions: z.strictObject({}),
  jobs: z.record(
    z.string(),
    z.object({ permissions: z.record(z.string(), z.string()), steps: z.array(Step) }),
  ),
});
const read = (name: string) => Workflow.parse(parse(readFileSync(join(workflows, name), "utf8")));

describe("the workflows", () => {
  it("name the commits of actions, and give each job what it needs", () => {
    for (const name of readdirSync(workflows))
      for (const { steps } of Object.values(read(name).jobs))
        for (const { uses } of steps)
          if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    const { build, publish } = read("release.yml").jobs;
    // Code of packages runs in the first.
    expect(build?.permissions).toEqual({ contents: "write" });
    expect(publish?.steps.flatMap(({ run }) => run ?? []).join("\n")).not.toMatch(
      /npm (?:ci|install|run)|node /,
    );
  });
});

const folder = mkdtempSync(join(tmpdir(), "gantry-workflow-"));
const calls = join(folder, "calls");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The programs of the runner note their calls. npm has one package already, and GitHub has a draft if the file exists. */
const SHIMS = {
  npm: `echo "npm $*" >> "${calls}"; case "$*" in "view gantry-agent@"*) ;; view*) exit 1 ;; esac`,
  gh: `echo "gh $*" >> "${calls}"; case "$*" in "release view"*) test -e "${folder}/draft" ;; esac`,
};

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  const programs = join(folder, "programs");
  mkdirSync(join(folder, "package"), { recursive: true });
  mkdirSync(programs);
  for (const [name, text] of Object.entries(SHIMS)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  for (const name of ["gantry", "gantry-agent"]) {
    writeFileSync(join(folder, "package", "package.json"), JSON.stringify({ name }));
    execFileSync("tar", ["-czf", `${name}-1.2.3.tgz`, "package"], { cwd: folder });
  }
  writeFileSync(join(folder, "SHA256SUMS"), execFileSync("sha256sum", ["gantry-1.2.3.tgz"], { cwd: folder }));
  for (const name of ["gantry-linux-x64.gz", "gantry-1.2.3.cdx.json", "gantry-linux-x64.licenses.txt"])
    writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "notes.md"), "[x](docs/ci.md) and [y](https://docs.example.com/docs/)\n");
});

/** Runs the steps of a job that match, as the runner does. @returns the calls of programs */
function runSteps(job: string, which: RegExp, tag: string): string[] {
  const steps = read("release.yml").jobs[job]?.steps.flatMap(({ run: text }) => text ?? []) ?? [];
  const chosen = steps.filter((text) => which.test(text));
  expect(chosen).not.toEqual([]);
  rmSync(calls, { force: true });
  for (const text of chosen)
    execFileSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", text], {
      cwd: folder,
      env: {
        PATH: `${join(folder, "programs")}:${process.env["PATH"] ?? ""}`,
        ...{ TAG: tag, GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/gantry" },
      },
      stdio: "pipe",
    });
  return existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
}

describe("the release workflow", () => {
  it("makes a draft once, with files and links that work outside of the repository", () => {
    const upload =
      "gh release upload v1.2.3 --clobber SHA256SUMS gantry-1.2.3.tgz gantry-agent-1.2.3.tgz gantry-linux-x64.gz gantry-1.2.3.cdx.json gantry-linux-x64.licenses.txt";
    const create = "gh release create v1.2.3 --draft --verify-tag --title v1.2.3 --notes-file notes.md";
    expect(runSteps("build", /^sed|^gh/, "v1.2.3")).toEqual(["gh release view v1.2.3", create, upload]);
    expect(readFileSync(join(folder, "notes.md"), "utf8")).toBe(
      "[x](https://github.com/acme/gantry/blob/v1.2.3/docs/ci.md) and [y](https://docs.example.com/docs/)\n",
    );
    writeFileSync(join(folder, "draft"), "");
    expect(runSteps("build", /^gh/, "v1.2.3")).toEqual(["gh release view v1.2.3", upload]);
  });

  it("publishes what npm does not have, and not a candidate as the latest", () => {
    expect(runSteps("publish", /npm publish|release edit/, "v1.2.3")).toEqual([
      "npm view gantry@1.2.3 version",
      "npm publish ./gantry-1.2.3.tgz --provenance --access public --tag latest",
      "npm view gantry-agent@1.2.3 version",
      "gh release edit v1.2.3 --draft=false --latest=true",
    ]);
    const candidate = runSteps("publish", /npm publish|release edit/, "v1.2.3-rc.1");
    expect(candidate).toContain("npm publish ./gantry-1.2.3.tgz --provenance --access public --tag next");
    expect(candidate).toContain("gh release edit v1.2.3-rc.1 --draft=false --latest=false");
  });

  it("publishes nothing that was changed since it was built", () => {
    writeFileSync(join(folder, "gantry-1.2.3.tgz"), "changed");
    expect(() => runSteps("publish", /sha256sum/, "v1.2.3")).toThrow("sha256sum");
  });
});
