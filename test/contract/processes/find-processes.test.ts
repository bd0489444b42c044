import { describe, expect, it } from "vitest";

import { type ChosenSettings, chooseBuild } from "#build/choose-build.ts";
import { describeChoice, startAdvice } from "#build/describe-choice.ts";
import { surveyTree } from "#contract/frameworks/tree.ts";
import { GANTRY_JSON } from "#contract/processes/read-gantry-json.ts";
import { PROCFILE } from "#contract/processes/read-procfile.ts";
import { type DefinitionFile, readRepositoryFiles } from "#contract/processes/repository-files.ts";

type Given = {
  readonly files?: Readonly<Record<string, string>>;
  readonly procfile?: string;
  readonly json?: object;
  readonly settings?: ChosenSettings;
};

function choose({ files = {}, procfile, json, settings = {} }: Given) {
  const texts = new Map<DefinitionFile, string>();
  if (procfile !== undefined) texts.set(PROCFILE, procfile);
  if (json !== undefined) texts.set(GANTRY_JSON, JSON.stringify(json));
  const read = readRepositoryFiles(texts);
  if (!read.ok) throw new Error(read.problem.message);
  return chooseBuild(surveyTree(new Map(Object.entries(files)), []), read.value, settings);
}

const express = { "package.json": '{"scripts":{"start":"node app.js"},"dependencies":{"express":"5"}}' };
const vite = { "package.json": '{"scripts":{"build":"vite build"},"dependencies":{"vite":"7"}}' };
const found = (given: Given) =>
  choose(given).processes.map(({ name, definition, from }) => `${from}: ${name}: ${definition.command}`);
const start = "NODE_ENV=${NODE_ENV:-production} node app.js";

describe("the processes of a repository", () => {
  it.each<[string, Given, readonly string[]]>([
    ["come from the preset", { files: express }, [`preset: web: ${start}`]],
    [
      "come from the Procfile before the preset",
      { files: express, procfile: "worker: b\nweb: a" },
      ["Procfile: web: a", "Procfile: worker: b"],
    ],
    [
      "come from gantry.json before both",
      { files: express, procfile: "web: a\nworker: b", json: { processes: { web: { command: "c" } } } },
      ["gantry.json: web: c", "Procfile: worker: b"],
    ],
    [
      "have the command of the preset if gantry.json changes only a field",
      { files: express, json: { processes: { web: { instances: 2 } } } },
      [`preset: web: ${start}`],
    ],
    [
      "come only from gantry.json if the project starts its app itself",
      {
        files: express,
        procfile: "worker: b",
        json: { processes: { clock: { command: "c" } } },
        settings: { activate_command: "restart" },
      },
      ["gantry.json: clock: c"],
    ],
    [
      "have no web if the project publishes a folder, unless gantry.json has it",
      { files: express, procfile: "web: a\nworker: b", settings: { output_directory: "public" } },
      ["Procfile: worker: b"],
    ],
    ["are none of a static site", { files: vite }, []],
  ])("%s", (_name, given, processes) => {
    expect(found(given)).toEqual(processes);
  });

  it("have their packages installed, also without a script start", () => {
    const files = { "package.json": '{"dependencies":{"fastify":"5"}}' };
    const { plan, preset } = choose({ files, procfile: "web: node app.js" });
    expect(plan).toMatchObject({ framework: "node", install_command: "npm install", build_command: null });
    expect(preset.reasons).toEqual(["package.json has dependencies", "Procfile defines the process web"]);
    expect(choose({ files }).plan).toMatchObject({ framework: "static", install_command: null });
  });

  it("without a command that is known are refused", () => {
    expect(choose({ files: vite, json: { processes: { web: { instances: 2 } } } }).problem).toEqual({
      message: "the process `web` of gantry.json has no command, and no command for it is known",
      hint: "Add a `command` to `processes.web` of gantry.json.",
    });
  });

  it("are refused if the files have too many together", () => {
    const lines = Array.from({ length: 15 }, (_, at) => `p${at}: x`).join("\n");
    const processes = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`j${at}`, { command: "x" }]));
    expect(choose({ procfile: lines, json: { processes } }).problem?.message).toBe(
      "gantry.json and the Procfile define 25 processes, and at most 20 are allowed",
    );
  });
});

describe("the files of a project", () => {
  it.each<[string, Given, boolean]>([
    ["with a web of its own are not published", { files: vite, procfile: "web: node server.js" }, false],
    ["with a worker stay published", { files: vite, procfile: "worker: node worker.js" }, true],
    ["that no framework knows are not published beside a worker", { procfile: "worker: elixir x" }, false],
    ["with a page are published", { files: { "index.html": "" }, procfile: "worker: x" }, true],
    [
      "are published if the repository names their folder",
      { files: express, json: { output_directory: "x" } },
      true,
    ],
  ])("%s", (_name, given, isPublished) => {
    expect(choose(given).isPublished).toBe(isPublished);
  });
});

describe("the line about the framework", () => {
  it.each<[string, Given]>([
    [
      "no framework, because no file names a framework and Procfile defines the process web: nothing to build, runs as a server",
      { files: { "server.py": "" }, procfile: "web: python3 server.py" },
    ],
    [
      "framework static, set in the project: nothing to build, runs as a server",
      { settings: { framework: "static" }, procfile: "web: x" },
    ],
    [
      "framework vite, detected because package.json depends on vite: installed by npm install, built by npm run build, served from dist",
      { files: vite },
    ],
  ])("is '%s'", (line, given) => {
    expect(describeChoice(choose(given))[0]).toBe(line);
  });
});

describe("the advice for an app that nothing starts", () => {
  const django = { "manage.py": "", "requirements.txt": "Django" };

  it("names what is missing, and the ways to name its command", () => {
    expect(startAdvice(choose({ files: django }))).toBe(
      "nothing starts this app: add gunicorn to its Python packages, or define the process web in a Procfile (`web: COMMAND`) or in the project's processes. To publish files instead, set output_directory.",
    );
  });

  it("is not given if something starts it", () => {
    for (const given of [
      { files: express },
      { files: django, settings: { activate_command: "restart" } },
      { files: django, settings: { processes: { web: { command: "x" } } } },
      { files: django, procfile: "web: x" },
      { files: vite },
    ])
      expect(startAdvice(choose(given))).toBeNull();
  });
});

describe("the settings of gantry.json", () => {
  it("come before the preset's and after the project's", () => {
    const json = { build_command: "make", output_directory: "site" };
    expect(choose({ files: vite, json }).preset).toMatchObject({
      install_command: null,
      build_command: "make",
      output_directory: "site",
    });
    const own = choose({ files: vite, json, settings: { build_command: "own" } });
    expect(own.plan).toMatchObject({ build_command: "own", output_directory: "site" });
    expect(own.presetCommands).toEqual([]);
    const named = choose({ json: { framework: "hugo" } });
    expect(named).toMatchObject({ frameworkFrom: "repository", plan: { framework: "hugo" } });
  });
});
