import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { ProcessDefinition } from "#contract/endpoints/processes/schemas.ts";
import { GANTRY_JSON, GantryJson } from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE } from "#project-files/processes/read-procfile.ts";
import { readRepositoryFiles } from "#project-files/processes/repository-files.ts";

const page = readFileSync(new URL("../../../docs/processes.md", import.meta.url), "utf8");
const codeOf = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "?";

it("the examples of docs/processes.md are read as they are written there", () => {
  const files = readRepositoryFiles(
    new Map([
      [PROCFILE, codeOf("procfile")],
      [GANTRY_JSON, codeOf("json")],
    ]),
  );
  expect(files).toMatchObject({
    ok: true,
    value: {
      build: { build_command: "npm run build:all" },
      releaseCommand: { command: "node migrate.js", from: GANTRY_JSON },
      written: { web: { instances: 2 }, worker: { overlap: false } },
      procfile: new Map([
        ["web", "node server.js"],
        ["worker", "node worker.js"],
      ]),
    },
  });
});

it("docs/processes.md names every key of gantry.json and every field of a process", () => {
  const names = [...Object.keys(GantryJson.shape), ...Object.keys(ProcessDefinition.shape)];
  expect(names.filter((name) => name !== "$schema" && !page.includes(`\`${name}\``))).toEqual([]);
});
