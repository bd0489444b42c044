import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Where a shell looks for programs without a PATH. */
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

const hints: Readonly<Record<string, string>> = {
  npm: "Debian's package nodejs comes without it: `apt-get install npm`",
  npx: "it comes with npm: `apt-get install npm`",
  pnpm: "`npm install --global pnpm`",
  yarn: "`npm install --global yarn`",
  composer: "`apt-get install composer`",
  bundle: "`apt-get install ruby-bundler`",
  python3: "`apt-get install python3-venv`",
};

/**
 * Finds a program that a preset's command needs and that the machine does not have.
 * @param machine how to name it in the sentence
 * @returns a sentence with the program and how to install it; `null` when all programs exist
 */
export async function findMissingTool(
  command: string,
  path = USUAL_PATH,
  machine = "this server",
): Promise<string | null> {
  for (const program of programsOf(command)) {
    if (await isOnPath(program, path)) continue;
    const hint = hints[program] ?? "install it for the whole system";
    return `the build needs ${program}, which ${machine} does not have: ${hint}`;
  }
  return null;
}

/**
 * The programs of a command chain as presets write them. Programs with a slash in their path are created by the
 * build.
 */
function programsOf(command: string): readonly string[] {
  return command.split(" && ").flatMap((part) => {
    const program = part.split(" ").find((word) => word !== "" && !/^[A-Z_]+=/.test(word));
    return program === undefined || program.includes("/") ? [] : [program];
  });
}

async function isOnPath(program: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    const isThere = await access(join(folder === "" ? "." : folder, program), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
