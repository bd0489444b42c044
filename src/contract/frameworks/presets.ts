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
import type { Tree } from "#contract/frameworks/tree.ts";

/** `signs`: the framework is detected if all signs of one of the lists are present. */
export type FrameworkPreset = {
  readonly signs: readonly (readonly string[])[];
  readonly commands: Recipe;
  readonly output: string | ((tree: Tree) => string);
};

/** The folder that PHP and Ruby apps publish, if the repository has it. */
const publicFolder = ({ signs }: Tree) => (signs.has("file:public") ? "public" : ".");

/**
 * The signs, the commands and the output directory of each framework. The first match is used, so a framework that
 * is based on another one comes before it. The output directory of a framework that runs as a server is the project.
 */
export const presets: Readonly<Record<string, FrameworkPreset>> = {
  next: { signs: [["npm:next"]], commands: node(["build"], "next build"), output: "out" },
  nuxt: { signs: [["npm:nuxt"]], commands: node(["generate"], "nuxt generate"), output: ".output/public" },
  astro: { signs: [["npm:astro"]], commands: node(["build"], "astro build"), output: "dist" },
  sveltekit: { signs: [["npm:@sveltejs/kit"]], commands: node(["build"], "vite build"), output: "build" },
  remix: {
    signs: [["npm:@remix-run/dev"]],
    commands: node(["build"], "remix vite:build"),
    output: "build/client",
  },
  "react-router": {
    signs: [["npm:@react-router/dev"]],
    commands: node(["build"], "react-router build"),
    output: "build/client",
  },
  gatsby: { signs: [["npm:gatsby"]], commands: node(["build"], "gatsby build"), output: "public" },
  docusaurus: {
    signs: [["npm:@docusaurus/core"]],
    commands: node(["build"], "docusaurus build"),
    output: "build",
  },
  vitepress: {
    signs: [["npm:vitepress"]],
    commands: (tree) => {
      const folder = tree.signs.has("file:.vitepress") ? "" : " docs";
      return node(["docs:build", "build"], `vitepress build${folder}`)(tree);
    },
    output: ({ signs }) => (signs.has("file:.vitepress") ? ".vitepress/dist" : "docs/.vitepress/dist"),
  },
  angular: {
    signs: [["npm:@angular/core"], ["file:angular.json"]],
    commands: node(["build"], "ng build"),
    output: ({ angularOutput }) => angularOutput ?? "dist",
  },
  "create-react-app": {
    signs: [["npm:react-scripts"]],
    commands: node(["build"], "react-scripts build"),
    output: "build",
  },
  "vue-cli": {
    signs: [["npm:@vue/cli-service"]],
    commands: node(["build"], "vue-cli-service build"),
    output: "dist",
  },
  eleventy: {
    signs: [["npm:@11ty/eleventy"], ["file:.eleventy.js"]],
    commands: node(["build"], "eleventy"),
    output: "_site",
  },
  hexo: { signs: [["npm:hexo"]], commands: node(["build"], "hexo generate"), output: "public" },
  laravel: { signs: [["composer:laravel/framework"], ["file:artisan"]], commands: php(), output: "public" },
  symfony: {
    signs: [["composer:symfony/framework-bundle"]],
    // Composer's scripts start the app, whose packages for development are not installed.
    commands: php("APP_ENV=${APP_ENV:-prod}"),
    output: "public",
  },
  php: { signs: [["file:composer.json"], ["file:index.php"]], commands: php(), output: publicFolder },
  rails: {
    signs: [["gem:rails"]],
    commands: rails,
    output: (tree) => (hasAssetPipeline(tree) ? "public" : publicFolder(tree)),
  },
  django: { signs: [["file:manage.py"], ["pip:django"]], commands: django, output: "." },
  fastapi: { signs: [["pip:fastapi"]], commands: python(null), output: "." },
  flask: { signs: [["pip:flask"]], commands: python(null), output: "." },
  hugo: {
    signs: [
      ["file:hugo.toml"],
      ["file:hugo.yaml"],
      ["file:hugo.json"],
      ["file:config.toml", "file:content"],
      ["file:config.yaml", "file:content"],
    ],
    commands: () => ({ install: null, build: "hugo --gc --minify" }),
    output: "public",
  },
  go: { signs: [["file:go.mod"]], commands: go, output: "." },
  nest: { signs: [["npm:@nestjs/core"]], commands: node(["build"], "nest build"), output: "." },
  vite: { signs: [["npm:vite"]], commands: node(["build"], "vite build"), output: "dist" },
  hono: { signs: [["npm:hono"]], commands: node(["build"], null), output: "." },
  express: { signs: [["npm:express"]], commands: node(["build"], null), output: "." },
  node: { signs: [["script:start"]], commands: node(["build"], null), output: "." },
  jekyll: {
    signs: [["gem:jekyll"], ["gem:github-pages"], ["file:_config.yml"]],
    commands: ruby("JEKYLL_ENV=production", "jekyll build"),
    output: "_site",
  },
  mkdocs: { signs: [["file:mkdocs.yml"]], commands: python("mkdocs build"), output: "site" },
  ruby: {
    signs: [["file:config.ru"], ["gem:sinatra"], ["gem:rack"], ["gem:roda"], ["gem:hanami"], ["gem:puma"]],
    commands: ruby("", null),
    output: publicFolder,
  },
  python: {
    signs: [["file:requirements.txt"], ["toml:project"], ["file:Pipfile"]],
    commands: python(null),
    output: ".",
  },
  static: { signs: [], commands: () => noCommands, output: "." },
};

/** Alternative names of frameworks. */
export const aliases: Readonly<Record<string, string>> = {
  "11ty": "eleventy",
  cra: "create-react-app",
  nestjs: "nest",
  nextjs: "next",
  nuxtjs: "nuxt",
  "svelte-kit": "sveltekit",
};
