import { describe, expect, it } from "vitest";

import { startHint } from "#contract/frameworks/servers/start-hint.ts";
import { suggestWorker } from "#contract/frameworks/servers/suggest-workers.ts";
import { deepPaths, surveyTree } from "#contract/frameworks/tree.ts";
import { detectFramework, presetFor } from "#contract/frameworks/preset-for.ts";

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
    const hint = (files: Files) => startHint(detectFramework(tree(files)), tree(files));
    expect(hint({ "requirements.txt": "Django" })).toBe("add gunicorn to its Python packages");
    expect(hint({ "requirements.txt": "Django\ngunicorn" })).toBeNull();
    expect(startHint("constructor", tree({}))).toBeNull();
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
    ["a package of PHP", { "composer.json": "{}" }, null],
    [
      "Laravel with Octane",
      { "composer.json": '{"require":{"laravel/framework":"*","laravel/octane":"*"}}' },
      "php artisan octane:start --host=127.0.0.1 --port=$PORT",
    ],
    ["Go", { "go.mod": "module example.com/shop/v2\n", "main.go": "" }, "bin/shop"],
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
