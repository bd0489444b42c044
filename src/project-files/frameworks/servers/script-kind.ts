/**
 * What a script of package.json does. `program`: it runs a program that may answer requests. `development`: it starts a
 * server that rebuilds the app while somebody works on it. `files`: it shows built files. `step`: it ends by itself.
 */
export type ScriptKind = "program" | "development" | "files" | "step" | "other";

type Scripts = ReadonlyMap<string, string>;

/** Programs that run a file of the repository, or an app that the build has made. */
const runners = new Set([
  ...[
    "node",
    "nodejs",
    "bun",
    "deno",
    "tsx",
    "ts-node",
    "ts-node-esm",
    "babel-node",
    "esr",
    "jiti",
    "swc-node",
  ],
  ...[
    "pm2",
    "pm2-runtime",
    "forever",
    "python",
    "python3",
    "gunicorn",
    "uvicorn",
    "php",
    "java",
    "ruby",
    "go",
  ],
  ...["remix-serve", "react-router-serve", "srvx", "fastify", "strapi", "medusa", "keystone", "directus"],
]);

/** Servers that frameworks start with a word, such as `next start`. */
const startsServer =
  /^(?:next|nuxt|nuxi|vinxi|nest|waku|blitz|payload|sails|moleculer-runner|listhen) start\b/;

/** Programs that only show the files of a folder. */
const fileServers = new Set([
  ...["serve", "http-server", "live-server", "lite-server", "browser-sync", "servor", "sirv", "sirv-cli"],
  ...["local-web-server", "ws", "superstatic", "statikk", "five-server", "alive-server"],
]);

/** Programs that are for development, whatever follows. */
const forDevelopment = new Set([
  ...[
    "nodemon",
    "ts-node-dev",
    "tsnd",
    "node-dev",
    "webpack-dev-server",
    "wrangler",
    "electron",
    "electron-forge",
    "electron-vite",
    "tauri",
    "nw",
    "nwbuild",
    "nx",
    "expo",
    "gulp",
  ],
  ...[
    "grunt",
    "start-storybook",
    "storybook",
    "tauri",
    "ionic",
    "meteor",
    "cosmos",
    "ladle",
    "vite-node",
    "brunch",
  ],
]);

/** Commands that start a development server, or would without `build`. */
const developmentCommand = new RegExp(
  [
    String.raw`^(?:vite|parcel|next|nuxt|nuxi|astro|rolldown-vite)(?!.* build\b)(?: |$)`,
    String.raw`^(?:react-scripts|react-app-rewired|craco|docusaurus|expo|react-native|umi|max|dumi|snowpack|svelte-kit|sanity) (?:start|dev)\b`,
    String.raw`^(?:ng|vue-cli-service|ember|webpack|webpack-cli|rspack|rsbuild|quasar|stencil|nx|hexo|jekyll|hugo|mkdocs|eleventy) (?:s|serve|server|start|dev)\b`,
    String.raw`^(?:eleventy|stencil|poi|farm) .*--serve\b`,
  ].join("|"),
);

/** A script of the repository that is named after what it does, as in an ejected Create React App. */
const ownDevelopment =
  /^(?:node|tsx|ts-node) (?:\.\/)?(?:scripts|build|config|tools)\/(?:start|dev|serve|watch)\b/;
const watches = /(?:^| )(?:dev|develop|watch|--watch|--hot|--hmr|--dev)(?:$|[ :=-])/;
const steps =
  /^(?:tsc|rimraf|rm|mkdir|cp|mv|echo|cd|sleep|copyfiles|cpx|shx|prisma|drizzle-kit|sequelize|knex|typeorm|eslint|prettier|export|set|test|webpack|webpack-cli|rollup|esbuild|swc|babel|sass|postcss|tailwindcss|vite|parcel|next|nuxt|nuxi|astro)\b/;
/** Programs that only prepare the next word. */
const prefixes = new Set([
  ...[
    "cross-env",
    "cross-env-shell",
    "env",
    "npx",
    "bunx",
    "pnpx",
    "exec",
    "sudo",
    "time",
    "nohup",
    "--",
    "-s",
  ],
  ...["dotenv", "dotenvx", "env-cmd", "-y", "--yes", "--silent", "better-npm-run"],
]);
const parallel = /^(?:concurrently|npm-run-all|npm-run-all2|run-p|run-s|turbo|lerna|wsrun)\b/;
const packageManagers = new Set(["npm", "pnpm", "yarn", "bun", "node"]);

