import { files, filesIn, type Form, server, serverIn } from "#project-files/frameworks/form.ts";
import {
  angularForm,
  astroForm,
  eleventyForm,
  filesOrProgram,
  nextForm,
  nodeForm,
  nuxtForm,
  qwikForm,
  reactRouterForm,
  redwoodForm,
  remixForm,
  runsGenerate,
  selectsAdapter,
  serverUnless,
  svelteKitForm,
  tanstackForm,
  vikeForm,
  viteForm,
  vueForm,
  vuepressForm,
} from "#project-files/frameworks/node-forms.ts";
import {
  django,
  go,
  noCommands,
  node,
  php,
  python,
  rails,
  type Recipe,
  ruby,
} from "#project-files/frameworks/recipes.ts";
import { nodeServer } from "#project-files/frameworks/servers/node-server.ts";
import { laravelServer, symfonyServer } from "#project-files/frameworks/servers/php-server.ts";
import { pythonServer } from "#project-files/frameworks/servers/python-server.ts";
import { staticForm } from "#project-files/frameworks/static-form.ts";
import { adonisForm, ejectedOrProgram, parcelForm } from "#project-files/frameworks/bundler-forms.ts";
import { phpForm, railsForm, rubyForm } from "#project-files/frameworks/server-forms.ts";
import { otherRequirements } from "#project-files/frameworks/requirements.ts";
import { hugoConfigs, hugoFiles } from "#project-files/frameworks/site-configs.ts";
import {
  antora,
  bridgetown,
  pelican,
  siteIn,
  sphinx,
  sphinxOutput,
} from "#project-files/frameworks/site-generators.ts";
import { DOCKERFILE } from "#contract/endpoints/projects/settings.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** `signs`: the framework is detected if all signs of one of the lists are present. */
export type FrameworkPreset = {
  readonly signs: readonly (readonly string[])[];
  readonly commands: Recipe;
  readonly form: (tree: Tree) => Form;
};

/** Nuxt has a command for each form. */
const nuxt: Recipe = (tree) => {
  if (nuxtForm(tree).app_type === "server") return node(["build"], "nuxt build")(tree);
  return node([runsGenerate(tree) ? "build" : "generate"], "nuxt generate")(tree);
};

/**
 * SvelteKit's usual adapter knows a few platforms by their variables. With this one it installs and uses
 * the adapter for Node.
 */
const svelteKit: Recipe = (tree) => {
  const commands = node(["build"], "vite build")(tree);
  const isNamed = selectsAdapter(tree) && commands.build !== null;
  return isNamed ? { ...commands, build: `GCP_BUILDPACKS=1 ${commands.build}` } : commands;
};

/** A server.js alone has no packages to install. */
const plainNode: Recipe = (tree) =>
  tree.signs.has("file:package.json") ? node(["build"], null)(tree) : noCommands;

const nodeApp = (tree: Tree): Form => server(nodeServer(tree, null));

/** Nest's script `start` compiles the app first. */
const nestApp = (tree: Tree): Form =>
  server(nodeServer(tree, null, tree.scripts.has("start:prod") ? "start:prod" : "start"));

const goServer = ({ goProgram }: Tree): string | null =>
  goProgram === null ? null : `bin/${goProgram.name}`;

/**
 * The signs, the commands and the form of each framework. The first match is used, so a framework that is based on
 * another one comes before it.
 */
