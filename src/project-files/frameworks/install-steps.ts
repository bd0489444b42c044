/**
 * A package manager's installation. `repeats`: what of it still has to run after its files were restored. `scripts`: the
 * project's own scripts, because the command itself would only install the same files. `all`: the command, which finds
 * that no package is missing.
 */
type Installer = {
  readonly command: RegExp;
  readonly lockFiles: readonly string[];
  readonly repeats: "scripts" | "all";
};

/** Only commands that install exactly what the lock file says are replaced by a restored copy. */
const installers: readonly Installer[] = [
  installer("npm", "ci|clean-install", ["package-lock.json", "npm-shrinkwrap.json"], "scripts"),
  installer("pnpm", "(?:install|i) --frozen-lockfile", ["pnpm-lock.yaml"], "scripts"),
  installer("yarn", "install --frozen-lockfile", ["yarn.lock"], "scripts"),
  installer("bun", "install --frozen-lockfile", ["bun.lock", "bun.lockb"], "scripts"),
  installer("npm", "install|i", ["package-lock.json", "npm-shrinkwrap.json"], "all"),
  installer("pnpm", "install|i", ["pnpm-lock.yaml"], "all"),
  // Later versions of yarn check their own record of the installation.
  installer("yarn", "install", ["yarn.lock"], "all"),
  installer("bun", "install", ["bun.lock", "bun.lockb"], "all"),
  // It writes a map of the project's own classes too.
  installer("composer", "install", ["composer.lock"], "all"),
  installer("bundle", "install", ["Gemfile.lock", "gems.locked"], "all"),
  installer("bundle", String.raw`config set --local \w+ [\w.:]+`, [], "all"),
  installer("uv", "sync", ["uv.lock"], "all"),
  installer("poetry", "install", ["poetry.lock"], "all"),
  installer("pipenv", "sync", ["Pipfile.lock"], "all"),
];

/** The lock files of all package managers. */
export const lockFiles: readonly string[] = installers.flatMap((one) => one.lockFiles);

/** A command with plain options, after variables and a program that starts it. It has no effect that its name hides. */
function installer(
  program: string,
  verbs: string,
  locks: readonly string[],
  repeats: Installer["repeats"],
): Installer {
  const value = String.raw`(?:[\w./:-]|\$\{[A-Z_]+:-[\w.-]*\})*`;
  const before = String.raw`(?:[A-Z_][A-Z0-9_]*=${value} )*(?:corepack |npx (?:--?[\w-]+ )*)?`;
  const options = String.raw`(?: --?[\w@%+=:,./-]+|(?<= --(?:only|omit|without)) [\w,]+)*`;
  const command = new RegExp(String.raw`^${before}${program}(?:@[\w.+-]+)? (?:${verbs})${options}$`);
  return { command, lockFiles: locks, repeats };
}

/** A command of the chain that an install command is. */
export type InstallStep = Pick<Installer, "lockFiles" | "repeats"> & { readonly command: string };

/** `reason`: why the files of an installation are not kept, for the log. */
export type InstallSteps =
  | { readonly kind: "kept"; readonly steps: readonly InstallStep[] }
  | { readonly kind: "not_kept"; readonly reason: string };

/**
 * Decides whether the files that a command installs can be kept for later deployments.
 * @param hasFile whether a lock file is in the folder of the installation or above it
 */
export function planInstallSteps(line: string, hasFile: (name: string) => boolean): InstallSteps {
  const steps: InstallStep[] = [];
  for (const command of line.split(" && ")) {
    const found = installers.find((one) => one.command.test(command));
    if (found === undefined)
      return {
        kind: "not_kept",
        reason: `\`${command}\` is not known to install only what a lock file says`,
      };
    const { lockFiles: locks, repeats } = found;
    if (locks.length > 0 && !locks.some(hasFile))
      return { kind: "not_kept", reason: `there is no ${locks[0]}, so each installation may differ` };
    steps.push({ command, lockFiles: locks, repeats });
  }
  return { kind: "kept", steps };
}

/** The scripts that npm, pnpm, yarn and bun run in an installation, in this order. */
const usualScripts = ["preinstall", "postinstall", "prepare"] as const;
/** Those that replace or surround others, so that only the package manager knows their order. */
const otherScripts = [
  ...["install", "prepublish", "preprepare", "postprepare", "dependencies"],
  ...["pnpm:devPreinstall", "predependencies", "postdependencies"],
] as const;

/** The scripts of a package.json that an installation runs. */
export const installScripts: readonly string[] = [...usualScripts, ...otherScripts];

/**
 * The command to run after the files of an installation were restored.
 * @param scripts the install scripts of the package.json in the folder of the installation
 * @param isKnown whether it is known which scripts an installation runs: no other package of the repository has some,
 * and no setting may turn them off
 * @returns null if nothing is left to run
 */
export function commandAfterRestore(
  steps: readonly InstallStep[],
  scripts: ReadonlySet<string>,
  isKnown: boolean,
): string | null {
  const needsAll = !isKnown || otherScripts.some((name) => scripts.has(name));
  const commands = steps.flatMap(({ command, repeats }) => {
    if (repeats === "all" || needsAll) return [command];
    if (command.includes(" --ignore-scripts")) return [];
    const runner = command.replace(/ (?:ci|clean-install|install|i)(?: .*)?$/, "");
    return usualScripts.filter((name) => scripts.has(name)).map((name) => `${runner} run ${name}`);
  });
  return commands.length === 0 ? null : commands.join(" && ");
}
