/** `isLocked`: the project has a lock file of this package manager. */
export type PackageManager = {
  readonly name: "npm" | "pnpm" | "yarn" | "yarn-classic" | "bun";
  readonly isLocked: boolean;
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