export const presets: Readonly<Record<string, FrameworkPreset>> = {
  "tanstack-start": {
    signs: [["npm:@tanstack/react-start"], ["npm:@tanstack/solid-start"], ["npm:@tanstack/start"]],
    commands: node(["build"], "vite build"),
    form: tanstackForm,
  },
  "solid-start": {
    signs: [["npm:@solidjs/start"]],
    commands: node(["build"], "vinxi build"),
    form: serverUnless("node .output/server/index.mjs", ".output/public", [
      ["app", "server.preset", "static"],
    ]),
  },
  analog: {
    signs: [["npm:@analogjs/platform"]],
    commands: node(["build"], "vite build"),
    form: serverUnless("node dist/analog/server/index.mjs", "dist/analog/public", [
      ["vite", "*analog().static", true],
      ["vite", "*analog().ssr", false],
    ]),
  },
  qwik: {
    signs: [["npm:@builder.io/qwik-city"], ["npm:@qwik.dev/router"]],
    commands: node(["build"], "qwik build"),
    form: qwikForm,
  },
  redwood: { signs: [["npm:@redwoodjs/core"]], commands: node(["build"], "rw build"), form: redwoodForm },
  adonis: { signs: [["npm:@adonisjs/core"]], commands: node(["build"], "node ace build"), form: adonisForm },
  next: { signs: [["npm:next"]], commands: node(["build"], "next build"), form: nextForm },
  nuxt: { signs: [["npm:nuxt"]], commands: nuxt, form: nuxtForm },
  astro: { signs: [["npm:astro"]], commands: node(["build"], "astro build"), form: astroForm },
  sveltekit: { signs: [["npm:@sveltejs/kit"]], commands: svelteKit, form: svelteKitForm },
  remix: {
    signs: [["npm:@remix-run/dev"]],
    commands: node(["build"], "remix vite:build"),
    form: remixForm,
  },
  "react-router": {
    signs: [["npm:@react-router/dev"]],
    commands: node(["build"], "react-router build"),
    form: reactRouterForm,
  },
  gatsby: { signs: [["npm:gatsby"]], commands: node(["build"], "gatsby build"), form: filesIn("public") },
  docusaurus: {
    signs: [["npm:@docusaurus/core"]],
    commands: node(["build"], "docusaurus build"),
    form: filesIn("build"),
  },
  vitepress: {
    signs: [["npm:vitepress"]],
    commands: (tree) => {
      const folder = tree.signs.has("file:.vitepress") ? "" : " docs";
      return node(["docs:build", "build"], `vitepress build${folder}`)(tree);
    },
    form: ({ signs }) => files(signs.has("file:.vitepress") ? ".vitepress/dist" : "docs/.vitepress/dist"),
  },
  vuepress: {
    signs: [["npm:vuepress"]],
    commands: (tree) => {
      const folder = vuepressForm(tree).output_directory.replace(/\/?\.vuepress\/dist$/, "");
      return node(["docs:build", "build"], `vuepress build ${folder === "" ? "." : folder}`)(tree);
    },
    form: vuepressForm,
  },
  angular: {
    signs: [["npm:@angular/core"], ["file:angular.json"]],
    commands: node(["build"], "ng build"),
    form: filesOrProgram(angularForm),
  },
  "create-react-app": {
    // An ejected app has the second one.
    signs: [["npm:react-scripts"], ["npm:react-dev-utils"]],
    commands: node(["build"], "react-scripts build"),
    form: ejectedOrProgram,
  },
  "vue-cli": {
    signs: [["npm:@vue/cli-service"]],
    commands: node(["build"], "vue-cli-service build"),
    form: filesOrProgram(vueForm),
  },
  eleventy: {
    signs: [
      ["npm:@11ty/eleventy"],
      ...[
        ".eleventy.js",
        "eleventy.config.js",
        "eleventy.config.mjs",
        "eleventy.config.cjs",
        "eleventy.config.ts",
      ].map((name) => [`file:${name}`]),
    ],
    commands: node(["build"], "eleventy"),
    form: filesOrProgram(eleventyForm),
  },
  hexo: { signs: [["npm:hexo"]], commands: node(["build"], "hexo generate"), form: filesIn("public") },
  laravel: {
    signs: [["composer:laravel/framework"], ["file:artisan"]],
    commands: php(),
    form: serverIn("public", laravelServer),
  },
  symfony: {
    signs: [["composer:symfony/framework-bundle"]],
    // Composer's scripts start the app, whose packages for development are not installed.
    commands: php("APP_ENV=${APP_ENV:-prod}"),
    form: serverIn("public", symfonyServer),
  },
  php: {
    signs: [["file:composer.json"], ["file:index.php"], ["file:public/index.php"]],
    commands: php(),
    form: phpForm,
  },
  rails: { signs: [["gem:rails"]], commands: rails, form: railsForm },
  django: {
    signs: [["file:manage.py"], ["pip:django"]],
    commands: django,
    form: serverIn(".", pythonServer),
  },
  fastapi: { signs: [["pip:fastapi"]], commands: python(null), form: serverIn(".", pythonServer) },
  flask: { signs: [["pip:flask"]], commands: python(null), form: serverIn(".", pythonServer) },
  zola: {
    signs: [["zola"], ["file:zola.toml"]],
    commands: () => ({ install: null, build: "zola build" }),
    form: siteIn("public"),
  },
  hugo: {
    signs: [
      ...[...hugoFiles, ...hugoConfigs].map((name) => [`file:${name}`]),
      ["file:config.toml", "file:content"],
      ["file:config.yaml", "file:content"],
      ["hugo"],
    ],
    commands: () => ({ install: null, build: "hugo --gc --minify" }),
    form: siteIn("public"),
  },
  mdbook: {
    signs: [["file:book.toml"]],
    commands: () => ({ install: null, build: "mdbook build" }),
    form: siteIn("book"),
  },
  go: { signs: [["file:go.mod"]], commands: go, form: serverIn(".", goServer) },
  nest: { signs: [["npm:@nestjs/core"]], commands: node(["build"], "nest build"), form: nestApp },
  vike: { signs: [["npm:vike"]], commands: node(["build"], "vite build"), form: vikeForm },
  nitro: {
    signs: [["npm:nitro"], ["npm:nitropack"]],
    commands: node(["build"], "nitro build"),
    form: serverUnless("node .output/server/index.mjs", ".output/public", [
      ["nitro", "preset", "static"],
      ["vite", "*nitro().preset", "static"],
    ]),
  },
  vite: { signs: [["npm:vite"]], commands: node(["build"], "vite build"), form: filesOrProgram(viteForm) },
  parcel: {
    signs: [["npm:parcel"], ["npm:parcel-bundler"]],
    commands: node(["build"], "parcel build"),
    form: filesOrProgram(parcelForm),
  },
  hono: { signs: [["npm:hono"]], commands: node(["build"], null), form: nodeApp },
  express: { signs: [["npm:express"]], commands: node(["build"], null), form: nodeApp },
  node: {
    signs: [["start:server"], ["start:files", "file:index.html"]],
    commands: plainNode,
    form: nodeForm,
  },
  bridgetown: { signs: [["gem:bridgetown"]], commands: bridgetown, form: filesIn("output") },
  middleman: {
    signs: [["gem:middleman"]],
    commands: ruby("", "middleman build"),
    form: filesIn("build"),
  },
  nanoc: { signs: [["gem:nanoc"]], commands: ruby("", "nanoc compile"), form: filesIn("output") },
  jekyll: {
    signs: [["gem:jekyll"], ["gem:github-pages"], ["jekyll"]],
    commands: ruby("JEKYLL_ENV=production", "jekyll build"),
    form: siteIn("_site"),
  },
  "jupyter-book": {
    signs: [["file:_toc.yml", "file:_config.yml"]],
    commands: python("jupyter-book build ."),
    form: filesIn("_build/html"),
  },
  mkdocs: {
    signs: [["file:mkdocs.yml"], ["file:mkdocs.yaml"]],
    commands: python("mkdocs build"),
    form: siteIn("site"),
  },
  antora: {
    signs: [["file:antora-playbook.yml"], ["file:antora-playbook.yaml"]],
    commands: antora,
    form: filesIn("build/site"),
  },
  pelican: { signs: [["file:pelicanconf.py"]], commands: pelican, form: filesIn("output") },
  ruby: {
    signs: [["file:config.ru"], ["gem:sinatra"], ["gem:rack"], ["gem:roda"], ["gem:hanami"], ["gem:puma"]],
    commands: ruby("", null),
    form: rubyForm,
  },
  sphinx: {
    signs: [
      ["file:docs/conf.py", "pip:sphinx"],
      ["file:docs/source/conf.py", "pip:sphinx"],
      ["file:source/conf.py", "pip:sphinx"],
      ["file:conf.py", "file:index.rst"],
    ],
    commands: sphinx,
    form: filesIn(sphinxOutput),
  },
  // Beside a page, Python is usually a tool for its author.
  static: { signs: [["file:index.html"]], commands: () => noCommands, form: staticForm },
  python: {
    signs: [
      ["file:requirements.txt"],
      ["toml:project"],
      ["file:Pipfile"],
      ["file:requirements"],
      ...otherRequirements.map((name) => [`file:${name}`]),
    ],
    commands: python(null),
    form: serverIn(".", pythonServer),
  },
  // Without signs: a Dockerfile is beside many apps, so only `chooseBuild` decides for it.
  [DOCKERFILE]: { signs: [], commands: () => noCommands, form: () => server(null) },
};
