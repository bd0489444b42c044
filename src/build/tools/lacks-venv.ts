import { execFile } from "node:child_process";

const CHECK_TIMEOUT_MS = 10_000;

/**
 * Whether commands create a virtual environment, and Python cannot: Debian has a part of it in a package of its own,
 * without which the command fails with half a page of advice.
 */
export async function lacksVenv(commands: readonly string[], path: string): Promise<boolean> {
  if (!commands.some((command) => command.includes("python3 -m venv"))) return false;
  return await new Promise<boolean>((resolve) => {
    const options = { env: { PATH: path }, timeout: CHECK_TIMEOUT_MS };
    // Isolated (-I), so that no file of the working folder is imported.
    execFile("python3", ["-I", "-c", "import ensurepip, venv"], options, (error) =>
      // Only Python's own answer counts, not that it takes too long.
      resolve(error?.code === 1),
    );
  });
}
