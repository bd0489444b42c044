/** `isLocked`: its lock file is there, so what is installed is what the lock file says. */
export type PackageManager = {
  readonly name: "npm" | "pnpm" | "yarn" | "yarn-classic" | "bun";
  readonly isLocked: boolean;
};

/** In the order in which they count where several are there. */
const lockFiles = [
  ["pnpm-lock.yaml", "pnpm"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
] as const;

/** The files that tell package managers apart. */
export const packageManagerFiles = [...lockFiles.map(([file]) => file), ".yarnrc.yml"];

/**
 * The package manager that a project is installed with, by its lock file.
 * @param declared `packageManager` of package.json, such as `pnpm@9.1.0`: decides where lock files of several are there
 * @returns null where no lock file is there and none is declared
 */
export function packageManagerOf(files: ReadonlySet<string>, declared: unknown): PackageManager | null {
  const locked = lockFiles.filter(([file]) => files.has(file)).map(([, name]) => name);
  const asked = typeof declared === "string" ? declared.split("@") : [];
  const name =
    locked.find((one) => one === asked[0]) ?? locked[0] ?? lockFiles.find(([, one]) => one === asked[0])?.[1];
  if (name === undefined) return null;
  const isLocked = locked.includes(name);
  // Yarn 2 and later keep their settings in .yarnrc.yml, and know `--immutable` only.
  const isClassic = name === "yarn" && !files.has(".yarnrc.yml") && !/^[2-9]/.test(asked[1] ?? "");
  return { name: isClassic ? "yarn-classic" : name, isLocked };
}

/** Installs exactly what the lock file says; what package.json asks for where there is none. */
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

/** Runs a script of package.json. */
export function scriptCommand({ name }: PackageManager, script: string): string {
  return `${name === "yarn-classic" ? "yarn" : name} run ${script}`;
}

/** Runs a program that a dependency brings along. */
export function toolCommand({ name }: PackageManager, command: string): string {
  const runner = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn run", "yarn-classic": "yarn run", bun: "bunx" };
  return `${runner[name]} ${command}`;
}
