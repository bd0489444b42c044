import { describe, expect, it } from "vitest";

import { checkVersion, pickVersion } from "#project-files/frameworks/tools/check-version.ts";
import { findRequests } from "#project-files/frameworks/tools/find-requests.ts";
import { programsOf } from "#project-files/frameworks/tools/command-tools.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";
import { readWanted, rangeFor } from "#project-files/frameworks/tools/wanted-version.ts";

const requests = (tool: Tool, files: Readonly<Record<string, string>>) =>
  findRequests([{ path: "", files: new Map(Object.entries(files)) }]).get(tool) ?? [];

const composer = (php: string) => ({ "composer.json": JSON.stringify({ require: { php } }) });
const engines = (node: string) => ({ "package.json": JSON.stringify({ engines: { node } }) });

describe("a version as a file writes it", () => {
  it.each([
    ["20", "version-file", "20"],
    ["v20.11.0", "version-file", "v20.11.0"],
    ["lts/jod", "version-file", "22"],
    ["lts-iron", "version-file", "20"],
    ["node-20.1.0", "version-file", "20.1.0"],
    ["latest", "version-file", "*"],
    ["node", "version-file", "*"],
    ["^8.1|^8.2", "composer", "^8.1 || ^8.2"],
    ["~8.2", "composer", "^8.2"],
    ["~8.2.3", "composer", "~8.2.3"],
    [">=8.1,<8.4", "composer", ">=8.1 <8.4"],
    ["~> 3.2", "ruby", "^3.2"],
    ["~> 3.2.1", "ruby", "~3.2.1"],
    ["ruby-3.2.2-p53", "ruby", "3.2.2"],
    ["1.22", "go", ">=1.22"],
    ["go1.22.3", "go", ">=1.22.3"],
  ] as const)("%s (%s) is the range %s", (written, dialect, range) => {
    const wanted = readWanted(written, dialect);
    expect(wanted === null ? null : rangeFor(wanted)).toBe(range);
  });

  it.each(["system", "lts/unknown", "jruby-9.4", "ref:main", "", "x".repeat(101), "1\n2"])(
    "%j cannot be read",
    (written) => {
      expect(readWanted(written, "version-file")).toBeNull();
    },
  );
});

describe("an installed version", () => {
  it.each<[string, Tool, Readonly<Record<string, string>>, string]>([
    ["fits", "node", { ".nvmrc": "20" }, "20.19.2"],
    ["fits", "node", { ".nvmrc": "lts/*" }, "24.1.0"],
    ["differs", "node", { ".nvmrc": "lts/*" }, "23.1.0"],
    ["differs", "node", { ".nvmrc": "18" }, "20.19.2"],
    ["close", "node", { ".nvmrc": "20.11.0" }, "20.19.2"],
    ["differs", "node", { ".nvmrc": "20.20.0" }, "20.19.2"],
    ["close", "ruby", { ".ruby-version": "3.3.0" }, "3.3.8"],
    ["differs", "ruby", { ".ruby-version": "3.2.0" }, "3.3.8"],
    ["differs", "ruby", { Gemfile: 'ruby "3.3.0"' }, "3.3.8"],
    ["differs", "python", { ".python-version": "3.11" }, "3.13.5"],
    ["fits", "php", composer("^8.2"), "8.4.1"],
    ["differs", "php", composer("^8.2"), "8.1.2"],
    ["fits", "php", composer("^7.4 || ^8.0"), "8.2.29"],
    ["not_advised", "node", engines(">=22"), "20.19.2"],
    ["not_advised", "node", { ".nvmrc": "20", ...engines(">=22") }, "20.19.2"],
    ["fits", "go", { "go.mod": "go 1.24" }, "1.24.4"],
    ["differs", "go", { "go.mod": "go 1.24" }, "1.19.8"],
    ["close", "go", { "go.mod": "go 1.26" }, "1.24.4"],
    ["fits", "node", { ".nvmrc": "20" }, "unknown"],
    ["fits", "pnpm", { "pnpm-lock.yaml": "lockfileVersion: '6.0'" }, "11.0.0"],
  ])("%s: %s, asked for by %j, version %s", (kind, tool, files, version) => {
    expect(checkVersion(requests(tool, files), version).kind).toBe(kind);
  });

  it("is compared with the file that decides, which the answer names", () => {
    const check = checkVersion(requests("node", { ".nvmrc": "18", ...engines(">=22") }), "20.0.0");
    expect(check).toMatchObject({ kind: "differs", by: { file: ".nvmrc", written: "18" } });
  });
});

describe("the version to install", () => {
  const available = ["18.20.0", "20.19.2", "22.1.0", "22.9.0", "23.0.0", "24.0.0-rc.1", "jruby-9.4"];

  it("is the newest that every file allows", () => {
    expect(pickVersion(requests("node", { ".nvmrc": "lts/*", ...engines("<=22.1") }), available)).toBe(
      "22.1.0",
    );
    expect(pickVersion(requests("node", engines(">=18")), available)).toBe("23.0.0");
  });

  it("is one that the deciding file allows, if the files contradict each other", () => {
    expect(pickVersion(requests("node", { ".nvmrc": "20", ...engines(">=22") }), available)).toBe("20.19.2");
  });

  it("is none if no version is old or new enough", () => {
    expect(pickVersion(requests("node", { ".nvmrc": "16" }), available)).toBeNull();
  });
});

it("finds the programs that a command line starts, but not those that the build creates", () => {
  const line = "FOO=1 bundle install && cd ../.. && .venv/bin/pip install x; pnpm run build | tee log";
  expect(programsOf(line)).toEqual(["bundle", "pnpm", "tee"]);
});
