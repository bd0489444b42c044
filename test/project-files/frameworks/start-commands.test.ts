import { describe, expect, it } from "vitest";

import { noStart } from "#project-files/frameworks/servers/no-start.ts";
import { suggestWorker } from "#project-files/frameworks/servers/suggest-workers.ts";
import { deepPaths, surveyTree } from "#project-files/frameworks/tree.ts";
import { detectFramework, presetFor } from "#project-files/frameworks/preset-for.ts";

type Files = Readonly<Record<string, string>>;

const tree = (files: Files) => surveyTree(new Map(Object.entries(files)), []);

function startOf(files: Files): string | null {
  const found = tree(files);
  return presetFor(detectFramework(found), found).start_command;
}

const npm = (name: string, scripts: Files, more: Files = {}): Files => ({
  "package.json": JSON.stringify({ scripts, dependencies: { [name]: "1" } }),
  "package-lock.json": "",
  ...more,
});
const production = "NODE_ENV=${NODE_ENV:-production}";

describe("a Node app whose packages are not in node_modules is started by its package manager", () => {
  const yarn = { "yarn.lock": "", "package-lock.json": "" };
  const berry = { ...yarn, ".yarnrc.yml": "enableTelemetry: false\n" };
  const withManager = (files: Files, packageManager: unknown, more: object = {}): Files => ({
    ...files,
    "package.json": JSON.stringify({ ...JSON.parse(files["package.json"] ?? "{}"), packageManager, ...more }),
  });
  const only = (files: Files): Files => {
    const { "package-lock.json": _, ...rest } = files;
    return rest;
  };
  const express = (more: Files) => only(npm("express", { start: "node app.js" }, more));
  it.each<[string, Files, string]>([
    ["Yarn", express(berry), `${production} yarn node app.js`],
    ["Yarn without settings", withManager(express(yarn), "yarn@4.9.2"), `${production} yarn node app.js`],
    [
      "Yarn with nodeLinker: pnp",
      express({ ...yarn, ".yarnrc.yml": 'nodeLinker: "pnp"\n' }),
      `${production} yarn node app.js`,
    ],
    [
      "Yarn with node_modules",
      express({ ...yarn, ".yarnrc.yml": "nodeLinker: node-modules\n" }),
      `${production} node app.js`,
    ],
    [
      "Yarn with pnpm's folders",
      express({ ...yarn, ".yarnrc.yml": "nodeLinker: 'pnpm'\n" }),
      `${production} node app.js`,
    ],
    ["Yarn 1", express(yarn), `${production} node app.js`],
    [
      "Yarn 1 with installConfig",
      withManager(express(yarn), undefined, { installConfig: { pnp: true } }),
      `${production} yarn node app.js`,
    ],
    [
      "pnpm with node-linker",
      express({ "pnpm-lock.yaml": "", ".npmrc": "auto-install-peers=true\nnode-linker=pnp\n" }),
      `${production} pnpm exec node app.js`,
    ],
    [
      "pnpm with nodeLinker",
      express({ "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "nodeLinker: pnp\n" }),
      `${production} pnpm exec node app.js`,
    ],
    [
      "pnpm",
      express({ "pnpm-lock.yaml": "", ".npmrc": "node-linker=hoisted\n" }),
      `${production} node app.js`,
    ],
    [
      "server.js without a script",
      only(npm("express", {}, { ...berry, "server.js": "" })),
      `${production} yarn node server.js`,
    ],
    ["Next", only(npm("next", {}, berry)), "yarn run next start -H 127.0.0.1 -p $PORT"],
    [
      "Next with pnpm",
      only(npm("next", {}, { "pnpm-lock.yaml": "", ".npmrc": "node-linker=pnp" })),
      "pnpm exec next start -H 127.0.0.1 -p $PORT",
    ],
    ["a script", only(npm("express", { start: "tsx app.ts" }, berry)), `${production} yarn run start`],
    [
      "Nuxt, whose server has its own packages",
      only(npm("nuxt", { build: "nuxt build" }, berry)),
      `${production} node .output/server/index.mjs`,
    ],
  ])("%s", (_name, files, command) => {
    expect(startOf(files)).toBe(command);
  });

  it("in a workspace by the settings of its root", () => {
    const files = new Map(Object.entries(express({})));
    const root = new Map([
      ["package.json", JSON.stringify({ workspaces: ["apps/*"], packageManager: "yarn@4.9.2" })],
      ["yarn.lock", ""],
      [".yarnrc.yml", ""],
    ]);
    const start = () =>
      presetFor("express", surveyTree(files, [{ path: ".", inside: "apps/api", files: root }])).start_command;
    expect(start()).toBe(`${production} yarn node app.js`);
    root.set(".yarnrc.yml", "nodeLinker: node-modules\n");
    expect(start()).toBe(`${production} node app.js`);
  });
});

describe("a Node app is started", () => {
  it.each<[string, Files, string | null]>([
    ["Express", npm("express", { start: "node app.js" }), `${production} node app.js`],
    [
      "with a hook of npm",
      npm("express", { prestart: "node migrate.js", start: "node app.js" }),
      `${production} npm run start`,
    ],
    [
      "with a script that is more than one program",
      npm("express", { start: "node migrate.js && node app.js" }),
      `${production} npm run start`,
    ],
    ["without a script", npm("express", {}, { "server.js": "" }), `${production} node server.js`],
    ["by no command if nothing names its start file", npm("express", {}), null],
    [
      "by the file that it begins with",
      npm("express", {}, { "index.js": "" }),
      `${production} node index.js`,
    ],
    [
      "by main of package.json",
      {
        "package.json": '{"main":"lib/api.js","dependencies":{"fastify":"5"}}',
        "lib/api.js": "",
        "index.js": "",
      },
      `${production} node lib/api.js`,
    ],
    [
      "by main of package.json, which the build makes",
      { "package.json": '{"main":"dist/index","scripts":{"build":"tsc"},"dependencies":{"koa":"2"}}' },
      `${production} node dist/index.js`,
    ],
    ["without nodemon", npm("express", { start: "nodemon src/app.js" }), `${production} node src/app.js`],
    [
      "by another script than one for development",
      npm("express", { start: "webpack serve", "start:prod": "node dist/server.js" }),
      `${production} node dist/server.js`,
    ],
    [
      "of Nuxt not by a script that previews it",
      npm("nuxt", { start: "nuxt preview", build: "x" }),
      `${production} node .output/server/index.mjs`,
    ],
    [
      "Express with Vite",
      npm("vite", { start: "node server", preview: "vite preview" }),
      `${production} node server`,
    ],
    [
      "Express with Vite, by a script preview that runs a program",
      npm("vite", { dev: "node server", preview: "cross-env NODE_ENV=production node server" }),
      `${production} npm run preview`,
    ],
    [
      "Express with Create React App",
      npm("react-scripts", { start: "node server.js" }),
      `${production} node server.js`,
    ],
    [
      "by no command if a package for servers is only for development",
      { "package.json": '{"devDependencies":{"fastify":"5"}}', "index.js": "" },
      null,
    ],
    [
      "Vite that shows what it has built",
      npm("vite", { start: "npm run build && vite preview", build: "node build.js" }),
      null,
    ],
    [
      "Vite with a server after its build",
      npm("vite", { start: "npm run build && node server.js", build: "vite build" }),
      `${production} npm run start`,
    ],
    [
      "Vite without a server",
      npm("vite", { start: "vite", serve: "vite preview", server: "node api.js" }),
      null,
    ],
    ["Create React App without one", npm("react-scripts", { start: "react-scripts start" }), null],
    ["an ejected one", npm("react-dev-utils", { start: "node scripts/start.js" }), null],
    ["Angular without one", npm("@angular/core", { start: "ng serve" }), null],
    ["TanStack Start", npm("@tanstack/react-start", {}, { "package-lock.json": "" }), null],
    [
      "TanStack Start with Nitro",
      {
        "package.json": '{"dependencies":{"@tanstack/react-start":"1","nitro":"3","vite":"7"}}',
        "package-lock.json": "",
      },
      `${production} node .output/server/index.mjs`,
    ],
    [
      "TanStack Start with a script",
      npm("@tanstack/react-start", { start: "node .output/server/index.mjs" }),
      `${production} node .output/server/index.mjs`,
    ],
    ["Nitro", npm("nitropack", {}), `${production} node .output/server/index.mjs`],
    ["SolidStart", npm("@solidjs/start", { start: "vinxi start" }), `${production} npm run start`],
    [
      "Analog",
      npm("@analogjs/platform", { start: "ng serve" }),
      `${production} node dist/analog/server/index.mjs`,
    ],
    [
      "Qwik City",
      npm("@builder.io/qwik-city", { start: "vite --open --mode ssr", serve: "node server/entry.express" }),
      `${production} node server/entry.express`,
    ],
    ["Vike", npm("vike", { prod: "tsx ./server/index.ts" }), `${production} npm run prod`],
    [
      "AdonisJS",
      npm("@adonisjs/core", { start: "node bin/server.js" }),
      `${production} node build/bin/server.js`,
    ],
    [
      "Nest, whose script start compiles",
      npm("@nestjs/core", { start: "nest start", "start:prod": "node dist/main" }),
      `${production} node dist/main`,
    ],
    ["Next", npm("next", { start: "next start" }), "node_modules/.bin/next start -H 127.0.0.1 -p $PORT"],
    [
      "Next with a port of its own",
      npm("next", { start: "next start --port 4000" }),
      "node_modules/.bin/next start --port 4000 -H 127.0.0.1 -p $PORT",
    ],
    [
      "Next with bun",
      { ...npm("next", {}), "bun.lock": "", "package-lock.json": "" },
      "bunx next start -H 127.0.0.1 -p $PORT",
    ],
    [
      "Next with a server of its own",
      npm("next", { start: "node server.js" }),
      `${production} node server.js`,
    ],
    [
      "SvelteKit",
      npm("@sveltejs/kit", {}, { "svelte.config.js": 'import a from "@sveltejs/adapter-node";' }),
      `PROTOCOL_HEADER=x-forwarded-proto ${production} node build`,
    ],
  ])("%s", (_name, files, command) => {
    expect(startOf(files)).toBe(command);
  });
});

describe("a Python app is started", () => {
  const manage = { "manage.py": 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")' };
  const wsgi = { "shop/wsgi.py": "" };

  it.each<[string, Files, string | null]>([
    [
      "Django, as its generator makes it",
      { ...manage, ...wsgi, "requirements.txt": "Django\ngunicorn" },
      ".venv/bin/gunicorn --bind 127.0.0.1:$PORT --threads 4 shop.wsgi:application",
    ],
    [
      "Django with settings that name the app",
      {
        ...manage,
        "shop/settings.py": 'WSGI_APPLICATION = "shop.web.wsgi.app"\n',
        "requirements.txt": "Django\nwaitress",
      },
      ".venv/bin/waitress-serve --listen=127.0.0.1:$PORT shop.web.wsgi:app",
    ],
    [
      "Django with Channels",
      { ...manage, ...wsgi, "shop/asgi.py": "", "requirements.txt": "channels\nDjango\ngunicorn\ndaphne" },
      ".venv/bin/daphne -b 127.0.0.1 -p $PORT shop.asgi:application",
    ],
    ["Django without a server", { ...manage, ...wsgi, "requirements.txt": "Django" }, null],
    [
      "Flask",
      { "requirements.txt": "flask\ngunicorn", "app.py": "from flask import Flask\nweb = Flask(__name__)" },
      ".venv/bin/gunicorn --bind 127.0.0.1:$PORT --threads 4 app:web",
    ],
    [
      "Flask with a factory",
      { "requirements.txt": "flask\ngunicorn", "app/__init__.py": "def create_app(config=None):\n" },
      ".venv/bin/gunicorn --bind 127.0.0.1:$PORT --threads 4 'app:create_app()'",
    ],
    [
      "Flask with an entry",
      { "requirements.txt": "flask\ngunicorn", "wsgi.py": "from shop import create_app\napp = create_app()" },
      ".venv/bin/gunicorn --bind 127.0.0.1:$PORT --threads 4 wsgi:app",
    ],
    [
      "FastAPI with its standard packages",
      { "requirements.txt": "fastapi[standard]==0.1", "app/main.py": "app: FastAPI = FastAPI(title='x')" },
      ".venv/bin/uvicorn --host 127.0.0.1 --port $PORT app.main:app",
    ],
    [
      "FastAPI in a folder, whose files import each other by plain names",
      {
        "requirements.txt": "fastapi\nuvicorn",
        "backend/main.py": "from fastapi import FastAPI\nfrom db import engine\napp = FastAPI()",
        "backend/db.py": "",
      },
      "PYTHONPATH=backend .venv/bin/uvicorn --host 127.0.0.1 --port $PORT main:app",
    ],
    [
      "FastAPI in a package",
      {
        "requirements.txt": "fastapi\nuvicorn",
        "backend/main.py": "from backend.db import x\napp = FastAPI()",
      },
      ".venv/bin/uvicorn --host 127.0.0.1 --port $PORT backend.main:app",
    ],
    [
      "FastAPI in src",
      {
        "requirements.txt": "fastapi\nuvicorn",
        "src/app/main.py": "app = FastAPI()",
        "src/app/__init__.py": "",
      },
      "PYTHONPATH=src .venv/bin/uvicorn --host 127.0.0.1 --port $PORT app.main:app",
    ],
    [
      "FastAPI with an entry point",
      {
        "pyproject.toml":
          '[project]\ndependencies = ["fastapi[standard]"]\n[tool.fastapi]\nentrypoint = "shop.web:api"\n',
      },
      ".venv/bin/uvicorn --host 127.0.0.1 --port $PORT shop.web:api",
    ],
    [
      "FastAPI with a factory",
      { "requirements.txt": "fastapi\nuvicorn\ngunicorn", "main.py": "def create_app() -> FastAPI:\n" },
      ".venv/bin/uvicorn --host 127.0.0.1 --port $PORT --factory main:create_app",
    ],
    [
      "FastAPI whose packages are in another list",
      {
        "requirements.txt": "-r requirements/production.txt",
        "requirements/production.txt": "-r base.txt\nuvicorn",
        "requirements/base.txt": "fastapi",
        "main.py": "app = FastAPI()",
      },
      ".venv/bin/uvicorn --host 127.0.0.1 --port $PORT main:app",
    ],
    [
      "Flask in application.py",
      { "requirements.txt": "flask\ngunicorn", "application.py": "application = Flask(__name__)" },
      ".venv/bin/gunicorn --bind 127.0.0.1:$PORT --threads 4 application:application",
    ],
    [
      "Flask in a package of any name",
      { "requirements.txt": "flask\ngunicorn", "shop/__init__.py": "def create_app(test=None):\n" },
      ".venv/bin/gunicorn --bind 127.0.0.1:$PORT --threads 4 'shop:create_app()'",
    ],
    [
      "Flask with Waitress and a factory",
      { "requirements.txt": "flask\nwaitress", "app.py": "def create_app():\n" },
      ".venv/bin/waitress-serve --listen=127.0.0.1:$PORT --call app:create_app",
    ],
    [
      "Bottle",
      { "requirements.txt": "bottle\ngunicorn", "app.py": "app = bottle.Bottle()" },
      ".venv/bin/gunicorn --bind 127.0.0.1:$PORT --threads 4 app:app",
    ],
    [
      "Streamlit",
      { "requirements.txt": "streamlit", "app.py": "import streamlit as st" },
      ".venv/bin/streamlit run app.py --server.address 127.0.0.1 --server.port $PORT --server.headless true",
    ],
    [
      "a test of FastAPI",
      { "requirements.txt": "fastapi\nuvicorn", "tests/main.py": "app = FastAPI()" },
      null,
    ],
    ["FastAPI without a server", { "requirements.txt": "fastapi", "main.py": "app = FastAPI()" }, null],
    [
      "by no command if no file has the app",
      { "requirements.txt": "flask\ngunicorn", "app.py": "print(1)" },
      null,
    ],
  ])("%s", (_name, files, command) => {
    expect(startOf(files)).toBe(command);
  });

  it("once the package is added that the hint names", () => {
    const hint = (files: Files) => noStart(detectFramework(tree(files)), tree(files))?.hint ?? null;
    expect(hint({ "requirements.txt": "Django", ...manage, ...wsgi })).toBe(
      "add gunicorn to its Python packages",
    );
    expect(hint({ "requirements.txt": "Django\ngunicorn" })).toBeNull();
    expect(noStart("constructor", tree({}))).toBeNull();
  });
});

describe("an app in another language is started", () => {
  it.each<[string, Files, string | null]>([
    [
      "Rails",
      { Gemfile: 'gem "rails"\ngem "puma"' },
      "mkdir -p tmp/pids && RAILS_ENV=production RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 exec bundle exec puma -b tcp://127.0.0.1:$PORT",
    ],
    [
      "Rails without puma",
      { Gemfile: 'gem "rails"' },
      "mkdir -p tmp/pids && RAILS_ENV=production RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 exec bundle exec rails server -b 127.0.0.1 -p $PORT -P tmp/pids/$PORT-$$.pid",
    ],
    [
      "Sinatra",
      { Gemfile: 'gem "sinatra"\ngem "puma"', "config.ru": "" },
      "RACK_ENV=${RACK_ENV:-production} bundle exec puma -b tcp://127.0.0.1:$PORT",
    ],
    ["Laravel", { "composer.json": '{"require":{"laravel/framework":"*"}}' }, "gantry-php public"],
    [
      "Symfony",
      { "composer.json": '{"require":{"symfony/framework-bundle":"*"}}' },
      "APP_ENV=${APP_ENV:-prod} gantry-php public",
    ],
    ["PHP with a folder for visitors", { "composer.json": "{}", public: "" }, "gantry-php public"],
    ["PHP without one", { "index.php": "" }, "gantry-php"],
    ["Bedrock or Drupal", { "composer.json": "{}", web: "", "web/index.php": "" }, "gantry-php web"],
    [
      "Drupal, whose first page is not in the repository",
      { "composer.json": '{"extra":{"drupal-scaffold":{"locations":{"web-root":"web/"}}}}' },
      "gantry-php web",
    ],
    ["CakePHP", { "composer.json": "{}", "webroot/index.php": "", "index.php": "" }, "gantry-php"],
    ["a package of PHP", { "composer.json": "{}" }, null],
    [
      "Laravel with Octane",
      { "composer.json": '{"require":{"laravel/framework":"*","laravel/octane":"*"}}' },
      "php artisan octane:start --host=127.0.0.1 --port=$PORT",
    ],
    ["Go", { "go.mod": "module example.com/shop/v2\n", "main.go": "" }, "bin/shop"],
    ["Go in server.go", { "go.mod": "module example.com/shop\n", "server.go": "package main\n" }, "bin/shop"],
    [
      "Go in a folder of its own",
      {
        "go.mod": "module example.com/shop\n",
        "backend/main.go": "package main\n",
        "lib/a.go": "package lib\n",
      },
      "bin/backend",
    ],
    [
      "a library of Go",
      {
        "go.mod": "module a/b\n",
        "b.go": "package b\n",
        "gen.go": "//go:build ignore\npackage main\n",
        "b_test.go": "package main\n",
      },
      null,
    ],
    ["Go with one program", { "go.mod": "module example.com/shop\n", cmd: "", "cmd/x-y": "" }, "bin/x-y"],
    [
      "Go with several",
      { "go.mod": "module example.com/shop\n", "cmd/tool": "", "cmd/server": "" },
      "bin/server",
    ],
    ["Go with several others", { "go.mod": "module example.com/shop\n", "cmd/a": "", "cmd/b": "" }, null],
    ["Go with a module that needs quotes", { "go.mod": "module a/$(id)\n", "main.go": "" }, null],
  ])("%s", (_name, files, command) => {
    expect(startOf(files)).toBe(command);
  });

  it("by the programs in cmd, which is read one level deeper", () => {
    expect(deepPaths(new Map([["cmd", ""]]))).toEqual(["cmd/*"]);
  });
});

it("a usual worker is suggested by its package", () => {
  expect(suggestWorker(tree({ Gemfile: 'gem "rails"\ngem "sidekiq"' }))).toBe(
    "RAILS_ENV=production bundle exec sidekiq",
  );
  expect(suggestWorker(tree({ Gemfile: 'gem "rails"' }))).toBeNull();
});
