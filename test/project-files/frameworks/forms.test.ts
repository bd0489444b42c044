import { describe, expect, it } from "vitest";

import { buildProblem, detectFramework, presetFor } from "#project-files/frameworks/preset-for.ts";
import { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import { surveyTree, type Tree } from "#project-files/frameworks/tree.ts";

type Files = Readonly<Record<string, string>>;

function tree(packages: readonly string[], files: Files = {}, scripts: Files = { build: "build" }): Tree {
  const dependencies = Object.fromEntries(packages.map((name) => [name, "1.0.0"]));
  const manifest = { "package.json": JSON.stringify({ scripts, dependencies }), "package-lock.json": "" };
  return surveyTree(new Map(Object.entries({ ...manifest, ...files })), []);
}

/** The preset of the detected framework. */
function detect(found: Tree) {
  return presetFor(detectFramework(found), found);
}

const vite = (config: string) =>
  tree(["vite"], { "vite.config.ts": `export default defineConfig({ ${config} })` });

describe("a site of one page has a fallback", () => {
  it.each<[string, Tree, string | null]>([
    ["Vite", tree(["vite"]), "index.html"],
    ["Vite with one entry", vite(`build: { rollupOptions: { input: { app: resolve("x") } } }`), "index.html"],
    [
      "Vite with several entries",
      vite(`build: { rollupOptions: { input: { main: resolve("index.html"), admin: "admin/index.html" } } }`),
      null,
    ],
    ["Vite without fallback", vite(`appType: "mpa"`), null],
    ["Create React App", tree(["react-scripts"]), "index.html"],
    ["Vue CLI", tree(["@vue/cli-service"]), "index.html"],
    [
      "Vue CLI with several pages",
      tree(["@vue/cli-service"], {
        "vue.config.js": `module.exports = { pages: { index: "src/a.js", admin: { entry: "src/b.js" } } }`,
      }),
      null,
    ],
    ["Angular", tree(["@angular/core"]), "index.html"],
    [
      "Nuxt",
      tree(["nuxt"], { "nuxt.config.ts": "export default defineNuxtConfig({ ssr: false })" }),
      "200.html",
    ],
    [
      "React Router",
      tree(["@react-router/dev"], {
        "react-router.config.ts": "export default { ssr: false } satisfies Config",
      }),
      "index.html",
    ],
    [
      "SvelteKit",
      tree(["@sveltejs/kit"], {
        "svelte.config.js": `import adapter from "@sveltejs/adapter-static"; export default { kit: { adapter: adapter({ fallback: "app.html" }) } }`,
      }),
      "app.html",
    ],
    [
      "Next as a static export",
      tree(["next"], { "next.config.mjs": `export default { output: "export" }` }),
      null,
    ],
    ["Next as a server", tree(["next"]), null],
    ["Astro", tree(["astro"]), null],
    ["plain files", surveyTree(new Map([["index.html", ""]]), []), null],
  ])("%s", (_, found, fallback) => {
    expect(detect(found).fallback).toBe(fallback);
  });
});

describe("a static site", () => {
  it.each<[string, Tree, string, string | null]>([
    [
      "Next as a static export",
      tree(["next"], { "next.config.mjs": `export default { output: "export" }` }),
      "out",
      'next.config.mjs has output: "export"',
    ],
    [
      "Next with an export folder of its own",
      tree(["next"], { "next.config.js": `module.exports = { output: "export", distDir: "./public/" }` }),
      "public",
      'next.config.js has output: "export"',
    ],
    [
      "an old Next",
      tree(["next"], {}, { build: "next build && next export" }),
      "out",
      "the script build runs next export",
    ],
    [
      "an old Next",
      tree(["next"], {}, { build: "next build && next export -o docs" }),
      "docs",
      "the script build runs next export",
    ],
    [
      "Nuxt without a server",
      tree(["nuxt"], { "nuxt.config.ts": "export default defineNuxtConfig({ ssr: false })" }),
      ".output/public",
      "nuxt.config.ts has ssr: false",
    ],
    [
      "Nuxt with a static preset",
      tree(["nuxt"], {
        "nuxt.config.ts": `export default defineNuxtConfig({ nitro: { preset: "github_pages" } })`,
      }),
      ".output/public",
      'nuxt.config.ts has preset: "github_pages"',
    ],
    [
      "Nuxt that is generated",
      tree(["nuxt"], {}, { build: "nuxt generate" }),
      ".output/public",
      "the script build runs nuxt generate",
    ],
    [
      "SvelteKit with the static adapter",
      tree(["@sveltejs/kit", "@sveltejs/adapter-static"]),
      "build",
      "package.json uses @sveltejs/adapter-static",
    ],
    [
      "SvelteKit with a folder of its own",
      tree(["@sveltejs/kit", "@sveltejs/adapter-auto"], {
        "svelte.config.js": `import adapter from "@sveltejs/adapter-static"; export default { kit: { adapter: adapter({ pages: "www" }) } }`,
      }),
      "www",
      "svelte.config.js uses @sveltejs/adapter-static",
    ],
    [
      "Remix as a single page",
      tree(["@remix-run/dev"], {
        "vite.config.ts": "export default defineConfig({ plugins: [remix({ ssr: false })] })",
      }),
      "build/client",
      "vite.config.ts has ssr: false",
    ],
    [
      "React Router as a single page",
      tree(["@react-router/dev"], {
        "react-router.config.ts": "export default { ssr: false } satisfies Config",
      }),
      "build/client",
      "react-router.config.ts has ssr: false",
    ],
    ["Astro", tree(["astro"]), "dist", null],
    [
      "Astro with a folder of its own",
      tree(["astro"], { "astro.config.mjs": `export default defineConfig({ outDir: "./www" })` }),
      "www",
      null,
    ],
    [
      "Vite with a folder of its own",
      tree(["vite"], { "vite.config.js": `export default { build: { outDir: "public" } }` }),
      "public",
      'vite.config.js has outDir: "public"',
    ],
    [
      "Vite with its pages in a folder",
      tree(["vite"], { "vite.config.js": `export default { root: "src", build: { outDir: "../dist" } }` }),
      "dist",
      'vite.config.js has root: "src"',
    ],
    [
      "Vite with its pages in a folder, by default",
      tree(["vite"], { "vite.config.js": `export default { root: "./src" }` }),
      "src/dist",
      'vite.config.js has root: "./src"',
    ],
    [
      "Vite with a folder in its script",
      tree(["vite"], {}, { build: "tsc && vite build --outDir www" }),
      "www",
      "the script build has --outDir",
    ],
    [
      "pages in a folder public",
      surveyTree(new Map([["public/index.html", ""]]), []),
      "public",
      "its index.html is in public",
    ],
    [
      "Vite with a folder outside",
      tree(["vite"], { "vite.config.js": `export default { build: { outDir: "../../etc" } }` }),
      "dist",
      'vite.config.js has outDir: "../../etc"',
    ],
    [
      "Eleventy with a folder in its configuration",
      tree(["@11ty/eleventy"], {
        ".eleventy.js": `module.exports = function (config) { return { dir: { output: "www" } } }`,
      }),
      "www",
      '.eleventy.js has output: "www"',
    ],
    [
      "Eleventy with a folder that is set by a call",
      tree(["@11ty/eleventy"], {
        "eleventy.config.js": `export default (config) => { config.setOutputDirectory("www"); }`,
      }),
      "www",
      'eleventy.config.js has setOutputDirectory("www")',
    ],
    [
      "Eleventy with a folder in its script",
      tree(["@11ty/eleventy"], {}, { build: "eleventy --output=www" }),
      "www",
      "the script build has --output",
    ],
    [
      "Vue CLI with a folder of its own",
      tree(["@vue/cli-service"], { "vue.config.js": `module.exports = { outputDir: "www" }` }),
      "www",
      'vue.config.js has outputDir: "www"',
    ],
    [
      "a page with a script that shows it",
      tree([], { "index.html": "" }, { start: "http-server ." }),
      ".",
      "the script start only shows the files",
    ],
  ])("is %s", (_what, found, output, reason) => {
    const preset = detect(found);
    expect(preset).toMatchObject({ app_type: "static", output_directory: output, start_command: null });
    if (reason !== null) expect(preset.reasons).toContain(reason);
  });
});

const angular = (options: object) =>
  JSON.stringify({
    projects: { shop: { architect: { build: { builder: "@angular/build:application", options } } } },
  });

/** The command that starts a server, which start-commands.test.ts has with its variables. */
const withoutVariables = ({ start_command }: DetectedPreset) =>
  start_command?.replace(/^(?:[A-Z_]+=\S+ )+/, "") ?? null;

describe("a server", () => {
  it.each<[string, Tree, string | null, string]>([
    [
      "Next",
      tree(["next"]),
      "node_modules/.bin/next start -H 127.0.0.1 -p $PORT",
      'next.config does not have output: "export"',
    ],
    [
      "Next with a script of its own",
      tree(["next"], {}, { build: "", start: "node server.js" }),
      "node server.js",
      "package.json depends on next",
    ],
    [
      "Next with a script for development",
      tree(["next"], {}, { build: "", start: "next dev" }),
      "node_modules/.bin/next start -H 127.0.0.1 -p $PORT",
      "package.json depends on next",
    ],
    [
      "Next for a container",
      tree(["next"], { "next.config.ts": `export default { output: "standalone" }` }),
      "node_modules/.bin/next start -H 127.0.0.1 -p $PORT",
      'next.config.ts has output: "standalone"',
    ],
    [
      "Next whose export depends on a condition",
      tree(["next"], {
        "next.config.js": `module.exports = { output: process.env.EXPORT ? "export" : undefined }`,
      }),
      "node_modules/.bin/next start -H 127.0.0.1 -p $PORT",
      'next.config does not have output: "export"',
    ],
    [
      "Nuxt",
      tree(["nuxt"], {}, { build: "nuxt build", generate: "nuxt generate" }),
      "node .output/server/index.mjs",
      "package.json depends on nuxt",
    ],
    [
      "SvelteKit with the adapter for Node",
      tree(["@sveltejs/kit", "@sveltejs/adapter-node"], {
        "svelte.config.js": `import adapter from '@sveltejs/adapter-node';`,
      }),
      "node build",
      "svelte.config.js uses @sveltejs/adapter-node",
    ],
    [
      "SvelteKit whose adapter is in the configuration of Vite",
      tree(["@sveltejs/kit"], {
        "vite.config.js": `import adapter from "@sveltejs/adapter-node"; export default { plugins: [sveltekit({ adapter: adapter({ out: "server" }) })] }`,
      }),
      "node server",
      "vite.config.js uses @sveltejs/adapter-node",
    ],
    [
      "Remix",
      tree(["@remix-run/dev"]),
      "node_modules/.bin/remix-serve ./build/server/index.js",
      "vite.config does not have ssr: false",
    ],
    [
      "React Router",
      tree(["@react-router/dev"], { "react-router.config.ts": "export default { ssr: true }" }),
      "node_modules/.bin/react-router-serve ./build/server/index.js",
      "react-router.config does not have ssr: false",
    ],
    [
      "Astro with the adapter for Node",
      tree(["astro"], {
        "astro.config.mjs": `import node from "@astrojs/node"; export default { adapter: node({ mode: "standalone" }) }`,
      }),
      "node dist/server/entry.mjs",
      "astro.config.mjs uses @astrojs/node",
    ],
    [
      "Astro with pages on demand",
      tree(["astro"], { "astro.config.mjs": `export default { output: "server" }` }),
      "node dist/server/entry.mjs",
      'astro.config.mjs has output: "server"',
    ],
    [
      "Angular with a server",
      tree(["@angular/core"], {
        "angular.json": angular({ outputMode: "server", ssr: { entry: "src/server.ts" } }),
      }),
      "node dist/shop/server/server.mjs",
      "angular.json has a server",
    ],
    [
      "Express",
      tree(["express"], {}, { start: "node app.js" }),
      "node app.js",
      "package.json depends on express",
    ],
    ["Express without a script", tree(["express"], {}, {}), null, "package.json depends on express"],
    [
      "any package with a script that starts it",
      tree(["fastify"], {}, { start: "node app.js" }),
      "node app.js",
      "package.json has a script start",
    ],
  ])("is %s", (_what, found, start, reason) => {
    const preset = detect(found);
    expect(preset).toMatchObject({ app_type: "server", output_directory: "." });
    expect(withoutVariables(preset)).toBe(start);
    expect(preset.reasons).toContain(reason);
  });

  it("is Angular only if its pages are not all built before", () => {
    const found = tree(["@angular/core"], { "angular.json": angular({ outputMode: "static", ssr: {} }) });
    expect(detect(found)).toMatchObject({ app_type: "static", output_directory: "dist/shop/browser" });
  });
});

it("builds Nuxt with the command of its form", () => {
  const commandOf = (scripts: Files, config = "") =>
    detect(tree(["nuxt"], { "nuxt.config.ts": config }, scripts)).build_command;
  const both = { build: "nuxt build", generate: "nuxt generate" };
  expect(commandOf(both)).toBe("npm run build");
  expect(commandOf({})).toBe("npx nuxt build");
  expect(commandOf(both, "export default { ssr: false }")).toBe("npm run generate");
  expect(commandOf({ build: "nuxt build" }, "export default { ssr: false }")).toBe("npx nuxt generate");
  expect(commandOf({ build: "nuxi generate" })).toBe("npm run build");
});

it("builds SvelteKit for Node if its adapter is selected by the platform", () => {
  const svelte = (adapter: string, scripts?: Files) => detect(tree(["@sveltejs/kit", adapter], {}, scripts));
  expect(svelte("@sveltejs/adapter-auto")).toMatchObject({
    build_command: "GCP_BUILDPACKS=1 npm run build",
    app_type: "server",
  });
  expect(withoutVariables(svelte("@sveltejs/adapter-auto"))).toBe("node build");
  expect(svelte("@sveltejs/adapter-node").build_command).toBe("npm run build");
});

describe("an adapter for another platform", () => {
  it.each<[string, string, Files]>([
    [
      "@sveltejs/adapter-vercel",
      "sveltekit",
      { "svelte.config.js": `import adapter from "@sveltejs/adapter-vercel"` },
    ],
    [
      "@astrojs/vercel",
      "astro",
      { "astro.config.mjs": `import vercel from "@astrojs/vercel"; export default { output: "server" }` },
    ],
    [
      "@astrojs/vercel/serverless",
      "astro",
      {
        "astro.config.mjs": `import vercel from "@astrojs/vercel/serverless"; export default { output: "hybrid" }`,
      },
    ],
  ])("is named, with the one to use instead: %s", (name, framework, files) => {
    const found = tree([framework === "sveltekit" ? "@sveltejs/kit" : framework], files);
    expect(detectFramework(found)).toBe(framework);
    expect(buildProblem(framework, found)).toMatch(
      new RegExp(`^${name} does not build for this server: use @`),
    );
  });

  it("is not needed by other frameworks", () => {
    expect(buildProblem("astro", tree(["astro"]))).toBeNull();
    expect(buildProblem("next", tree(["next"]))).toBeNull();
    expect(buildProblem("phoenix", tree([]))).toBeNull();
  });
});

describe("the reasons of a detection", () => {
  it("name the file that decides", () => {
    const found = (files: Files) => surveyTree(new Map(Object.entries(files)), []);
    const reasons = (files: Files) => detect(found(files)).reasons;
    expect(reasons({ "hugo.toml": "" })).toEqual(["hugo.toml exists"]);
    expect(reasons({ "config.toml": "", content: "" })).toEqual(["config.toml exists", "content exists"]);
    expect(reasons({ Gemfile: 'gem "rails"' })).toEqual(["the Gemfile names rails"]);
    expect(reasons({ Pipfile: 'flask = "*"' })).toEqual(["Pipfile names flask"]);
    expect(reasons({ "composer.json": '{"require":{"laravel/framework":"12"}}' })).toEqual([
      "composer.json requires laravel/framework",
    ]);
    expect(reasons({ "index.html": "" })).toEqual(["no file names a framework"]);
    expect(reasons({ "package.json": '{"scripts":{"build":"make"}}' })).toEqual([
      "package.json has a script build",
    ]);
  });

  it("are short, whatever the files have in them", () => {
    const long = "x".repeat(100_000);
    const found = tree(["astro"], { "astro.config.mjs": `export default { output: "${long}" }` });
    for (const reason of detect(found).reasons) expect(reason.length).toBeLessThan(200);
  });

  it.each<[string, string, string]>([
    ["@sveltejs/kit", "svelte.config.js", `import adapter from "adapter ${"x".repeat(5_000)}";`],
    [
      "@react-router/dev",
      "react-router.config.ts",
      `export default { ssr: false, buildDirectory: "${"b/".repeat(511)}" };`,
    ],
  ])("and all other settings of %s are short enough for the control plane", (name, file, text) => {
    expect(DetectedPreset.safeParse(detect(tree([name], { [file]: text })))).toMatchObject({ success: true });
    const asPackage = tree([name, `@sveltejs/adapter-${"x".repeat(5_000)}`]);
    expect(DetectedPreset.safeParse(detect(asPackage))).toMatchObject({ success: true });
  });
});
