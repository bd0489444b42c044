import type { ConfiguredTool } from "#project-files/frameworks/config-files.ts";
import { type Form, files, nodeScript, onePage, server } from "#project-files/frameworks/form.ts";
import {
  nextServer,
  nodeServer,
  PRODUCTION,
  programScript,
} from "#project-files/frameworks/servers/node-server.ts";
import { nodeCommand } from "#project-files/frameworks/package-manager.ts";
import { insidePath } from "#project-files/frameworks/inside-path.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** A plain value of a configuration file. `why`: as a reason, such as `next.config.mjs has output: "export"`. */
type Setting = { readonly value: string | boolean; readonly why: string };

const LONGEST_VALUE = 60;

/** @param path the path of the setting, or its end after `*` */
function setting({ configs }: Tree, tool: ConfiguredTool, path: string): Setting | null {
  const config = configs.get(tool);
  if (config === undefined) return null;
  const end = path.startsWith("*") ? path.slice(1) : null;
  const found = [...config.values].filter(([name]) => (end === null ? name === path : name.endsWith(end)));
  const [first] = found;
  if (first === undefined || found.length > 1) return null;
  const [name, value] = first;
  const shown = name.split(".").at(-1) ?? name;
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, LONGEST_VALUE) : value);
  return {
    value,
    why: `${config.file} has ${shown.endsWith("()") ? `${shown.slice(0, -1)}${text})` : `${shown}: ${text}`}`,
  };
}

/** The folder that a setting names; `otherwise` if it is not set, is computed or leads out of the project. */
function folder(found: Setting | null, otherwise: string, ...base: readonly string[]): string {
  const path = typeof found?.value === "string" ? insidePath(...base, found.value) : null;
  return path ?? otherwise;
}

/** Next.js: a server, unless it is configured as a static export. */
export function nextForm(tree: Tree): Form {
  const output = setting(tree, "next", "output");
  if (output?.value === "export") return files(folder(setting(tree, "next", "distDir"), "out"), output.why);
  const exported = /\bnext export\b(?:[^&|;]{0,200}? (?:-o|--outdir)[= ]([\w./-]+))?/.exec(
    tree.scripts.get("build") ?? "",
  );
  if (exported !== null)
    return files(insidePath(exported[1] ?? "out") ?? "out", "the script build runs next export");
  const why = output === null ? 'next.config does not have output: "export"' : output.why;
  return server(nextServer(tree), why);
}

/** Whether a script already builds Nuxt's pages as files. */
export function runsGenerate({ scripts }: Tree): boolean {
  return /\bnux[ti] generate\b/.test(scripts.get("build") ?? "");
}

/** The presets of Nuxt's server that build files only. */
const staticNitro = /^(?:static|github[_-]pages|gitlab[_-]pages|.+[_-]static)$/;

/** Nuxt: a server, unless it is generated. */
export function nuxtForm(tree: Tree): Form {
  const pages = ".output/public";
  const { scripts } = tree;
  const ssr = setting(tree, "nuxt", "ssr");
  if (ssr?.value === false) return onePage(files(pages, ssr.why), "200.html");
  const preset = setting(tree, "nuxt", "nitro.preset");
  if (typeof preset?.value === "string" && staticNitro.test(preset.value)) return files(pages, preset.why);
  if (runsGenerate(tree)) return files(pages, "the script build runs nuxt generate");
  if (scripts.has("generate") && !scripts.has("build"))
    return files(pages, "package.json has a script generate, and none to build a server");
  return server(nodeServer(tree, "node .output/server/index.mjs"), "nuxt.config does not have ssr: false");
}

/** Adapters for the servers of one company, which build nothing that runs elsewhere. */
const foreignAdapter =
  /^(?:@sveltejs\/adapter-|@astrojs\/)(?:vercel|netlify|cloudflare|cloudflare-workers)(?:\/[\w/-]+)?$/;

/** Selects the adapter for the platform that it runs on. */
const AUTO = "@sveltejs/adapter-auto";

/** Whether SvelteKit's build selects its adapter itself. */
export function selectsAdapter(tree: Tree): boolean {
  return svelteAdapter(tree)?.name === AUTO;
}

/** SvelteKit: its adapter decides. */
export function svelteKitForm(tree: Tree): Form {
  const adapter = svelteAdapter(tree);
  const why = adapter === null ? [] : [`${adapter.file} uses ${adapter.name}`];
  const option = (name: string) =>
    setting(tree, "svelte", `*adapter().${name}`) ?? setting(tree, "vite", `*adapter().${name}`);
  if (adapter?.name === "@sveltejs/adapter-node" || adapter?.name === AUTO)
    return server(svelteServer(nodeServer(tree, nodeScript(folder(option("out"), "build")))), ...why);
  const fallback = option("fallback");
  const page = typeof fallback?.value === "string" ? insidePath(fallback.value) : null;
  const site = files(folder(option("pages"), "build"), ...why);
  const form = page === null ? site : onePage(site, page);
  const advice = "use @sveltejs/adapter-node for a server, or @sveltejs/adapter-static for a static site";
  if (adapter === null) return { ...form, problem: `the project has no SvelteKit adapter: ${advice}` };
  if (!foreignAdapter.test(adapter.name)) return form;
  return { ...form, problem: `${adapter.name} does not build for this server: ${advice}` };
}

