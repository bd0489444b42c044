import { describe, expect, it } from "vitest";

import { findRequests } from "#project-files/frameworks/tools/find-requests.ts";
import { toolNeeds } from "#project-files/frameworks/tools/tool-needs.ts";

/** Each need as `tool`, or `tool by program` if a preset's command starts the program. */
function needed(
  preset: readonly string[],
  own: readonly string[],
  files: Readonly<Record<string, string>> = {},
) {
  const requests = findRequests([{ path: "", files: new Map(Object.entries(files)) }]);
  return toolNeeds({ preset, own }, requests).map(({ tool, program }) =>
    program === null ? tool : `${tool} by ${program}`,
  );
}

const versions = {
  ".ruby-version": "3.3",
  ".nvmrc": "20",
  "package.json": '{"packageManager":"pnpm@9.1.0"}',
};

describe("the tools of a build", () => {
  it("are those of the preset's programs, Node before what runs on it", () => {
    expect(needed(["pnpm install", "pnpm run build"], [])).toEqual(["node by node", "pnpm by pnpm"]);
    expect(needed(["npm ci", "npm run build"], [])).toEqual(["node by npm", "npm by npm"]);
    expect(needed(["composer install", "A=1 php artisan"], [])).toEqual(["php by composer"]);
    expect(needed(["cd .. && go build ./..."], [])).toEqual(["go by go"]);
  });

  it("are also the Node and package manager that the files pin, for assets", () => {
    expect(needed(["bundle install"], [], versions)).toEqual(["ruby by bundle", "node", "pnpm"]);
  });

  it("are not those that no command starts", () => {
    expect(needed(["npm ci"], [], { ".ruby-version": "3.3", ".python-version": "3.11" })).toEqual([
      "node by npm",
      "npm by npm",
    ]);
    expect(needed([], [], versions)).toEqual([]);
  });

  it("are all that the files pin, if a command of the project may start anything", () => {
    expect(needed([], ["npm ci"], versions)).toEqual(["node", "npm", "pnpm"]);
    expect(needed([], ["./build.sh"], versions)).toEqual(["node", "ruby", "pnpm"]);
    expect(needed([], ["make site"], versions)).toEqual(["node", "ruby", "pnpm"]);
  });
});
