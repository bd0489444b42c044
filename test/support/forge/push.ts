import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { TestCertificate } from "../git-server.ts";
import type { Repository } from "../journey-repository.ts";
import type { ForgeRepository } from "./forge.ts";

const run = promisify(execFile);

/**
 * Runs `git push` to a forge as a developer does. @param refs such as `main`, `+main:main`, `:old` or `--tags`
 * @returns what git printed, with the forge's lines that begin with `remote:`
 */
export async function pushTo(
  forge: ForgeRepository,
  certificate: TestCertificate,
  repository: Repository,
  ...refs: readonly string[]
): Promise<string> {
  const { stderr } = await run("git", ["push", "--porcelain", forge.url, ...refs], {
    cwd: repository.path,
    env: { ...process.env, GIT_SSL_CAINFO: certificate.cert, GIT_TERMINAL_PROMPT: "0" },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stderr;
}
