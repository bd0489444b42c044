import { objectOf } from "#contract/lib/json-object.ts";

/**
 * `isLocked`: the project has a lock file of this package manager. `isPnp`: it installs by Plug'n'Play, without the folder
 * node_modules, so that Node finds the packages only if the package manager starts it.
 */
export type PackageManager = {
  readonly name: "npm" | "pnpm" | "yarn" | "yarn-classic" | "bun";
  readonly isLocked: boolean;
  readonly isPnp?: boolean;
};

/** In order of precedence, for projects with several lock files. */
const lockFiles = [
  ["pnpm-lock.yaml", "pnpm"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
] as const;

/** The files by which the package manager is detected. */
export const packageManagerFiles = [...lockFiles.map(([file]) => file), ".yarnrc.yml"];

/**
 * Detects the package manager of a project by its lock file.
 * @param declared `packageManager` of package.json, such as `pnpm@9.1.0`. It decides if there are several lock files.
 * @returns null if there is no lock file and no declaration
 */
export function packageManagerOf(files: ReadonlySet<string>, declared: unknown): PackageManager | null {
  const locked = lockFiles.filter(([file]) => files.has(file)).map(([, name]) => name);
  const wanted = typeof declared === "string" ? declared.split("@") : [];
  const name =
    locked.find((one) => one === wanted[0]) ??
    locked[0] ??
    lockFiles.find(([, one]) => one === wanted[0])?.[1];
  if (name === undefined) return null;
  const isLocked = locked.includes(name);
  // Yarn 2 and later have their settings in .yarnrc.yml and support only `--immutable`.
  const isClassic = name === "yarn" && !files.has(".yarnrc.yml") && !/^[2-9]/.test(wanted[1] ?? "");
  return { name: isClassic ? "yarn-classic" : name, isLocked };
}

/** The files with the settings of package managers. Their content is read. */
export const managerSettings: readonly string[] = [".yarnrc.yml", ".npmrc", "pnpm-workspace.yaml"];

/**
 * Adds whether the package manager installs by Plug'n'Play: Yarn 2 and newer unless `nodeLinker` is another, Yarn 1 and
 * pnpm if a setting says so.
 */
export function withLinker(
  manager: PackageManager,
  files: ReadonlyMap<string, string>,
  manifest: Readonly<Record<string, unknown>>,
): PackageManager {
  return usesPnp(manager.name, files, manifest) ? { ...manager, isPnp: true } : manager;
}

function usesPnp(
  name: PackageManager["name"],
  files: ReadonlyMap<string, string>,
  manifest: Readonly<Record<string, unknown>>,
): boolean {
  const setting = (file: string, pattern: RegExp) => pattern.exec(files.get(file) ?? "")?.[1] ?? null;
  switch (name) {
    case "yarn":
      return (setting(".yarnrc.yml", /^nodeLinker[ \t]*:[ \t]*["']?([\w-]+)/m) ?? "pnp") === "pnp";
    case "yarn-classic":
      return objectOf(manifest["installConfig"])["pnp"] === true;
    case "pnpm": {
      const linker =
        setting("pnpm-workspace.yaml", /^nodeLinker[ \t]*:[ \t]*["']?([\w-]+)/m) ??
        setting(".npmrc", /^[ \t]*node-linker[ \t]*=[ \t]*["']?([\w-]+)/m);
      return linker === "pnp";
    }
    case "npm":
    case "bun":
      return false;
  }
}

/**
 * A command `node FILE`, started by the package manager if Node alone does not find the packages. Nitro and Next.js write
 * servers with their own node_modules, which Plug'n'Play would ignore.
 */
export function nodeCommand({ name, isPnp }: PackageManager, command: string): string {
  if (isPnp !== true || /(?:^|[ /])(?:\.output|\.next\/standalone)\//.test(command)) return command;
  return name === "pnpm" ? `pnpm exec ${command}` : `yarn ${command}`;
}

/** The command that installs the packages of the lock file, or of package.json if there is no lock file. */
export function installCommand({ name, isLocked }: PackageManager): string {
  switch (name) {
    case "npm":
      return isLocked ? "npm ci" : "npm install";
    case "pnpm":
      return isLocked ? "pnpm install --frozen-lockfile" : "pnpm install";
    case "yarn":
      return isLocked ? "yarn install --immutable" : "yarn install";
    case "yarn-classic":
      return isLocked ? "yarn install --frozen-lockfile" : "yarn install";
    case "bun":
      return isLocked ? "bun install --frozen-lockfile" : "bun install";
  }
}

/** The command that runs a script of package.json. */
export function scriptCommand({ name }: PackageManager, script: string): string {
  return `${name === "yarn-classic" ? "yarn" : name} run ${script}`;
}

/** The command that runs a program from a dependency. */
export function toolCommand({ name }: PackageManager, command: string): string {
  const runner = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn run", "yarn-classic": "yarn run", bun: "bunx" };
  return `${runner[name]} ${command}`;
}