/** Without it, SvelteKit takes every visit for one with https, and refuses forms sent without it. */
function svelteServer(start: string | null): string | null {
  return start === null ? null : `PROTOCOL_HEADER=x-forwarded-proto ${start}`;
}

/** npm allows no longer name. */
const LONGEST_PACKAGE = 214;

/** The adapter that the configuration imports, or else that package.json names. */
function svelteAdapter({ configs, signs }: Tree): { readonly name: string; readonly file: string } | null {
  const isAdapter = (name: string) =>
    name.length <= LONGEST_PACKAGE && /^@sveltejs\/adapter-|\badapter\b/.test(name);
  for (const config of [configs.get("svelte"), configs.get("vite")]) {
    const name = config === undefined ? undefined : [...config.imports].find(isAdapter);
    if (config !== undefined && name !== undefined) return { name, file: config.file };
  }
  const named = [...signs.keys()].flatMap((sign) => (sign.startsWith("npm:") ? [sign.slice(4)] : []));
  const name = named.find((one) => one.startsWith("@sveltejs/adapter-") && isAdapter(one));
  return name === undefined ? null : { name, file: "package.json" };
}

/** Remix with Vite: a server, unless its plugin has `ssr: false`. */
export function remixForm(tree: Tree): Form {
  const ssr = setting(tree, "vite", "*().ssr");
  if (ssr?.value === false) return onePage(files("build/client", ssr.why));
  return server(
    nodeServer(tree, "remix-serve ./build/server/index.js"),
    "vite.config does not have ssr: false",
  );
}

/** React Router as a framework: a server, unless it is configured with `ssr: false`. */
export function reactRouterForm(tree: Tree): Form {
  const build = folder(setting(tree, "react-router", "buildDirectory"), "build");
  const ssr = setting(tree, "react-router", "ssr");
  if (ssr?.value === false) return onePage(files(`${build}/client`, ssr.why));
  const start = nodeServer(tree, `react-router-serve ./${build}/server/index.js`);
  return server(start, "react-router.config does not have ssr: false");
}

/** Astro: files, unless pages are rendered on demand, which needs an adapter. */
export function astroForm(tree: Tree): Form {
  const dist = folder(setting(tree, "astro", "outDir"), "dist");
  const config = tree.configs.get("astro");
  const output = setting(tree, "astro", "output");
  const adapter = [...(config?.imports ?? [])].find(
    (name) => name === "@astrojs/node" || foreignAdapter.test(name),
  );
  const reasons = [
    ...(output === null ? [] : [output.why]),
    ...(adapter === undefined ? [] : [`${config?.file ?? ""} uses ${adapter}`]),
  ];
  const isServer = adapter === "@astrojs/node" || output?.value === "server" || output?.value === "hybrid";
  const form = isServer
    ? server(nodeServer(tree, nodeScript(`${dist}/server/entry.mjs`)), ...reasons)
    : files(dist, ...reasons);
  if (adapter === undefined || adapter === "@astrojs/node") return form;
  return {
    ...form,
    problem: `${adapter} does not build for this server: use @astrojs/node for a server, or no adapter for a static site`,
  };
}

/** Vite: files, usually of one page. */
export function viteForm(tree: Tree): Form {
  const isOther = setting(tree, "vite", "appType")?.value === "mpa" || hasSeveralEntries(tree);
  return isOther ? viteFiles(tree) : onePage(viteFiles(tree));
}

/** Whether the configuration names several pages to build. */
function hasSeveralEntries({ configs }: Tree): boolean {
  const entry = /^build\.(?:rollupOptions|rolldownOptions)\.input\.[^.]+$/;
  return [...(configs.get("vite")?.names ?? [])].filter((name) => entry.test(name)).length > 1;
}

