import { presetName } from "#project-files/frameworks/preset-names.ts";

/** Where the tools of JavaScript frameworks keep compiled files: webpack, Babel, Terser, ESLint and others. */
const TOOLS = "node_modules/.cache";

/**
 * The folders in which a framework's build keeps what the next one may use again, relative to the root directory. Only
 * folders that the framework itself checks before it uses them. Gatsby's is missing, because it belongs to its output.
 */
const buildCaches: Readonly<Record<string, readonly string[]>> = {
  next: [".next/cache", TOOLS],
  nuxt: [TOOLS],
  astro: ["node_modules/.astro", TOOLS],
  sveltekit: [TOOLS],
  remix: [TOOLS],
  "react-router": [TOOLS],
  docusaurus: [TOOLS],
  vitepress: [TOOLS],
  angular: [".angular/cache"],
  "create-react-app": [TOOLS],
  "vue-cli": [TOOLS],
  eleventy: [".cache"],
  nest: [TOOLS],
  vite: [TOOLS, ".parcel-cache"],
  node: [TOOLS, ".parcel-cache"],
  hugo: ["resources/_gen"],
  jekyll: [".jekyll-cache"],
  mkdocs: [".cache"],
  rails: ["tmp/cache"],
  laravel: [TOOLS],
  symfony: [TOOLS],
};

/** cargo checks the files that it finds here. */
const RUST = "target";

/**
 * The folders that a project's build may use again.
 * @param isRust the root directory has a Cargo.toml; such a project has no framework of its own
 */
export function buildCachesOf(framework: string, isRust: boolean): readonly string[] {
  const name = presetName(framework);
  const folders = Object.hasOwn(buildCaches, name) ? (buildCaches[name] ?? []) : [];
  return isRust ? [...folders, RUST] : folders;
}
