import { describe, expect, it } from "vitest";

import { type ChosenSettings, chooseBuild } from "#build/choose-build.ts";
import { describeChoice, startAdvice } from "#build/describe-choice.ts";
import { surveyTree } from "#project-files/frameworks/tree.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE } from "#project-files/processes/read-procfile.ts";
import { type DefinitionFile, readRepositoryFiles } from "#project-files/processes/repository-files.ts";

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
    expect(preset.reasons).toEqual(["package.json depends on fastify", "Procfile defines the process web"]);
    const other = { "package.json": '{"dependencies":{"discord.js":"14"}}' };
    expect(choose({ files: other, procfile: "worker: node ." }).plan).toMatchObject({
      framework: "node",
      reasons: ["package.json has dependencies"],
    });
    expect(choose({ files: other }).plan).toMatchObject({ framework: "static", install_command: null });
  });

  it("are reported with the files that define them, the release command and the jobs", () => {
    const job = { name: "backup", schedule: "@daily", command: "./backup" };
    const definitions = (given: Given) => choose(given).preset.repository_definitions;
    const given = { files: express, procfile: "worker: a\nrelease: ./migrate", json: { cron: [job] } };
    const all = {
      release_command: { command: "./migrate", from: "Procfile" },
      processes: { web: "preset", worker: "Procfile" },
      cron: [job],
    };
    expect(definitions(given)).toEqual(all);
    // The project's own can be removed later.
    expect(definitions({ ...given, settings: { release_command: "./own" } })).toEqual(all);
    const json = { release_command: "./seed", processes: { worker: { command: "b" } } };
    expect(definitions({ ...given, json })).toEqual({
      release_command: { command: "./seed", from: "gantry.json" },
      processes: { web: "preset", worker: "gantry.json" },
      cron: [],
    });
    expect(definitions({ files: vite })).toBeUndefined();
    expect(
      definitions({ procfile: "release: x", settings: { activate_command: "./start" } }),
    ).toBeUndefined();
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
      "framework static, detected because no file names a framework: nothing to build, not published",
      { files: { "Cargo.toml": "" } },
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

describe("an app that nothing starts", () => {
  const django = { "manage.py": "", "requirements.txt": "Django" };
  const web =
    "efine the process web in a Procfile (`web: COMMAND`), in gantry.json or in the project's processes. To publish files instead, set output_directory.";

  it.each<[Given["files"], string, string]>([
    [
      { "manage.py": '"DJANGO_SETTINGS_MODULE", "a.b"', "a/wsgi.py": "", "requirements.txt": "Django" },
      "none of its Python packages is a server, such as gunicorn",
      `Add gunicorn to its Python packages, or d${web}`,
    ],
    [
      { "requirements.txt": "fastapi\nuvicorn" },
      "no file creates an app of FastAPI: looked in app.py, main.py, wsgi.py, asgi.py and other files at the top, in the folders there, and in src, backend, server, app and api",
      `D${web}`,
    ],
    [
      { "package.json": '{"dependencies":{"express":"5"},"scripts":{"start":"webpack serve"}}' },
      "the script start of package.json starts no server for visitors (`webpack serve`), and none of server.js, index.js, app.js and main.js is at the top, in src or in server",
      `Add a script start to package.json that runs the app, such as \`node server.js\`, or d${web}`,
    ],
    [
      { "go.mod": "module a/b" },
      "the module has no package main at its top, in cmd or in a folder of its own, or several with other names than `server`, `web`, `app` and `api`",
      `D${web}`,
    ],
    [
      { "composer.json": "{}" },
      "there is neither a folder public nor an index.php, also not in web, webroot, pub, public_html, htdocs and docroot",
      `Put its index.php into public, or d${web}`,
    ],
    [
      { "requirements.txt": "gradio\n", "app.py": "demo.launch()" },
      "requirements.txt names gradio, which has a server of its own, and no file says how it is started",
      `Write a Procfile such as \`web: GRADIO_SERVER_NAME=127.0.0.1 GRADIO_SERVER_PORT=$PORT .venv/bin/python3 app.py\`, or d${web}`,
    ],
    [
      { "nx.json": "", "package.json": '{"scripts":{"start":"nx serve"},"dependencies":{"express":"4"}}' },
      "this is the root of a workspace of Nx, and no script starts one of its apps",
      `Set build_command to build one app, such as \`npx nx build NAME\`, and for a server define the process web, such as \`web: node dist/apps/NAME/main.js\`, or for a site set output_directory, such as \`dist/apps/NAME\`, or d${web}`,
    ],
    [{ Gemfile: 'gem "sinatra"' }, "there is no config.ru", `Add a config.ru and the gem puma, or d${web}`],
  ])("fails with where its command was looked for: %j", (files = {}, why, hint) => {
    expect(choose({ files }).problem).toEqual({ message: `nothing starts this app: ${why}`, hint });
  });

  it("is deployed if a person says how it is used", () => {
    for (const given of [
      { files: express },
      { files: django, settings: { activate_command: "restart" } },
      { files: django, settings: { processes: { web: { command: "x" } } } },
      { files: django, settings: { processes: { worker: { command: "x" } } } },
      { files: django, settings: { release_command: "x" } },
      { files: django, settings: { output_directory: "static" } },
      { files: django, settings: { cron: [{}] } },
      { files: django, procfile: "web: x" },
      { files: django, procfile: "release: x" },
      { files: django, json: { cron: [{ name: "a", schedule: "@daily", command: "x" }] } },
      { files: vite },
    ])
      expect(choose(given).problem).toBeNull();
  });

  it("is warned about if it has only other processes", () => {
    expect(startAdvice(choose({ files: django, procfile: "worker: x" }))).toMatch(
      /^nothing answers requests to this app: if something should, define the process web/,
    );
    expect(startAdvice(choose({ files: express }))).toBeNull();
  });
});

describe("files that are neither a site nor a known app", () => {
  const problemOf = (files: Given["files"], settings: ChosenSettings = {}) =>
    choose({ files: files ?? {}, settings }).problem;
  const beginning =
    "there is nothing to publish: no framework is detected, index.html is neither at the top nor in public, ";

  it.each<[Given["files"], string, RegExp]>([
    [
      { "package.json": '{"main":"index.js"}', "index.js": "" },
      "and package.json has no scripts",
      /^Add the script/,
    ],
    [
      { "package.json": '{"scripts":{"test":"x"}}' },
      "and package.json has neither a script start that starts a server nor a script build",
      /set output_directory|Set output_directory/,
    ],
    [{ "Cargo.toml": "", Containerfile: "" }, "and `Cargo.toml` is of Rust, which", /cargo build --release/],
    [{ Containerfile: "" }, "and `Containerfile` is of Docker, which", /framework to `dockerfile`.*`path`/],
    [
      { "docker-compose.prod.yml": "" },
      "and `docker-compose.prod.yml` is of Docker Compose, which",
      /gantry import compose FILE/,
    ],
    [{ "pom.xml": "" }, "and `pom.xml` is of Java with Maven, which", /mvnw/],
    [{ "build.gradle.kts": "" }, "and `build.gradle.kts` is of Java or Kotlin", /gradlew/],
    [{ "mix.exs": "" }, "and `mix.exs` is of Elixir, which", /mix release/],
    [{ "Shop.csproj": "" }, "and `Shop.csproj` is of .NET, which", /dotnet publish/],
    [{ "deno.json": "" }, "and `deno.json` is of Deno, which", /deno task start/],
    [{ "Package.swift": "" }, "and `Package.swift` is of Swift, which", /swift build/],
    [{ "pubspec.yaml": "" }, "and `pubspec.yaml` is of Dart or Flutter, which", /build\/web/],
    [{ "App.csproj": "" }, "and `App.csproj` is of .NET", /Blazor WebAssembly.*`out\/wwwroot`/],
    [
      { "_quarto.yml": "", "index.qmd": "" },
      "and `_quarto.yml` is of Quarto, which",
      /quarto render.*`_site`/,
    ],
    [{ "quartz.config.ts": "", "package.json": "{}" }, "and `quartz.config.ts` is of Quartz", /`public`/],
    [{ "docfx.json": "", "index.md": "" }, "and `docfx.json` is of DocFX, which", /`_site`/],
    [{ "_config.ts": "", "deno.json": "{}" }, "and `_config.ts` is of Lume, which", /deno task build/],
    [{ "app.R": "", "renv.lock": "" }, "and `app.R` is of R, which", /shiny::runApp/],
    [{ "Project.toml": "", "server.jl": "" }, "and `Project.toml` is of Julia, which", /julia --project/],
    [
      { "package.json": '{"scripts":{"build-storybook":"x"}}' },
      "and the components of Storybook",
      /npx storybook build`, and output_directory to `storybook-static`/,
    ],
    [
      { "package.json": '{"scripts":{"start":"electron-forge start"},"devDependencies":{"electron":"30"}}' },
      "and package.json depends on electron: an app for the desktop is neither a site nor a server",
      /^Deploy the site with its downloads/,
    ],
    [{ Makefile: "" }, "and `Makefile` is of a build of its own", /Set build_command/],
    [
      { "netlify.toml": "" },
      "and `netlify.toml` is of settings of another",
      /output_directory to what the file says/,
    ],
    [
      { "package.json": '{"workspaces":["apps/*"],"scripts":{"build":"turbo run build"}}' },
      "and this is the root of a workspace",
      /root_directory/,
    ],
    [
      { "pnpm-workspace.yaml": "", "package.json": "{}" },
      "and this is the root of a workspace",
      /root_directory/,
    ],
    [
      { "environment.yml": "", "app.py": "" },
      "and `environment.yml` is of Conda, which",
      /requirements\.txt/,
    ],
    [{ "app.py": "", templates: "" }, "and `app.py` is of Python without a list", /requirements\.txt/],
    [{ "app.rb": "" }, "and `app.rb` is of Ruby without a Gemfile", /Gemfile/],
    [{ "Main.uproject": "", Source: "" }, "and `Main.uproject` is of a game engine", /for the web/],
    [
      { "package.json": '{"scripts":{"start":"expo start"},"dependencies":{"expo":"1"}}' },
      "and package.json depends on expo",
      /npm install && npx expo export --platform web.*`dist`/,
    ],
    [{ "about.html": "", "style.css": "" }, "only `about.html`", /Rename the first page to index.html/],
    [{ "Index.html": "" }, "only `Index.html`, which is another name", /^Rename it to index.html/],
    [{ "README.md": "", LICENSE: "", ".gitignore": "" }, "only `README.md`, `LICENSE`", /output_directory/],
    [{}, "and the folder is empty", /output_directory/],
    [{ "data.csv": "" }, "and no file says how", /output_directory/],
  ])("%j", (files, why, hint) => {
    const problem = problemOf(files);
    expect(problem?.message.slice(0, beginning.length)).toBe(beginning);
    expect(problem?.message.slice(beginning.length)).toContain(why);
    expect(problem?.hint).toMatch(hint);
    expect((problem?.hint ?? "").length).toBeLessThan(500);
  });

  it("are not published with a framework that has no preset", () => {
    expect(problemOf({}, { framework: "phoenix" })?.message).toMatch(
      /^there is no preset for the framework phoenix, and there is nothing/,
    );
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["Cargo.toml", { "Cargo.toml": "" }, /trunk build/],
    ["pom.xml", { "pom.xml": "" }, /mvnw package/],
    ["mix.exs", { "mix.exs": "" }, /mix release/],
    ["Shop.csproj", { "Shop.csproj": "" }, /dotnet publish/],
    ["app.py", { "app.py": "from flask import Flask\napp = Flask(__name__)\n" }, /requirements\.txt/],
    ["app.py", { "requirements.txt": "bottle\n", "app.py": "app = Bottle()\n" }, /web: COMMAND/],
    ["requirements.txt", { "requirements.txt": "tornado==6\n", "run.py": "import tornado" }, /web: COMMAND/],
    ["server.js", { "server.js": 'const http = require("http");\n' }, /web: node server\.js/],
    ["server.js", { "server.js": 'import { createServer } from "node:http";\n' }, /web: node server\.js/],
    ["api/hello.js", { "api/hello.js": "module.exports = (req, res) => res.send(1)\n" }, /folder public/],
    ["api/hello.ts", { "api/hello.ts": "export default async function handler(req, res) {}\n" }, /public/],
    ["functions/a.js", { "functions/a.js": "export async function onRequest(context) {}\n" }, /public/],
    ["netlify/functions/a.js", { "netlify/functions/a.js": "exports.handler = async () => {}\n" }, /public/],
    ["electron", { "package.json": '{"devDependencies":{"electron":"30"}}' }, /another repository/],
    ["_worker.js", { "_worker.js": "export default { fetch() {} }\n" }, /public/],
  ])("are not published with an index.html beside %s", (name, files, hint) => {
    const problem = problemOf({ ...files, "index.html": "" });
    expect(problem?.message).toMatch(/^index\.html is not published as it is, because /);
    expect(problem?.message).toContain(name);
    expect(problem?.hint).toMatch(hint);
    expect(problem?.hint).toMatch(/To publish the files as they are, set output_directory to `\.`\.$/);
    expect(problemOf({ ...files, "index.html": "" }, { output_directory: "." })).toBeNull();
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ["a script of PyScript", { "main.py": "from pyscript import display\n" }],
    ["a program that makes its pages", { "requirements.txt": "jinja2\nrequests\n", "build.py": "" }],
    ["a script of the documentation", { "api/main.js": "export const toggle = (menu) => menu.open()\n" }],
    ["a configuration that GitHub does not use", { "_config.yml": "title: a\n", ".nojekyll": "" }],
    ["a script of the page", { "server.js": 'document.title = "Servers";\n' }],
    ["a container and a solution of an editor", { Dockerfile: "", "Site.sln": "", "deno.json": "{}" }],
  ])("are published with an index.html beside %s", (_, files) => {
    expect(problemOf({ ...files, "index.html": "" })).toBeNull();
  });

  it("say which programs of PHP do not run beside an index.html", () => {
    expect(choose({ files: { "index.html": "", "contact.php": "" } }).notes).toEqual([
      "`contact.php` does not run and is not shown, because index.html makes this a static site. For an app of PHP, rename index.html to index.php",
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      "programs that visitors can read",
      { "bot.py": "", "install.sh": "", "setup.py": "" },
      [
        "visitors can read `bot.py` and 1 more, beside index.html: if they are not meant to, move the site into the folder public",
      ],
    ],
    [
      "settings of Apache",
      { ".htaccess": "" },
      [
        ".htaccess is for Apache, and has no effect: write redirects into _redirects, and headers into _headers",
      ],
    ],
    [
      "rules of another platform",
      { "vercel.json": '{ "rewrites": [{ "source": "/(.*)", "destination": "/index.html" }] }' },
      [
        "redirects, rewrites and headers of `vercel.json` have no effect: write them into _redirects and _headers, and set fallback for a single-page app",
      ],
    ],
    ["settings without rules", { "netlify.toml": '[build]\npublish = "."\n' }, []],
    ["only pages", { "style.css": "", "app.js": "" }, []],
  ])("say what has another effect than elsewhere: %s", (_, files, notes) => {
    expect(choose({ files: { ...files, "index.html": "" } }).notes).toEqual(notes);
  });

  it("say nothing of a fallback that the site has", () => {
    const rules = { "vercel.json": '{ "rewrites": [] }' };
    expect(choose({ files: { ...vite, ...rules } }).notes).toEqual([
      "redirects, rewrites and headers of `vercel.json` have no effect: write them into _redirects and _headers",
    ]);
  });

  it("say which functions do not run", () => {
    const api = { "api/hello.js": "export default function handler(req, res) {}" };
    expect(choose({ files: { ...vite, ...api } }).notes).toEqual([
      "`api/hello.js` is a function of another platform, and does not run: requests to it are missing pages",
    ]);
    const page = { "index.html": "", public: "", "public/index.html": "" };
    expect(choose({ files: { ...page, ...api } })).toMatchObject({
      problem: null,
      notes: [expect.stringContaining("function")],
    });
  });

  it.each<[string, string]>([
    ["netlify.toml", 'publish = "dist"'],
    ["vercel.json", '{ "outputDirectory": "./dist/" }'],
    ["wrangler.toml", '[assets]\ndirectory = "./dist"'],
    ["firebase.json", '{ "hosting": { "public": "dist" } }'],
  ])("are published from the folder that %s names, if a page is there", (name, text) => {
    const page = { [name]: text, "dist/index.html": "" };
    expect(choose({ files: page })).toMatchObject({ problem: null, plan: { output_directory: "dist" } });
    expect(problemOf({ [name]: text })).not.toBeNull();
    const built = choose({ files: { [name]: text, "package.json": '{"scripts":{"build":"x"}}' } });
    expect(built).toMatchObject({
      findsOutput: true,
      isOutputNamed: false,
      plan: { output_directory: "dist" },
    });
  });

  it("are published if a setting names the folder", () => {
    expect(problemOf({ "Cargo.toml": "" }, { output_directory: "." })).toBeNull();
    expect(problemOf({ "Cargo.toml": "" }, { build_command: "make" })).toBeNull();
    expect(problemOf({ "index.html": "", Dockerfile: "" })).toBeNull();
  });
});

describe("the folder to publish", () => {
  const build = { "package.json": '{"scripts":{"build":"rollup -c"}}' };

  it.each<[string, Given, boolean]>([
    ["is found after a build that no framework explains", { files: build }, true],
    ["also beside a page, which may be its source", { files: { ...build, "index.html": "" } }, true],
    ["and after a build command of the project", { settings: { build_command: "make" } }, true],
    ["but not if a setting names it", { files: build, settings: { output_directory: "x" } }, false],
    ["or a framework does", { files: vite }, false],
    [
      "or the page is there before",
      { files: { "index.html": "" }, settings: { build_command: "make" } },
      false,
    ],
    ["or the app runs as a server", { files: build, procfile: "web: x" }, false],
  ])("%s", (_name, given, finds) => {
    expect(choose(given).findsOutput).toBe(finds);
  });
});

describe("the lines about the scripts of package.json", () => {
  const notes = (dependency: string, scripts: object) =>
    choose({ files: { "package.json": JSON.stringify({ scripts, dependencies: { [dependency]: "1" } }) } })
      .notes;

  it.each<[string, object, readonly string[]]>([
    [
      "vite",
      { start: "node server.js", preview: "vite preview" },
      ["the script start starts the app, because it runs a program: `node server.js`"],
    ],
    [
      "express",
      { start: "nodemon app.js", "start:prod": "node app.js" },
      [
        "the script start:prod starts the app, because it runs a program: `node app.js`",
        "the script start is not used, because it starts a development server: `nodemon app.js`",
      ],
    ],
    [
      "vite",
      { start: "vite" },
      ["the script start is not used, because it starts a development server: `vite`"],
    ],
    ["vite", { build: "vite build" }, []],
  ])("of %s with %j", (dependency, scripts, lines) => {
    expect(notes(dependency, scripts)).toEqual(lines);
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
