import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A deployment without a build, as a shell script. */
const DEPLOY = `set -e
git ls-remote --exit-code "$1" refs/heads/main > /dev/null
git --git-dir=mirror.git fetch --quiet --depth=1 "file://$1" +refs/heads/main:refs/tip
mkdir "releases/$2"
git --git-dir=mirror.git archive refs/tip | tar -x -C "releases/$2"
ln -sfn "releases/$2" current`;

/** Deploys a repository with a shell script, for comparison with Gantry. */
export type ShellDeployer = { deploy(repository: string): Promise<void> };

export async function createShellDeployer(folder: string): Promise<ShellDeployer> {
  await mkdir(join(folder, "releases"), { recursive: true });
  await run("git", ["init", "--quiet", "--bare", "mirror.git"], { cwd: folder });
  let version = 0;
  return {
    async deploy(repository) {
      version += 1;
      await run("sh", ["-c", DEPLOY, "sh", repository, `${version}`], { cwd: folder });
    },
  };
}