/** Longer scripts, and scripts that call others more deeply, are not understood. */
const LONGEST = 2_000;
const DEEPEST = 5;

/** Says what a script does, by the programs in it and in the scripts that it calls. */
export function scriptKind(script: string, scripts: Scripts, depth = 0): ScriptKind {
  if (script.length > LONGEST || depth > DEEPEST) return "other";
  const kinds = script.split(/&&|\|\||[;\n]/).map((step) => stepKind(step, scripts, depth));
  // What comes before ends by itself, such as a build.
  return kinds.findLast((kind) => kind !== "step") ?? "step";
}

/** Of several commands at once, a development server is what the author sees while working. */
function stepKind(step: string, scripts: Scripts, depth: number): ScriptKind {
  const parts = step.split(/[|&]/).map((part) => part.trim());
  const kinds = new Set(parts.filter((part) => part !== "").map((part) => partKind(part, scripts, depth)));
  return (["development", "program", "files", "other"] as const).find((kind) => kinds.has(kind)) ?? "step";
}

function partKind(part: string, scripts: Scripts, depth: number): ScriptKind {
  const words = wordsOf(part);
  const [program = "", next = "", third = ""] = words;
  const line = words.join(" ");
  const called =
    packageManagers.has(program) && ["run", "run-script", "--run"].includes(next)
      ? third
      : program === "npm" || program === "pnpm" || program === "yarn"
        ? next
        : null;
  if (called !== null) {
    const text = scripts.get(called);
    if (text !== undefined) return scriptKind(text, scripts, depth + 1);
    if (program === "npm") return ["i", "ci", "install"].includes(next) ? "step" : "other";
    return ["exec", "dlx", "run"].includes(next)
      ? partKind(words.slice(2).join(" "), scripts, depth + 1)
      : partKind(words.slice(1).join(" "), scripts, depth + 1);
  }
  if (parallel.test(program)) return parallelKind(part, scripts, depth);
  if (program === "") return "step";
  if (forDevelopment.has(program)) return "development";
  if (fileServers.has(program) || /^\S+ preview\b/.test(line)) return "files";
  if (startsServer.test(line)) return watches.test(line) ? "development" : "program";
  if (ownDevelopment.test(line) || developmentCommand.test(line) || watches.test(line)) return "development";
  if (runners.has(program) || /^\.{0,2}\/\S/.test(program)) return "program";
  return steps.test(line) ? "step" : "other";
}

/** The words of a command after its variables and what only prepares it. A program of a package has its plain name. */
function wordsOf(part: string): readonly string[] {
  const words = part
    .replaceAll(/["'\\]/g, " ")
    .split(/\s+/)
    .filter(Boolean);
  while (words[0] !== undefined && isPrefix(words[0])) words.shift();
  const inPackage = /(?:^|\/)node_modules\/(?:\.bin\/([\w.-]+)|(?:@[\w.-]+\/)?([\w.-]+)\/)/;
  if (["node", "nodejs", "bun"].includes(words[0] ?? "")) {
    const [, bin, name] = inPackage.exec(words[1] ?? "") ?? [];
    if (bin !== undefined || name !== undefined) return [bin ?? name ?? "", ...words.slice(2)];
  }
  const [, bin] = inPackage.exec(words[0] ?? "") ?? [];
  return bin === undefined ? words : [bin, ...words.slice(1)];
}

function isPrefix(word: string): boolean {
  return prefixes.has(word) || /^[A-Za-z_]\w*=/.test(word);
}

/** Of several scripts at once, one for development is what the author sees while working. */
function parallelKind(part: string, scripts: Scripts, depth: number): ScriptKind {
  const words = part
    .replaceAll(/["'\\]/g, " ")
    .split(/\s+/)
    .slice(1);
  const kinds = words.flatMap((word) => {
    const text = scripts.get(word.replace(/^npm:/, ""));
    return text === undefined ? [] : [scriptKind(text, scripts, depth + 1)];
  });
  if (kinds.includes("development") || watches.test(part) || developmentCommand.test(words.join(" ")))
    return "development";
  return kinds.find((kind) => kind !== "step") ?? "other";
}

/** The file that nodemon restarts, so that it can be started without it; null for other scripts. */
export function watchedFile(script: string): string | null {
  const [program = "", ...rest] = wordsOf(script);
  if (program !== "nodemon" && program !== "node-dev") return null;
  const [file, ...others] = rest.filter((word) => !word.startsWith("-"));
  return file !== undefined && others.length === 0 && /^[\w./-]+\.[cm]?js$/.test(file) ? file : null;
}
