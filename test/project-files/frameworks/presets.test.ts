import { describe, expect, it } from "vitest";

import { detectFramework, hasPreset, presetFor, tellingFiles } from "#project-files/frameworks/preset-for.ts";
import { applySettings } from "#project-files/frameworks/usual-preset.ts";
import { presets } from "#project-files/frameworks/presets.ts";
import { deepPaths, surveyTree, type Tree } from "#project-files/frameworks/tree.ts";
import { Framework, type Preset } from "#contract/endpoints/projects/settings.ts";
import { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";

type Files = Readonly<Record<string, string>>;

const tree = (files: Files, above: Files = {}): Tree =>
  surveyTree(
    new Map(Object.entries(files)),
    Object.keys(above).length === 0
      ? []
      : [{ path: ".", inside: "apps/web", files: new Map(Object.entries(above)) }],
  );

/** A package.json with these dependencies; a script of each of these names. */
function manifest(dependencies: readonly string[], scripts: readonly string[] = ["build"]): string {
  const [first, ...others] = dependencies.map((name) => [name, "^1.0.0"] as const);
  return JSON.stringify({
    scripts: Object.fromEntries(scripts.map((name) => [name, "true"])),
    dependencies: Object.fromEntries(first === undefined ? [] : [first]),
    devDependencies: Object.fromEntries(others),
  });
}

const node = (dependencies: readonly string[], scripts?: readonly string[]): Files => ({
  "package.json": manifest(dependencies, scripts),
  "package-lock.json": "",
});

/** The install and the build command, as one line. */
function linesOf({ install_command, build_command }: Preset): string | null {
  const lines = [install_command, build_command].filter((line) => line !== null);
  return lines.length === 0 ? null : lines.join(" && ");
}

const npm = "npm ci && npm run build";
const composer = "composer install --no-dev --no-interaction --optimize-autoloader";
const bundle =
  "bundle config set --local path .bundle && bundle config set --local without development:test && bundle install";
const precompile =
  "RAILS_ENV=production SECRET_KEY_BASE_DUMMY=1 SECRET_KEY_BASE=${SECRET_KEY_BASE:-dummy} bundle exec rails assets:precompile";
const venv = "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt";

describe("a framework", () => {
  it.each<[string, Files, string | null, string]>([
    ["static", { "index.html": "" }, null, "."],
    ["static", {}, null, "."],
    ["static", { "_config.yml": "", ".nojekyll": "", "index.html": "" }, null, "."],
    ["static", node(["prettier"], ["test"]), null, "."],
    ["static", { "index.html": "", ...node(["prettier"], []) }, null, "."],
    ["node", node(["prettier"]), npm, "."],
    ["node", { "index.html": "", ...node(["esbuild"]) }, npm, "."],
    ["node", { "index.html": "", ...node(["esbuild"]), "turbo.json": "" }, npm, "."],
    [
      "node",
      { "package.json": '{"scripts":{"start":"serve -s site"}}', "index.html": "" },
      "npm install",
      "site",
    ],
    ["php", { "composer.json": "{}", web: "", "web/index.php": "" }, composer, "web"],
    ["php", { "composer.json": "{}", web: "" }, composer, "."],
    [
      "jupyter-book",
      { "_config.yml": "", "_toc.yml": "", "requirements.txt": "jupyter-book\n" },
      `${venv} && .venv/bin/jupyter-book build .`,
      "_build/html",
    ],
    ["mdbook", { "book.toml": "[output.html]\n" }, "mdbook build", "book"],
    ["mdbook", { "book.toml": "[output.html]\n[output.linkcheck]\n" }, "mdbook build", "book/html"],
    ["flask", { "requirements.txt": "-e .\n", "setup.py": 'install_requires=["flask"]' }, venv, "."],
    ["python", { "requirements.txt": "six\n", "setup.py": 'install_requires=["flask"]' }, venv, "."],
    ["vite", node(["react", "vite"]), npm, "dist"],
    ["astro", node(["astro", "vite"]), npm, "dist"],
    ["next", node(["next", "react"]), npm, "."],
    ["nuxt", node(["nuxt"], ["build", "generate"]), npm, "."],
    ["sveltekit", node(["@sveltejs/kit", "vite"]), npm, "build"],
    ["remix", node(["@remix-run/react", "@remix-run/dev", "vite"]), npm, "."],
    ["react-router", node(["react-router", "@react-router/dev", "vite"]), npm, "."],
    ["gatsby", node(["gatsby"]), npm, "public"],
    ["docusaurus", node(["@docusaurus/core"]), npm, "build"],
    [
      "vitepress",
      node(["vitepress"], ["docs:build"]),
      "npm ci && npm run docs:build",
      "docs/.vitepress/dist",
    ],
    ["vitepress", { ...node(["vitepress"]), ".vitepress": "" }, npm, ".vitepress/dist"],
    ["angular", node(["@angular/core"]), npm, "dist"],
    ["create-react-app", node(["react-scripts"]), npm, "build"],
    ["vue-cli", node(["vue", "@vue/cli-service"]), npm, "dist"],
    ["eleventy", node(["@11ty/eleventy"], []), "npm ci && npx eleventy", "_site"],
    ["hexo", { ...node(["hexo"]), "_config.yml": "" }, npm, "public"],
    ["nest", node(["@nestjs/core", "express"]), npm, "."],
    ["hono", node(["hono"], []), "npm ci", "."],
    ["express", node(["express"], []), "npm ci", "."],
    ["express", node(["express", "typescript"]), npm, "."],
    ["node", node(["fastify"], ["start"]), "npm ci", "."],
    ["node", { "server.js": "" }, null, "."],
    ["php", { public: "", "public/index.php": "" }, null, "public"],
    ["static", { "server.js": "", "index.html": "" }, null, "."],
    [
      "laravel",
      { artisan: "", "composer.json": '{"require":{"laravel/framework":"^12"}}' },
      composer,
      "public",
    ],
    [
      "laravel",
      { "composer.json": '{"require":{"laravel/framework":"^12"}}', ...node(["vite"]) },
      `${composer} && ${npm}`,
      "public",
    ],
    [
      "symfony",
      { "composer.json": '{"require":{"symfony/framework-bundle":"7.*"}}' },
      `APP_ENV=\${APP_ENV:-prod} ${composer}`,
      "public",
    ],
    ["php", { "composer.json": '{"require":{"slim/slim":"4"}}', public: "" }, composer, "public"],
    ["php", { "composer.json": "{}", ...node(["vite"]) }, `${composer} && ${npm}`, "."],
    ["php", { "index.php": "" }, null, "."],
    [
      "rails",
      {
        Gemfile: 'source "https://rubygems.org"\ngem "rails", "~> 8.0"\ngem "propshaft"\n',
        ...node(["esbuild"]),
      },
      `${bundle} && ${precompile}`,
      "public",
    ],
    ["rails", { Gemfile: 'gem "rails"', "app/assets": "" }, `${bundle} && ${precompile}`, "public"],
    [
      "rails",
      { Gemfile: 'gem "rails"\ngem "jsbundling-rails"', ...node(["esbuild"]) },
      `${bundle} && npm ci && ${precompile}`,
      "public",
    ],
    [
      "rails",
      { Gemfile: 'gem "rails"', "Gemfile.lock": "", public: "" },
      bundle.replace("&& bundle install", "&& bundle config set --local frozen true && bundle install"),
      "public",
    ],
    ["rails", { Gemfile: 'gem "rails"' }, bundle, "."],
    [
      "django",
      {
        "manage.py": "",
        "requirements.txt": "Django>=5.2\npsycopg[binary]==3.2\n",
        "shop/settings.py": 'DEBUG = False\nSTATIC_ROOT = BASE_DIR / "static"\n',
      },
      `${venv} && .venv/bin/python3 manage.py collectstatic --noinput`,
      ".",
    ],
    [
      "django",
      { "manage.py": "", "requirements.txt": "Django", "shop/settings.py": "# STATIC_ROOT = '/srv'\n" },
      venv,
      ".",
    ],
    [
      "django",
      { "pyproject.toml": '[project]\ndependencies = [\n  "django>=5.2",\n]\n', "uv.lock": "" },
      "uv sync --frozen --no-dev",
      ".",
    ],
    ["flask", { "requirements.txt": "# web\nFlask == 3.1\ngunicorn" }, venv, "."],
    [
      "fastapi",
      {
        "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.12"\nfastapi = "^0.115"',
        "poetry.lock": "",
      },
      "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --only main",
      ".",
    ],
    ["flask", { Pipfile: '[packages]\nflask = "*"\n' }, "PIPENV_VENV_IN_PROJECT=1 pipenv install", "."],
    [
      "flask",
      { "pyproject.toml": '[tool.poetry.dependencies]\nflask = "^3"' },
      "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --only main",
      ".",
    ],
    ["hugo", { "hugo.toml": "", "go.mod": "" }, "hugo --gc --minify", "public"],
    ["hugo", { "hugo.toml": "", ...node(["postcss"], ["start"]) }, "hugo --gc --minify", "public"],
    ["hugo", { "config.toml": "", content: "" }, "hugo --gc --minify", "public"],
    ["hugo", { "hugo.yml": "" }, "hugo --gc --minify", "public"],
    ["hugo", { config: "", "config/_default/hugo.toml": "", "go.mod": "" }, "hugo --gc --minify", "public"],
    ["hugo", { config: "", "config/_default/config.yaml": "" }, "hugo --gc --minify", "public"],
    ["hugo", { "config.yml": "baseURL: /", content: "" }, "hugo --gc --minify", "public"],
    ["hugo", { "config.json": '{"baseurl":"/"}', layouts: "" }, "hugo --gc --minify", "public"],
    ["static", { "config.json": '{"port":1}', content: "" }, null, "."],
    ["hugo", { "hugo.toml": "publishDir = 'docs'" }, "hugo --gc --minify", "docs"],
    ["zola", { "config.toml": 'title = "x"\nbase_url = "https://x"', content: "" }, "zola build", "public"],
    ["zola", { "zola.toml": "" }, "zola build", "public"],
    ["mdbook", { "book.toml": '[build]\nbuild-dir = "out"' }, "mdbook build", "out"],
    ["mkdocs", { "mkdocs.yaml": "site_dir: html" }, "mkdocs build", "html"],
    ["antora", { "antora-playbook.yml": "" }, "npx --yes antora antora-playbook.yml", "build/site"],
    [
      "pelican",
      { "pelicanconf.py": "", content: "", "requirements.txt": "pelican" },
      `${venv} && .venv/bin/pelican content --settings pelicanconf.py --output output`,
      "output",
    ],
    ["sphinx", { "conf.py": "", "index.rst": "" }, "sphinx-build -b html . _build/html", "_build/html"],
    ["jekyll", { "_config.yml": "destination: ./docs # site" }, "JEKYLL_ENV=production jekyll build", "docs"],
    ["jekyll", { "_config.yaml": "" }, "JEKYLL_ENV=production jekyll build", "_site"],
    ["middleman", { Gemfile: 'gem "middleman"' }, `${bundle} && bundle exec middleman build`, "build"],
    ["nanoc", { Gemfile: 'gem "nanoc"' }, `${bundle} && bundle exec nanoc compile`, "output"],
    [
      "bridgetown",
      { Gemfile: 'gem "bridgetown"\ngem "puma"', "config.ru": "", ...node(["esbuild"]) },
      `${bundle} && npm ci && BRIDGETOWN_ENV=production bundle exec bridgetown deploy`,
      "output",
    ],
    ["eleventy", { "eleventy.config.mjs": "" }, "npm install && npx eleventy", "_site"],
    [
      "vuepress",
      { ...node(["vuepress"], []), "docs/.vuepress": "" },
      "npm ci && npx vuepress build docs",
      "docs/.vuepress/dist",
    ],
    ["parcel", { ...node(["parcel"]), "index.html": "" }, npm, "dist"],
    ["jekyll", { "_config.yml": "" }, "JEKYLL_ENV=production jekyll build", "_site"],
    [
      "jekyll",
      { Gemfile: "gem 'jekyll', '~> 4.3'", "_config.yml": "" },
      `${bundle} && JEKYLL_ENV=production bundle exec jekyll build`,
      "_site",
    ],
    ["mkdocs", { "mkdocs.yml": "" }, "mkdocs build", "site"],
    [
      "mkdocs",
      { "mkdocs.yml": "", "requirements.txt": "mkdocs" },
      `${venv} && .venv/bin/mkdocs build`,
      "site",
    ],
    ["go", { "go.mod": "" }, "go build -buildvcs=false -o bin/ ./...", "."],
    [
      "go",
      { "go.mod": "", "main.go": "", ...node([], ["start"]) },
      "go build -buildvcs=false -o bin/ .",
      ".",
    ],
    ["go", { "go.mod": "", cmd: "" }, "go build -buildvcs=false -o bin/ ./cmd/...", "."],
    [
      "go",
      { "go.mod": "module x/y", "server.go": "package main\n" },
      "go build -buildvcs=false -o bin/ .",
      ".",
    ],
    [
      "go",
      { "go.mod": "module x/y", "backend/main.go": "package main\n", "lib/x.go": "package lib\n" },
      "go build -buildvcs=false -o bin/ ./backend",
      ".",
    ],
    ["ruby", { "config.ru": "", Gemfile: 'gem "roda"' }, bundle, "."],
    ["ruby", { Gemfile: 'gem "sinatra"', public: "" }, bundle, "public"],
    ["python", { "requirements.txt": "bottle" }, venv, "."],
    [
      "fastapi",
      { requirements: "", "requirements/production.txt": "-r base.txt", "requirements/base.txt": "fastapi" },
      venv.replace("requirements.txt", "requirements/production.txt"),
      ".",
    ],
    [
      "flask",
      { "requirements.txt": "-r requirements/production.txt", "requirements/production.txt": "flask" },
      venv,
      ".",
    ],
    [
      "python",
      { "pyproject.toml": "[project]\nname = 'app'" },
      venv.replace("-r requirements.txt", "."),
      ".",
    ],
    ["static", { "requirements.txt": "requests", "index.html": "" }, null, "."],
    ["static", { "pyproject.toml": "[tool.ruff]\nline-length = 100" }, null, "."],
  ])("%s is found in %j", (framework, files, lines, output_directory) => {
    const found = tree(files);
    expect(detectFramework(found)).toBe(framework);
    const preset = presetFor(framework, found);
    expect(preset).toMatchObject({ framework, output_directory });
    expect(linesOf(preset)).toBe(lines);
  });

  it("of Ruby has the command that starts it, if the server is known", () => {
    const start = (framework: string, files: Files) => presetFor(framework, tree(files)).start_command;
    expect(start("rails", { Gemfile: 'gem "rails"' })).toEqual(
      expect.stringContaining("bundle exec rails server"),
    );
    expect(start("ruby", { Gemfile: 'gem "puma"', "config.ru": "" })).toContain("bundle exec puma");
    expect(start("ruby", { Gemfile: 'gem "thin"', "config.ru": "" })).toContain("bundle exec thin start");
    expect(start("ruby", { Gemfile: 'gem "rack"', "config.ru": "" })).toBe(null);
  });

  it("has a preset with valid settings for every project, or none", () => {
    for (const name of Object.keys(presets)) {
      expect(Framework.parse(name)).toBe(name);
      for (const files of [{}, node(["x"], []), { "pnpm-lock.yaml": "" }])
        expect(DetectedPreset.parse(presetFor(name, tree(files)))).toMatchObject({ framework: name });
      expect(DetectedPreset.parse(presetFor(name))).toMatchObject({ framework: name, reasons: [] });
    }
  });

  it("has aliases, and no preset if it is unknown", () => {
    expect(presetFor("nextjs")).toEqual({
      framework: "nextjs",
      install_command: "npm ci",
      build_command: "npm run build",
      output_directory: ".",
      trailing_slash: "auto",
      fallback: null,
      app_type: "server",
      start_command: "node_modules/.bin/next start -H 127.0.0.1 -p $PORT",
      reasons: [],
    });
    expect(hasPreset("nextjs")).toBe(true);
    for (const name of ["phoenix", "constructor", "__proto__", "toString"]) {
      expect(hasPreset(name)).toBe(false);
      expect(presetFor(name)).toEqual({
        framework: name,
        install_command: null,
        build_command: null,
        output_directory: ".",
        trailing_slash: "auto",
        fallback: null,
        app_type: "static",
        start_command: null,
        reasons: [],
      });
    }
  });

  it("is detected from top-level files only, so that one listing is enough", () => {
    expect(tellingFiles.filter((name) => name.includes("/"))).toEqual([]);
    for (const name of ["package.json", "manage.py", "app", "cmd", "yarn.lock", ".vitepress"])
      expect(tellingFiles).toContain(name);
  });
});

describe("files below the top level", () => {
  const paths = (files: Files) => deepPaths(new Map(Object.entries(files)));

  it("are read where Django has its settings, and named where Rails has its assets", () => {
    const manage = (name: string) => ({
      "manage.py": `os.environ.setdefault(\n  "DJANGO_SETTINGS_MODULE",\n  "${name}")`,
    });
    expect(paths(manage("shop.settings"))).toEqual(["shop/*.py", "shop/settings/*.py"]);
    expect(paths(manage("config.settings.live"))).toEqual([
      "config/settings/*.py",
      "config/settings/live/*.py",
    ]);
    expect(paths(manage("settings"))).toEqual(["*.py", "settings/*.py"]);
    expect(paths({ "manage.py": "" })).toEqual([]);
    expect(paths({ app: "" })).toEqual(["app/assets", "app/*.py"]);
  });
});

describe("the package manager", () => {
  const vite = (lock: Files, above: Files = {}, more: object = {}) =>
    linesOf(
      presetFor(
        "vite",
        tree(
          { "package.json": JSON.stringify({ scripts: { build: "vite build" }, ...more }), ...lock },
          above,
        ),
      ),
    );

  it.each<[Files, string]>([
    [{}, "npm install && npm run build"],
    [{ "package-lock.json": "" }, npm],
    [{ "npm-shrinkwrap.json": "" }, npm],
    [{ "pnpm-lock.yaml": "" }, "pnpm install --frozen-lockfile && pnpm run build"],
    [{ "yarn.lock": "" }, "yarn install --frozen-lockfile && yarn run build"],
    [{ "yarn.lock": "", ".yarnrc.yml": "" }, "yarn install --immutable && yarn run build"],
    [{ "bun.lock": "" }, "bun install --frozen-lockfile && bun run build"],
    [{ "bun.lockb": "" }, "bun install --frozen-lockfile && bun run build"],
  ])("with %j is %s", (lock, command) => {
    expect(vite(lock)).toBe(command);
  });

  it("is the one in package.json if there are several lock files or none", () => {
    const both = { "pnpm-lock.yaml": "", "package-lock.json": "" };
    expect(vite(both)).toBe("pnpm install --frozen-lockfile && pnpm run build");
    expect(vite(both, {}, { packageManager: "npm@11.0.0" })).toBe(npm);
    expect(vite({}, {}, { packageManager: "pnpm@10.2.0" })).toBe("pnpm install && pnpm run build");
    expect(vite({ "yarn.lock": "" }, {}, { packageManager: "yarn@4.9.1" })).toBe(
      "yarn install --immutable && yarn run build",
    );
    expect(vite({}, {}, { packageManager: "cnpm@1" })).toBe("npm install && npm run build");
    expect(vite({}, {}, { packageManager: 7 })).toBe("npm install && npm run build");
  });

  it("of a workspace is that of its root, unless the project has a lock file of its own", () => {
    const pnpm = { "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages:\n  - apps/*\n" };
    expect(vite({}, pnpm)).toBe("pnpm install --frozen-lockfile && pnpm run build");
    expect(vite({ "package-lock.json": "" }, pnpm)).toBe(npm);
    const unlocked = {
      "package.json": JSON.stringify({ workspaces: ["apps/*"], packageManager: "yarn@4.9.1" }),
    };
    expect(vite({}, unlocked)).toBe("yarn install && yarn run build");
  });

  it("of a folder that is in no workspace is that of the lock file above, which is not its own", () => {
    expect(vite({}, { "pnpm-lock.yaml": "" })).toBe("pnpm install && pnpm run build");
    const others = { "package-lock.json": "", "package.json": '{"workspaces":["packages/*"]}' };
    expect(vite({}, others)).toBe("npm install && npm run build");
  });

  it.each<[string, Files, string | null]>([
    ["express", node(["express"], ["heroku-postbuild"]), "npm run heroku-postbuild"],
    ["express", node(["express"], ["build", "heroku-postbuild"]), "npm run build"],
    ["node", node(["koa"], ["render-build"]), "npm run render-build"],
    ["vite", node(["vite"], ["heroku-postbuild"]), "npx vite build"],
  ])("runs what another platform would, if %s has no script build: %j", (framework, files, build) => {
    expect(presetFor(framework, tree(files)).build_command).toBe(build);
  });

  it("runs the framework's own tool if package.json has no script for it", () => {
    const tool = (lock: string) => linesOf(presetFor("astro", tree({ "package.json": "{}", [lock]: "" })));
    expect(tool("package-lock.json")).toBe("npm ci && npx astro build");
    expect(tool("pnpm-lock.yaml")).toBe("pnpm install --frozen-lockfile && pnpm exec astro build");
    expect(tool("yarn.lock")).toBe("yarn install --frozen-lockfile && yarn run astro build");
    expect(tool("bun.lock")).toBe("bun install --frozen-lockfile && bunx astro build");
  });
});

describe("the packages of a workspace that an app depends on", () => {
  const member = (path: string, name: string, depends: readonly string[], scripts: object) => ({
    path,
    text: JSON.stringify({
      name,
      scripts,
      dependencies: Object.fromEntries(depends.map((one) => [one, "*"])),
    }),
  });
  const build = { build: "tsc" };
  const web = member("apps/web", "web", ["next", "@acme/ui"], build);
  const members = [
    web,
    member("packages/ui", "@acme/ui", ["@acme/theme", "react", "@acme/core"], build),
    member("packages/core", "@acme/core", ["@acme/ui"], build),
    member("packages/theme", "@acme/theme", ["@acme/core"], {}),
    member("packages/other", "other", ["@acme/ui"], build),
  ];
  const buildOf = (root: object, files: Files, all = members) => {
    const above = {
      ...{ path: ".", inside: "apps/web", members: all },
      files: new Map(
        Object.entries({ "package.json": JSON.stringify({ workspaces: ["*/*"], ...root }), ...files }),
      ),
    };
    const found = surveyTree(new Map([["package.json", web.text]]), [above]);
    return presetFor("next", found).build_command;
  };
  const turbo = { packageManager: "npm@11.0.0", devDependencies: { turbo: "2" } };

  it.each<[string, object, Files, string]>([
    [
      "npm",
      {},
      { "package-lock.json": "" },
      "npm run build --prefix ../../packages/core && npm run build --prefix ../../packages/ui && npm run build",
    ],
    [
      "pnpm",
      {},
      { "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages: ['*/*']" },
      "pnpm --dir ../../packages/core run build && pnpm --dir ../../packages/ui run build && pnpm run build",
    ],
    [
      "Yarn",
      {},
      { "yarn.lock": "", ".yarnrc.yml": "" },
      "yarn --cwd ../../packages/core run build && yarn --cwd ../../packages/ui run build && yarn run build",
    ],
    [
      "bun",
      {},
      { "bun.lock": "" },
      "bun run --cwd ../../packages/core build && bun run --cwd ../../packages/ui build && bun run build",
    ],
    ["Turborepo", turbo, { "turbo.json": "{}" }, "npx turbo run build --filter=web^... && npm run build"],
    [
      "Turborepo with Yarn",
      { ...turbo, packageManager: "yarn@4.9.2" },
      { "turbo.jsonc": "{}" },
      "yarn run -T turbo run build --filter=web^... && yarn run build",
    ],
    [
      "a Turborepo that does not name its package manager",
      { devDependencies: { turbo: "2" } },
      { "turbo.json": "{}" },
      "npm run build --prefix ../../packages/core && npm run build --prefix ../../packages/ui && npm run build",
    ],
  ])("are built first, in the order of their dependencies, with %s", (_name, root, files, command) => {
    expect(buildOf(root, files)).toBe(command);
  });

  it("are not built if they have no script for it, or if nothing in a long chain has one", () => {
    expect(buildOf({}, {}, [web, member("packages/ui", "@acme/ui", [], {})])).toBe("npm run build");
    const chain = Array.from({ length: 20_000 }, (_, at) =>
      member(`packages/p${at}`, at === 0 ? "@acme/ui" : `p${at}`, [`p${at + 1}`], {}),
    );
    expect(buildOf({}, {}, [web, ...chain])).toBe("npm run build");
  });

  it("are left to the project if a command for them would be too long", () => {
    const many = Array.from({ length: 500 }, (_, at) => member(`packages/p${at}`, `p${at}`, [], build));
    const app = member(
      "apps/web",
      "web",
      many.map((_, at) => `p${at}`),
      build,
    );
    expect(buildOf({}, {}, [app, ...many])).toBe("npm run build");
  });
});

describe("Angular's output", () => {
  const output = (project: unknown) =>
    presetFor("angular", tree({ "angular.json": JSON.stringify({ projects: { shop: project } }) }))
      .output_directory;
  const built = (builder: string, options?: unknown) => ({ architect: { build: { builder, options } } });

  it.each([
    [built("@angular/build:application"), "dist/shop/browser"],
    [built("@angular-devkit/build-angular:application", { outputPath: "out/" }), "out/browser"],
    [built("@angular/build:application", { outputPath: { base: "./www", browser: "" } }), "www"],
    [built("@angular-devkit/build-angular:browser", { outputPath: "dist/shop" }), "dist/shop"],
    [built("@angular-devkit/build-angular:browser", { outputPath: "../../etc" }), "dist"],
    [{}, "dist/shop"],
  ])("of %j is %s", (project, folder) => {
    expect(output(project)).toBe(folder);
  });
});

describe("files with invalid content", () => {
  it.each(["{", "[]", "null", '"text"', '{"dependencies":[1]}', '{"scripts":"build"}', "\u0000"])(
    "count as empty: %j",
    (text) => {
      const files = {
        "package.json": text,
        "composer.json": text,
        "angular.json": text,
        "pyproject.toml": text,
      };
      expect(["static", "angular"]).toContain(detectFramework(tree(files)));
    },
  );
});

describe("the effective settings", () => {
  const preset: Preset = {
    framework: "vite",
    install_command: "npm ci",
    build_command: "npm run build",
    output_directory: "dist",
    trailing_slash: "auto",
    fallback: "index.html",
  };

  it("are the project's own, including null, and the preset's for the rest", () => {
    expect(applySettings({}, preset)).toEqual(preset);
    expect(applySettings({ install_command: null }, preset)).toEqual({ ...preset, install_command: null });
    expect(applySettings({ output_directory: "." }, preset)).toEqual({ ...preset, output_directory: "." });
    expect(applySettings({ fallback: null }, preset)).toEqual({ ...preset, fallback: null });
  });

  it("install nothing besides a build command of the project, unless it has an install command too", () => {
    const none = { ...preset, install_command: null };
    expect(applySettings({ build_command: null }, preset)).toEqual({ ...none, build_command: null });
    expect(applySettings({ build_command: "make" }, preset)).toEqual({ ...none, build_command: "make" });
    const both = { install_command: "make deps", build_command: "make" };
    expect(applySettings(both, preset)).toEqual({ ...preset, ...both });
  });
});

describe("a file that is designed to be slow to parse", () => {
  it.each([
    ...["\n", " ", "\t\n", "a", '"', "a ", 'gem "', "gem ", "a\n", "a=\n", "import b\n", "-r a.txt\n", "{,"],
    ...["package main\n", "def create_app(", "app = FastAPI(", "[tool.fastapi]\n", "publish = ", "a && "],
  ])("of half a million bytes of %j is read, and soon", (part) => {
    const text = part.repeat(500_000 / part.length);
    const files = {
      Gemfile: text,
      "requirements.txt": text,
      "pyproject.toml": text,
      "package.json": text,
      "manage.py": `"DJANGO_SETTINGS_MODULE","${text}`,
      "settings.py": text,
    };
    const others = {
      "setup.py": "",
      "app/main.py": `app = FastAPI()\n${text}`,
      "app/db.py": text,
      "web.py": text,
      "go.mod": text,
      "server.go": text,
      "config.toml": text,
      "mkdocs.yml": text,
      "netlify.toml": text,
      "package.json": JSON.stringify({ main: text, scripts: { start: text, build: text } }),
    };
    // With quadratic time, the test would not end.
    for (const some of [files, others])
      expect(() => {
        const found = tree(some);
        return [presetFor(detectFramework(found), found), deepPaths(new Map(Object.entries(some)))];
      }).not.toThrow();
  });
});
