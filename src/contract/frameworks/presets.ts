import { files, filesIn, type Form, onePage, server, serverIn } from "#contract/frameworks/form.ts";
import {
  angularForm,
  astroForm,
  eleventyForm,
  nextForm,
  nodeForm,
  nuxtForm,
  reactRouterForm,
  remixForm,
  runsGenerate,
  selectsAdapter,
  svelteKitForm,
  viteForm,
  vueForm,
} from "#contract/frameworks/node-forms.ts";
import {
  django,
  go,
  hasAssetPipeline,
  noCommands,
  node,
  php,
  python,
  rails,
  type Recipe,
  ruby,
} from "#contract/frameworks/recipes.ts";
import { nodeServer } from "#contract/frameworks/servers/node-server.ts";
import { laravelServer, phpServer, symfonyServer } from "#contract/frameworks/servers/php-server.ts";
import { pythonServer } from "#contract/frameworks/servers/python-server.ts";
import { railsServer, rubyServer } from "#contract/frameworks/servers/ruby-server.ts";
import type { Tree } from "#contract/frameworks/tree.ts";

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

/** PHP and Ruby apps publish the folder `public`, if the repository has it. */
const publicServer = (tree: Tree): Form => serverIn(tree.signs.has("file:public") ? "public" : ".")(tree);

/** A site whose pages are all in `public` is meant to be published from there. */
const staticForm = ({ signs }: Tree): Form =>
  signs.has("file:public/index.html") ? files("public", "its index.html is in public") : files(".");

const goServer = ({ goProgram }: Tree): string | null => (goProgram === null ? null : `bin/${goProgram}`);

const railsForm = (tree: Tree): Form => ({
  ...(hasAssetPipeline(tree) ? serverIn("public")(tree) : publicServer(tree)),
  start_command: railsServer(tree),
});

const phpForm = (tree: Tree): Form => ({ ...publicServer(tree), start_command: phpServer(tree) });

const rubyForm = (tree: Tree): Form => ({
  ...publicServer(tree),
  start_command: rubyServer(tree),
});

/**
 * The signs, the commands and the form of each framework. The first match is used, so a framework that is based on
 * another one comes before it.
 */
export const presets: Readonly<Record<string, FrameworkPreset>> = {
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
  angular: {
    signs: [["npm:@angular/core"], ["file:angular.json"]],
    commands: node(["build"], "ng build"),
    form: angularForm,
  },
  "create-react-app": {
    signs: [["npm:react-scripts"]],
    commands: node(["build"], "react-scripts build"),
    form: () => onePage(files("build")),
  },
  "vue-cli": {
    signs: [["npm:@vue/cli-service"]],
    commands: node(["build"], "vue-cli-service build"),
    form: vueForm,
  },
  eleventy: {
    signs: [["npm:@11ty/eleventy"], ["file:.eleventy.js"]],
    commands: node(["build"], "eleventy"),
    form: eleventyForm,
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
  hugo: {
    signs: [
      ["file:hugo.toml"],
      ["file:hugo.yaml"],
      ["file:hugo.json"],
      ["file:config.toml", "file:content"],
      ["file:config.yaml", "file:content"],
    ],
    commands: () => ({ install: null, build: "hugo --gc --minify" }),
    form: filesIn("public"),
  },
  go: { signs: [["file:go.mod"]], commands: go, form: serverIn(".", goServer) },
  nest: { signs: [["npm:@nestjs/core"]], commands: node(["build"], "nest build"), form: nestApp },
  vite: { signs: [["npm:vite"]], commands: node(["build"], "vite build"), form: viteForm },
  hono: { signs: [["npm:hono"]], commands: node(["build"], null), form: nodeApp },
  express: { signs: [["npm:express"]], commands: node(["build"], null), form: nodeApp },
  node: { signs: [["script:start"]], commands: plainNode, form: nodeForm },
  jekyll: {
    signs: [["gem:jekyll"], ["gem:github-pages"], ["file:_config.yml"]],
    commands: ruby("JEKYLL_ENV=production", "jekyll build"),
    form: filesIn("_site"),
  },
  mkdocs: { signs: [["file:mkdocs.yml"]], commands: python("mkdocs build"), form: filesIn("site") },
  ruby: {
    signs: [["file:config.ru"], ["gem:sinatra"], ["gem:rack"], ["gem:roda"], ["gem:hanami"], ["gem:puma"]],
    commands: ruby("", null),
    form: rubyForm,
  },
  // Python of a repository with a page is usually a tool for its author.
  static: { signs: [["file:index.html"]], commands: () => noCommands, form: staticForm },
  python: {
    signs: [["file:requirements.txt"], ["toml:project"], ["file:Pipfile"]],
    commands: python(null),
    form: serverIn("."),
  },
};

/** Alternative names of frameworks. */
export const presetAliases: Readonly<Record<string, string>> = {
  "11ty": "eleventy",
  cra: "create-react-app",
  nestjs: "nest",
  nextjs: "next",
  nuxtjs: "nuxt",
  "svelte-kit": "sveltekit",
};

/** The name that a framework has in `presets`; unchanged if it has no preset. */
export function presetName(framework: string): string {
  return (Object.hasOwn(presetAliases, framework) ? presetAliases[framework] : undefined) ?? framework;
}
