import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { repositorySettings } from "#contract/endpoints/projects/project-settings.ts";
import { readGantryJson } from "#project-files/processes/read-gantry-json.ts";

function problemOf(text: string) {
  const read = readGantryJson(text);
  return read.ok ? null : read.problem;
}

describe("gantry.json", () => {
  it("has build settings, a release command and processes", () => {
    const value = {
      framework: "next",
      install_command: null,
      build_command: "make",
      output_directory: "dist",
      release_command: "make migrate",
      processes: { web: { command: "bin/server", instances: 2, memory_mb: 512 }, worker: { overlap: false } },
    };
    const link = { url: "https://gantry.example.com", project: "proj_1", name: "shop" };
    const text = JSON.stringify({ $schema: "https://example.com/schema.json", ...link, ...value }, null, 2);
    expect(readGantryJson(text)).toMatchObject({ ok: true, value });
  });

  it.each([
    ['{\n  "framework": "next",\n}', "there is a comma after the last item, in line 2, column 22"],
    ["{\r\n  // x\r\n}", "comments are not allowed in JSON, in line 2, column 3"],
    ['{ "framework" "next" }', 'a colon is expected, not "\\"", in line 1, column 15'],
    ["{ framework: 1 }", 'a name in double quotes is expected, not "f", in line 1, column 3'],
    ['{"a": 1} x', "there is more text after the end, in line 1, column 10"],
    ['{"a": 1', "a comma or `}` is expected, and the file ends, in line 1, column 8"],
    ['{"a": "x\n"}', "a text has no end on its line, or a wrong escape, in line 1, column 7"],
    ['{"a": 1,\n "a": 2}', 'the key "a" occurs twice, in line 2, column 2'],
    ["", "a value is expected, and the file ends, in line 1, column 1"],
    ["[".repeat(40), "it is nested more than 32 deep, in line 1, column 34"],
  ])("that is not JSON is refused with line and column: %j", (text, message) => {
    expect(problemOf(text)?.message).toBe(`gantry.json is not JSON: ${message}`);
  });

  it.each([
    [
      '{\n\n"release_comand": "x" }',
      "line 3 of gantry.json has the unknown key `release_comand`",
      "Did you mean `release_command`?",
    ],
    [
      '{ "processes": {\n"web": {\n"comand": "x" }}}',
      "line 3 of gantry.json has the unknown key `comand` in `processes.web`",
      "Did you mean `command`?",
    ],
    [
      '{ "dockerfile": {\n"file": "x" }}',
      "line 2 of gantry.json has the unknown key `file` in `dockerfile`",
      "The keys are `path`, `context`, `target`.",
    ],
    [
      '{ "activate_command": "x" }',
      "line 1 of gantry.json has the unknown key `activate_command`",
      `The keys are ${["url", "project", "name", ...repositorySettings].map((key) => `\`${key}\``).join(", ")}.`,
    ],
  ])("with an unknown key is refused with the nearest one: %j", (text, message, hint) => {
    expect(problemOf(text)).toEqual({ message, hint });
  });

  it.each([
    [
      '{ "processes": {\n"web": { "command": "x",\n "instances": 13 } } }',
      "line 3 of gantry.json is wrong: `processes.web.instances`: must be 12 or less",
    ],
    [
      '{ "processes": {\n"Web": { "command": "x" } } }',
      "line 2 of gantry.json is wrong: `processes.Web`: must be a process's name: up to 30 lower-case letters, digits, hyphens and underscores, beginning with a letter",
    ],
    [
      '{ "output_directory": "/dist" }',
      "line 1 of gantry.json is wrong: `output_directory`: must be a relative path inside the repository: write dist",
    ],
    [
      '{ "output_directory": "../x" }',
      expect.stringMatching(/^line 1 of gantry\.json is wrong: `output_directory`: /),
    ],
    ["[]", "line 1 of gantry.json is wrong: must be an object"],
  ])("with a wrong value is refused with its line: %j", (text, message) => {
    expect(problemOf(text)?.message).toEqual(message);
  });

  it("says how to write a process that is the text of its command", () => {
    expect(problemOf('{ "processes": { "web": "node server.js" } }')).toEqual({
      message: "line 1 of gantry.json is wrong: `processes.web`: must be an object",
      hint: 'Write a process as an object, such as { "command": "npm start" }.',
    });
  });

  it("of any text is read as JSON.parse does, or refused, in linear time", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: "binary" })), (text) => {
        const isJson = (() => {
          try {
            JSON.parse(text.replace(/^\uFEFF/, ""));
            return true;
          } catch {
            return false;
          }
        })();
        const problem = problemOf(text)?.message ?? "";
        if (!isJson) expect(problem).toMatch(/^gantry\.json is not JSON: /);
        else if (problem.startsWith("gantry.json is not JSON"))
          expect(problem).toMatch(/occurs twice|nested more than/);
      }),
    );
    const long = "k".repeat(30_000);
    const startedAt = process.cpuUsage();
    for (const text of [
      '"'.repeat(65_536),
      `"${"\\\\".repeat(32_000)}`,
      "[".repeat(65_536),
      `{"${long}":[${"1,".repeat(17_000)}1]}`,
      `{"processes":{${Array.from({ length: 6_000 }, (_, at) => `"p${at}":{}`).join()}}}`,
      "1".repeat(65_536),
    ])
      expect(problemOf(text)).not.toBeNull();
    // CPU time, which other programs on the machine do not lengthen.
    expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
  });
});
