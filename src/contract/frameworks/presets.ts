import { node, php, python, type Recipe, ruby } from "#contract/frameworks/recipes.ts";
import type { Tree } from "#contract/frameworks/tree.ts";

/** `signs`: the framework is detected if all signs of one of the lists are present. */
export type FrameworkPreset = {
  readonly signs: readonly (readonly string[])[];
  readonly build: Recipe;
  readonly output: string | ((tree: Tree) => string);
};

const none: Recipe = () => null;

/**
 * The signs, the build command and the output directory of each framework. The first match is used, so a framework that
 * is based on another one comes before it. The output directory of a framework that runs as a server is the project.
 */
export const presets: Readonly<Record<string, FrameworkPreset>> = {
  next: { signs: [["npm:next"]], build: node(["build"], "next build"), output: "out" },
  nuxt: { signs: [["npm:nuxt"]], build: node(["generate"], "nuxt generate"), output: ".output/public" },
  astro: { signs: [["npm:astro"]], build: node(["build"], "astro build"), output: "dist" },
  sveltekit: { signs: [["npm:@sveltejs/kit"]], build: node(["build"], "vite build"), output: "build" },
  remix: {
    signs: [["npm:@remix-run/dev"]],
    build: node(["build"], "remix vite:build"),
    output: "build/client",
  },
  "react-router": {
    signs: [["npm:@react-router/dev"]],
    build: node(["build"], "react-router build"),
    output: "build/client",
  },
  gatsby: { signs: [["npm:gatsby"]], build: node(["build"], "gatsby build"), output: "public" },
  docusaurus: {
    signs: [["npm:@docusaurus/core"]],
    build: node(["build"], "docusaurus build"),
    output: "build",
  },
  vitepress: {
    signs: [["npm:vitepress"]],
    build: (tree) => {
      const folder = tree.signs.has("file:.vitepress") ? "" : " docs";
      return node(["docs:build", "build"], `vitepress build${folder}`)(tree);
    },
    output: ({ signs }) => (signs.has("file:.vitepress") ? ".vitepress/dist" : "docs/.vitepress/dist"),
  },
  angular: {
    signs: [["npm:@angular/core"], ["file:angular.json"]],
    build: node(["build"], "ng build"),
    output: ({ angularOutput }) => angularOutput ?? "dist",
  },
  "create-react-app": {
    signs: [["npm:react-scripts"]],
    build: node(["build"], "react-scripts build"),
    output: "build",
  },
  "vue-cli": {
    signs: [["npm:@vue/cli-service"]],
    build: node(["build"], "vue-cli-service build"),
    output: "dist",
  },
  eleventy: {
    signs: [["npm:@11ty/eleventy"], ["file:.eleventy.js"]],
    build: node(["build"], "eleventy"),
    output: "_site",
  },
  hexo: { signs: [["npm:hexo"]], build: node(["build"], "hexo generate"), output: "public" },
  laravel: { signs: [["composer:laravel/framework"], ["file:artisan"]], build: php, output: "public" },
  symfony: { signs: [["composer:symfony/framework-bundle"]], build: php, output: "public" },
  rails: {
    signs: [["gem:rails"]],
    build: ruby("RAILS_ENV=production SECRET_KEY_BASE_DUMMY=1", "rails assets:precompile"),
    output: "public",
  },
  django: {
    signs: [["file:manage.py"], ["pip:django"]],
    build: python("python3 manage.py collectstatic --noinput"),
    output: ".",
  },
  fastapi: { signs: [["pip:fastapi"]], build: python(null), output: "." },
  flask: { signs: [["pip:flask"]], build: python(null), output: "." },
  nest: { signs: [["npm:@nestjs/core"]], build: node(["build"], "nest build"), output: "." },
  vite: { signs: [["npm:vite"]], build: node(["build"], "vite build"), output: "dist" },
  hono: { signs: [["npm:hono"]], build: node(["build"], null), output: "." },
  express: { signs: [["npm:express"]], build: node(["build"], null), output: "." },
  node: { signs: [["script:start"]], build: node(["build"], null), output: "." },
  hugo: {
    signs: [
      ["file:hugo.toml"],
      ["file:hugo.yaml"],
      ["file:hugo.json"],
      ["file:config.toml", "file:content"],
      ["file:config.yaml", "file:content"],
    ],
    build: () => "hugo --gc --minify",
    output: "public",
  },
  jekyll: {
    signs: [["gem:jekyll"], ["gem:github-pages"], ["file:_config.yml"]],
    build: ruby("JEKYLL_ENV=production", "jekyll build"),
    output: "_site",
  },
  mkdocs: { signs: [["file:mkdocs.yml"]], build: python("mkdocs build"), output: "site" },
  go: { signs: [["file:go.mod"]], build: () => "go build -o bin/ ./...", output: "." },
  static: { signs: [], build: none, output: "." },
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
