import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findRequests, toolFiles } from "#project-files/frameworks/tools/find-requests.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";

type Files = Readonly<Record<string, string>>;

const folder = (path: string, files: Files) => ({ path, files: new Map(Object.entries(files)) });

/** Each request as `<version> of <file>, <strength>`, in order. */
function asked(tool: Tool, files: Files, above: Files = {}): readonly string[] {
  const found = findRequests([folder("apps/web", files), folder("", above)]).get(tool) ?? [];
  return found.map(({ written, file, strength }) => `${written} of ${file}, ${strength}`);
}

describe("the version that a repository asks for", () => {
  it.each<[Tool, string, string, string]>([
    ["node", ".nvmrc", "# for the build\nv20.11\n", "v20.11"],
    ["node", ".nvmrc", "lts/jod", "lts/jod"],
    ["node", ".node-version", "22.1.0\r\n", "22.1.0"],
    ["node", ".tool-versions", "ruby 3.3.0\nnodejs 20.11.0 # LTS\n", "20.11.0"],
    ["go", ".tool-versions", "golang 1.22.1", "1.22.1"],
    ["node", "mise.toml", '[tools]\nnode = "22"', "22"],
    ["node", ".mise.toml", '[tools]\nnode = ["22", "20"]', "22"],
    ["python", "mise.toml", '[tools]\npython = { version = "3.12", virtualenv = ".venv" }', "3.12"],
    ["ruby", ".ruby-version", "ruby-3.3.0\n", "ruby-3.3.0"],
    ["python", ".python-version", "3.11\n3.10\n", "3.11"],
    ["php", ".php-version", "8.3", "8.3"],
    ["pnpm", "package.json", '{"packageManager":"pnpm@9.1.0+sha512.14e915"}', "9.1.0"],
    ["yarn", "package.json", '{"packageManager":"yarn@4.1.0"}', "4.1.0"],
    ["node", "package.json", '{"volta":{"node":"20.11.0"}}', "20.11.0"],
  ])("for %s is pinned by %s", (tool, name, text, wanted) => {
    expect(asked(tool, { [name]: text })).toEqual([`${wanted} of apps/web/${name}, pinned`]);
  });

  it.each<[Tool, string, string, string]>([
    ["php", "composer.json", '{"require":{"php":"^8.2"}}', "^8.2"],
    ["ruby", "Gemfile", 'source "https://gems.example"\nruby "~> 3.2"\ngem "rails"', "~> 3.2"],
    ["ruby", "Gemfile", "ruby '>= 3.1', '< 3.4'", ">= 3.1, < 3.4"],
    ["go", "go.mod", "module example.com/shop // go 1.1\n\ngo 1.22\n", "1.22"],
  ])("for %s is required by %s, because the tool itself checks it", (tool, name, text, wanted) => {
    expect(asked(tool, { [name]: text })).toEqual([`${wanted} of apps/web/${name}, required`]);
  });

  it.each<[Tool, string, string, string]>([
    ["node", "package.json", '{"engines":{"node":">=18 <21"}}', ">=18 <21"],
    ["npm", "package.json", '{"packageManager":"npm@10.2.0"}', "10.2.0"],
    ["php", "composer.json", '{"config":{"platform":{"php":"8.2.7"}}}', "8.2"],
    ["go", "go.mod", "toolchain go1.22.3", "go1.22.3"],
  ])("for %s is advice in %s", (tool, name, text, wanted) => {
    expect(asked(tool, { [name]: text })).toEqual([`${wanted} of apps/web/${name}, advised`]);
  });

  it.each([
    ["lockfileVersion: '9.0'\n", "9 || 10"],
    ["lockfileVersion: '6.0'\n", "8 || 9"],
    ["lockfileVersion: 5.4\n", "6 || 7"],
  ])("is a pnpm that writes the lock file's format, if nothing names a version", (text, wanted) => {
    expect(asked("pnpm", { "pnpm-lock.yaml": text })).toEqual([
      `${wanted} of apps/web/pnpm-lock.yaml, default`,
    ]);
  });

  it("comes from the nearest folder", () => {
    expect(asked("node", { ".nvmrc": "20" }, { ".nvmrc": "18" })).toEqual(["20 of apps/web/.nvmrc, pinned"]);
    expect(asked("node", {}, { ".nvmrc": "18" })).toEqual(["18 of .nvmrc, pinned"]);
  });

  it("comes from a version file of a folder above rather than from engines", () => {
    const engines = { "package.json": '{"engines":{"node":">=18"}}' };
    expect(asked("node", engines, { ".nvmrc": "22" })).toEqual([
      "22 of .nvmrc, pinned",
      ">=18 of apps/web/package.json, advised",
    ]);
  });

  it("comes from the first of several version files", () => {
    expect(asked("node", { ".nvmrc": "18", ".tool-versions": "node 22" })).toEqual([
      "22 of apps/web/.tool-versions, pinned",
    ]);
  });

  it("is ignored if it cannot be read", () => {
    const files = {
      ".nvmrc": "system",
      ".ruby-version": "jruby-9.4",
      ".tool-versions": "node ref:main\nterraform 1.2.3\npython path:/opt/python",
      "mise.toml": "[tools\nnode = 20",
      "package.json": '{"engines":["node"],"packageManager":{"name":"pnpm"},"volta":"20"}',
      "composer.json": "[]",
    };
    expect(findRequests([folder("", files)]).size).toBe(0);
  });
});

it("reads any file content in little time and without an error", () => {
  const pieces = fc.constantFrom(
    ...["ruby ", '"', "'", "~> ", "1.", "9", "||", "|", ">=", "[", "{", "\n", " ", "#", "go ", "tools", "="],
    ...["node", "engines", ":", ",", "@", "^", "-", "*", "lockfileVersion:", "__proto__", "\\", "\0"],
  );
  const content = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(pieces, { maxLength: 60 }).map((found) => found.join("")),
    fc.tuple(pieces, fc.integer({ min: 0, max: 20_000 })).map(([piece, times]) => piece.repeat(times)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...toolFiles), content, (name, text) => {
      const startedAt = process.cpuUsage();
      const requests = findRequests([folder("", { [name]: text })]);
      for (const [, found] of requests) expect(found.length).toBeGreaterThan(0);
      // CPU time, which other programs on the machine do not lengthen.
      expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
    }),
    { numRuns: 1_500 },
  );
});