/** The output directory is relative to the folder of the pages. */
function viteFiles(tree: Tree): Form {
  const root = setting(tree, "vite", "root");
  const base = folder(root, ".");
  const script = / --outDir[= ]["']?([\w./-]+)/.exec(tree.scripts.get("build") ?? "")?.[1];
  if (script !== undefined) return files(insidePath(base, script) ?? "dist", "the script build has --outDir");
  const output = setting(tree, "vite", "build.outDir");
  const reasons = [root, output].flatMap((found) => (found === null ? [] : [found.why]));
  return files(folder(output, insidePath(base, "dist") ?? "dist", base), ...reasons);
}

/** Eleventy: files. */
export function eleventyForm(tree: Tree): Form {
  const script = / --output[= ]["']?([\w./-]+)/.exec(tree.scripts.get("build") ?? "")?.[1];
  if (script !== undefined) return files(insidePath(script) ?? "_site", "the script build has --output");
  const output = setting(tree, "eleventy", "dir.output") ?? setting(tree, "eleventy", "setOutputDirectory()");
  return files(folder(output, "_site"), ...(output === null ? [] : [output.why]));
}

/** Vue CLI: files, of one page unless it names several. */
export function vueForm(tree: Tree): Form {
  const output = setting(tree, "vue", "outputDir");
  const form = files(folder(output, "dist"), ...(output === null ? [] : [output.why]));
  const pages = [...(tree.configs.get("vue")?.names ?? [])].filter((name) => /^pages\.[^.]+$/.test(name));
  return pages.length > 1 ? form : onePage(form);
}

/** Angular: files, unless angular.json names a server. */
export function angularForm(tree: Tree): Form {
  const { output, server: script } = tree.angular ?? { output: null, server: null };
  if (script === null) return onePage(files(output ?? "dist"));
  const start = nodeScript(script);
  // The script `start` of Angular is for development.
  const command = start === null ? null : `${PRODUCTION} ${nodeCommand(tree.packageManager, start)}`;
  return server(command, "angular.json has a server");
}

/** A project whose build makes files: a server only if a script of package.json runs a program. */
export function filesOrProgram(form: (tree: Tree) => Form): (tree: Tree) => Form {
  return (tree) => {
    const script = programScript(tree);
    const found = form(tree);
    if (script === null || found.app_type === "server") return found;
    return server(nodeServer(tree, null), `the script ${script} runs a program`);
  };
}

/** A framework whose build makes a server for Node, unless one of its settings says that it makes files. */
export function serverUnless(
  start: string,
  output: string,
  settings: readonly (readonly [ConfiguredTool, string, string | boolean])[],
): (tree: Tree) => Form {
  return (tree) => {
    for (const [tool, path, value] of settings) {
      const found = setting(tree, tool, path);
      if (found?.value === value) return files(output, found.why);
    }
    return server(nodeServer(tree, start));
  };
}

/** TanStack Start: a server if Nitro or a script makes one, because its own build has only a handler of requests. */
export function tanstackForm(tree: Tree): Form {
  const hasNitro = ["nitro", "nitropack", "vinxi", "@tanstack/nitro-v2-vite-plugin"].find((name) =>
    tree.signs.has(`npm:${name}`),
  );
  if (hasNitro !== undefined || programScript(tree) !== null)
    return server(nodeServer(tree, "node .output/server/index.mjs"));
  const spa = setting(tree, "vite", "*().spa.enabled") ?? setting(tree, "vite", "*().prerender.enabled");
  if (spa?.value === true) return files("dist/client", spa.why);
  return {
    ...files("dist/client"),
    problem:
      "TanStack Start builds no server that can be started: add the plugin of Nitro (nitro) to vite.config, or a script start that runs the server",
  };
}

/** Qwik City: a server if its adapter for Express or Fastify is there, and otherwise files. */
export const qwikForm = filesOrProgram(() => files("dist"));

/** Vike: a server if a script runs it, and otherwise the pages that are rendered before. */
export const vikeForm = filesOrProgram(() => files("dist/client"));

/** Redwood: its own server answers for both sides. */
export const redwoodForm = (tree: Tree): Form => server(nodeServer(tree, null));

/** VuePress: in the folder with its sources. */
export function vuepressForm({ signs }: Tree): Form {
  const base = ["docs", "src"].find((name) => signs.has(`file:${name}/.vuepress`));
  const isAtTop = base === undefined && signs.has("file:.vuepress");
  return files(isAtTop ? ".vuepress/dist" : `${base ?? "docs"}/.vuepress/dist`);
}

/** The folder that a script such as `serve -s dist` shows. */
function shownFolder(start: string): string {
  const named = /^(?:npx )?[\w-]+(?: -\w)* (?!-)([\w./-]+)(?: |$)/.exec(start)?.[1];
  return (named === undefined ? null : insidePath(named)) ?? ".";
}

/** Whether the project's script `build` is all that says how it is used. */
export function isOnlyBuilt({ signs }: Tree): boolean {
  return (
    signs.has("script:build") &&
    !["start:server", "node:server", "file:server.js"].some((sign) => signs.has(sign))
  );
}

/** A project with scripts: a server, unless its script `start` only shows files, or it has only a script `build`. */
export function nodeForm(tree: Tree): Form {
  const { signs, scripts } = tree;
  const isBuilt = signs.has("script:build");
  if (signs.has("start:files") && !signs.has("node:server")) {
    const output = shownFolder(scripts.get("start") ?? "");
    const form = files(output, "the script start only shows the files");
    return isBuilt ? { ...form, findsOutput: true } : form;
  }
  if (!isOnlyBuilt(tree)) return server(nodeServer(tree, null));
  const { platform } = tree;
  const output = platform?.output ?? null;
  const form =
    platform === null || output === null ? files(".") : files(output, `${platform.file} publishes ${output}`);
  return { ...form, findsOutput: true };
}
