import { describe, expect, it } from "vitest";

import { type ChosenSettings, chooseBuild, withImageCommand } from "#build/choose-build.ts";
import { portOf } from "#build/choose-image.ts";
import { describeChoice, startAdvice } from "#build/describe-choice.ts";
import { presets } from "#project-files/frameworks/presets.ts";
import { surveyTree } from "#project-files/frameworks/tree.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE } from "#project-files/processes/read-procfile.ts";
import { type DefinitionFile, readRepositoryFiles } from "#project-files/processes/repository-files.ts";
import { nextDockerfile, railsDockerfile } from "./dockerfiles.ts";

type Files = Readonly<Record<string, string>>;
type Given = {
  readonly files?: Files;
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

const image = { files: { Dockerfile: nextDockerfile } };
const set = { framework: "dockerfile" };

describe("a project with a Dockerfile", () => {
  it("is built into its image if nothing else fits", () => {
    const choice = choose(image);
    expect(choice).toMatchObject({
      plan: { framework: "dockerfile", app_type: "server", install_command: null, build_command: null },
      preset: { framework: "dockerfile", start_command: null },
      problem: null,
      isPublished: false,
      firstStage: "build",
      processes: [],
      image: { dockerfile: { path: "Dockerfile", context: "." }, web: {}, facts: { ports: [3000] } },
    });
    expect(describeChoice(choice)).toEqual([
      "framework dockerfile, detected because Dockerfile exists and no other file names a framework: image of Dockerfile, runs as a server",
      "process web runs the command of the image (node server.js)",
    ]);
    expect(startAdvice(choice)).toBeNull();
  });

  it.each<[string, Files]>([
    ["a crate", { "Cargo.toml": "" }],
    ["a Compose file", { "compose.yaml": "" }],
    ["a program of Java", { "pom.xml": "" }],
    ["only texts", { "README.md": "" }],
  ])("is built into its image beside %s", (_, files) => {
    expect(choose({ files: { ...files, ...image.files } }).plan.framework).toBe("dockerfile");
  });

  it.each<[string, Given, string]>([
    ["the project", { settings: set }, "set in the project"],
    ["gantry.json", { json: set }, "set in gantry.json"],
    [
      "its setting dockerfile",
      { settings: { dockerfile: { path: "Dockerfile", context: "." } } },
      "set in the project",
    ],
    ["dockerfile of gantry.json", { json: { dockerfile: {} } }, "set in gantry.json"],
  ])("is built into its image if %s says so, whatever else is there", (_, given, from) => {
    const files = { "package.json": '{"dependencies":{"next":"16"}}', "index.html": "", ...image.files };
    const choice = choose({ files, ...given });
    expect(choice.problem).toBeNull();
    expect(choice.notes).toEqual([]);
    expect(describeChoice(choice)[0]).toBe(
      `framework dockerfile, ${from}: image of Dockerfile, runs as a server`,
    );
  });

  it("is built with another framework if that is set", () => {
    expect(choose({ ...image, settings: { framework: "static", output_directory: "." } })).toMatchObject({
      plan: { framework: "static" },
      image: null,
      problem: null,
    });
    const both = { framework: "astro", dockerfile: { path: "Dockerfile", context: "." } };
    expect(choose({ ...image, settings: both }).plan.framework).toBe("astro");
  });

  it("takes the Dockerfile of the project before the Dockerfile of gantry.json", () => {
    const own = { path: "Dockerfile", context: "apps", target: "deps" };
    const choice = choose({
      ...image,
      json: { dockerfile: { target: "base" } },
      settings: { dockerfile: own },
    });
    expect(choice.image).toMatchObject({ dockerfile: own, facts: { target: 1 } });
    expect(describeChoice(choice)[0]).toMatch(
      /: image of Dockerfile with the files of apps, stage deps, runs as a server$/,
    );
  });

  it("has the processes of the repository, and web with the command of the image", () => {
    const json = {
      processes: { web: { container_port: 4000, instances: 2 }, worker: { command: "node worker.js" } },
    };
    const choice = choose({ ...image, settings: set, json });
    expect(choice.problem).toBeNull();
    expect(choice.image?.web).toEqual({ container_port: 4000, instances: 2 });
    expect(choice.processes).toMatchObject([{ name: "worker" }]);
    const built = withImageCommand(choice, "node server.js");
    expect(built.plan.start_command).toBe("node server.js");
    expect(built.processes.map(({ name, definition }) => [name, definition.command])).toEqual([
      ["web", "node server.js"],
      ["worker", "node worker.js"],
    ]);
    expect(built.preset).toMatchObject({
      start_command: "node server.js",
      processes: { web: { command: "node server.js", container_port: 4000, instances: 2 } },
      repository_definitions: { processes: { web: "preset", worker: "gantry.json" } },
    });
  });

  it("has the command of the repository for web, if there is one", () => {
    const choice = choose({ ...image, settings: set, procfile: "web: node other.js" });
    expect(choice.image?.web).toBeNull();
    expect(withImageCommand(choice, "node server.js")).toBe(choice);
    expect(describeChoice(choice)).toContain("process web runs node other.js (Procfile)");
  });

  it("needs a command for every other process", () => {
    const choice = choose({ ...image, settings: set, json: { processes: { worker: { instances: 2 } } } });
    expect(choice.problem?.message).toContain("the process `worker` of gantry.json has no command");
  });

  it.each<[string, ChosenSettings]>([
    ["install_command", { install_command: "npm ci" }],
    ["build_command", { build_command: "make" }],
    ["output_directory", { output_directory: "dist" }],
    ["activate_command", { activate_command: "restart" }],
  ])("is refused with %s, which means nothing for an image", (name, settings) => {
    const choice = choose({ ...image, settings: { ...set, ...settings } });
    expect(choice.problem?.message).toBe(
      `${name} is set, and only the Dockerfile says how an image is built and started`,
    );
    expect(choice.problem?.hint).toMatch(new RegExp(`^Remove ${name}: .*\\. Or set another framework`));
    expect(choice.image).toBeNull();
  });

  it("may say that it has no commands", () => {
    const none = { ...set, install_command: null, build_command: null };
    expect(choose({ ...image, settings: none }).problem).toBeNull();
  });

  it.each<[string, Given, string, RegExp]>([
    ["no file", { settings: set }, "the root directory has no file Dockerfile", /^Commit the file/],
    [
      "another file",
      { settings: set, files: { Containerfile: "", "web.Dockerfile": "" } },
      "the root directory has no file Dockerfile",
      /^Set `path` of the setting dockerfile to `Containerfile` or `web\.Dockerfile`\./,
    ],
    [
      "no such file",
      { settings: { dockerfile: { path: "docker/web", context: "." } } },
      "the Dockerfile `docker/web` does not exist",
      /remove the settings framework and dockerfile/,
    ],
    ["an empty file", { files: { Dockerfile: "" } }, "Dockerfile has no line FROM", /FROM node:24/],
    [
      "no such stage",
      { ...image, settings: { dockerfile: { path: "Dockerfile", context: ".", target: "web" } } },
      "Dockerfile has no stage `web`",
      /`runner`/,
    ],
  ])("is refused with %s", (_, given, message, hint) => {
    const { problem, image: built } = choose(given);
    expect(problem?.message).toContain(message);
    expect(problem?.hint).toMatch(hint);
    expect(built).toBeNull();
  });

  it("is another way if nothing starts the app, and names a base image in a variable", () => {
    const files = { "requirements.txt": "flask", Dockerfile: "ARG BASE\nFROM $BASE" };
    expect(choose({ files }).problem?.hint).toMatch(
      /^Define the process web .* Or set framework to `dockerfile`: it builds and runs the image of Dockerfile\.$/,
    );
    expect(choose({ files, settings: { framework: "dockerfile" } })).toMatchObject({
      problem: null,
      notes: ["the base image `$BASE` has no default: set its variable as a plain variable"],
    });
  });

  it("listens on the port that is set, the only port that it exposes, or 8080", () => {
    expect(portOf(3000, [80])).toEqual({ port: 3000, from: "setting" });
    expect(portOf(undefined, [80])).toEqual({ port: 80, from: "EXPOSE" });
    expect(portOf(undefined, [])).toEqual({ port: 8080, from: "default" });
    expect(portOf(undefined, [443])).toEqual({ port: 443, from: "EXPOSE" });
    // TLS is for the ingress.
    expect(portOf(undefined, [443, 3000])).toEqual({ port: 3000, from: "EXPOSE" });
    expect(portOf(undefined, [9394, 443, 80])).toEqual({ port: 80, from: "EXPOSE" });
    expect(portOf(undefined, [80, 8080])).toEqual({ port: 8080, from: "EXPOSE" });
    expect(portOf(undefined, [3000, 4000])).toEqual({ port: 8080, from: "default" });
    const two = { files: { Dockerfile: "FROM a\nEXPOSE 3000 4000" } };
    expect(choose(two).notes).toEqual([
      "the image exposes the ports 3000, 4000: set container_port of the process web to the port for visitors, which is otherwise 8080",
    ]);
    const port = { processes: { web: { container_port: 80 } } };
    for (const given of [{ json: port }, { settings: port }])
      expect(choose({ ...two, ...given }).notes).toEqual([]);
  });
});

/** The files by which a sign of a preset is present. */
function filesOf(sign: string): Files {
  const [, kind = "", name = ""] = /^([^:]*):?(.*)$/.exec(sign) ?? [];
  switch (kind) {
    case "file":
      return { [name]: "" };
    case "npm":
      return { "package.json": JSON.stringify({ dependencies: { [name]: "1" } }) };
    case "composer":
      return { "composer.json": JSON.stringify({ require: { [name]: "1" } }) };
    case "gem":
      return { Gemfile: `gem "${name}"` };
    case "pip":
      return { "requirements.txt": name };
    case "toml":
      return { "pyproject.toml": `[${name}]` };
    case "start":
      return { "package.json": '{"scripts":{"start":"node server.js"}}' };
    case "zola":
    case "hugo":
      return { "config.toml": kind === "zola" ? "[markdown]" : 'theme = "x"', content: "", themes: "" };
    default:
      return { "_config.yml": "plugins: []", _posts: "" };
  }
}

const fixtures: readonly Files[] = [
  ...Object.values(presets).flatMap(({ signs }) =>
    signs.map((line) => line.map(filesOf).reduce((all, one) => ({ ...all, ...one }), {})),
  ),
  ...["index.html", "public/index.html", "server.js"].map((path) => ({ [path]: "" })),
  { "package.json": '{"scripts":{"build":"make"}}' },
  { "package.json": '{"dependencies":{"fastify":"5"}}' },
  {},
];

/** Settings and definitions with which files without a framework can be deployed. */
const ways: readonly Omit<Given, "files">[] = [
  {},
  { settings: { framework: "static" } },
  { settings: { build_command: "make" } },
  { settings: { install_command: "make deps" } },
  { settings: { output_directory: "dist" } },
  { settings: { activate_command: "restart" } },
  { settings: { release_command: "migrate" } },
  { settings: { processes: { worker: { command: "w" } } } },
  { procfile: "web: w" },
  { procfile: "worker: w" },
  { procfile: "release: r" },
  { json: { processes: { web: { command: "w" } } } },
  { json: { cron: [{ name: "c", schedule: "@daily", command: "c" }] } },
  { json: { build_command: "make" } },
  { json: { output_directory: "dist" } },
];

describe("an existing project", () => {
  it("stays as it is when a Dockerfile is added, if it could be deployed or had a framework", () => {
    const advice = "Dockerfile is not used: to build and run its image, set framework to `dockerfile`";
    for (const files of fixtures)
      for (const way of ways) {
        const before = choose({ ...way, files });
        const after = choose({ ...way, files: { ...files, Dockerfile: railsDockerfile } });
        const hadNothing = before.problem !== null && before.plan.framework === "static";
        if (hadNothing && after.image !== null) continue;
        expect(after.notes).toContain(advice);
        const notes = after.notes.filter((note) => note !== advice);
        const problem = before.problem === null ? null : expect.anything();
        expect({ ...after, notes }, JSON.stringify({ files, ...way })).toEqual({ ...before, problem });
      }
  });

  it("is covered with each preset", () => {
    const detected = new Set(fixtures.map((files) => choose({ files }).plan.framework));
    for (const name of Object.keys(presets)) if (name !== "dockerfile") expect(detected).toContain(name);
  });
});
