import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { TestRepository } from "./repository.ts";

/** A repository that is served like a forge does over ssh: git's own server behind a program that replaces ssh. */
export type Forge = {
  readonly url: string;
  /** The agent's environment, in which git uses the program in place of ssh. */
  readonly environment: NodeJS.ProcessEnv;
  /** The bytes that the server has sent so far. */
  bytesSent(): number;
  /** How often git has connected so far. */
  connections(): number;
};

/**
 * @param beforeFetch a shell command that runs in the repository at each connection after the first
 * @param filters whether the server supports partial clones
 */
export function openForge(
  folder: string,
  repository: TestRepository,
  { beforeFetch = ":", filters = true }: { beforeFetch?: string; filters?: boolean } = {},
): Forge {
  const bin = join(folder, "forge");
  mkdirSync(bin, { recursive: true });
  const sent = join(bin, "sent");
  const connections = join(bin, "connections");
  const program = join(bin, "ssh");
  writeFileSync(
    program,
    `#!/bin/sh
for last; do :; done
if [ -e ${bin}/asked ]; then (cd ${repository.path} && ${beforeFetch}) >/dev/null; fi
touch ${bin}/asked
echo >>${connections}
sh -c "$last" | tee -a ${sent}
`,
  );
  chmodSync(program, 0o755);
  repository.git("config", "uploadpack.allowFilter", String(filters));
  repository.git("config", "uploadpack.allowAnySHA1InWant", "true");
  return {
    url: `ssh://git@forge.example${repository.path}`,
    environment: { ...process.env, GIT_SSH_COMMAND: program },
    bytesSent: () => (existsSync(sent) ? statSync(sent).size : 0),
    connections: () => (existsSync(connections) ? statSync(connections).size : 0),
  };
}

/** Adds a commit that no branch or tag contains, with the tip of `main` as its parent. @returns its hash */
export function hiddenCommit(repository: TestRepository, text: string): string {
  repository.git("checkout", "--quiet", "--detach");
  const sha = repository.commit({ "index.html": text });
  repository.git("checkout", "--quiet", "main");
  return sha;
}

/** Two commits on top of `main` whose hashes begin with the same seven digits. */
export function similarCommits(repository: TestRepository): readonly [string, string] {
  const tree = repository.git("rev-parse", "main^{tree}");
  const parent = repository.git("rev-parse", "main");
  const who = "Ada <ada@example.com> 1600000000 +0000";
  const seen = new Map<string, number>();
  const textOf = (at: number) =>
    `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nnumber ${at}\n`;
  for (let at = 0; ; at += 1) {
    const text = textOf(at);
    const sha = createHash("sha1").update(`commit ${text.length}\0${text}`).digest("hex");
    const other = seen.get(sha.slice(0, 7));
    if (other === undefined) {
      seen.set(sha.slice(0, 7), at);
      continue;
    }
    const write = (input: string) =>
      execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
        cwd: repository.path,
        input,
        encoding: "utf8",
      }).trim();
    return [write(textOf(other)), write(text)];
  }
}

/** Adds `count` commits to a branch. Each changes a file. */
export function longHistory(repository: TestRepository, branch: string, count: number): void {
  const commits = Array.from({ length: count }, (_, at) => {
    const text = `line ${at} ${createHash("sha1").update(String(at)).digest("hex")}\n`.repeat(20);
    const message = `change ${at} of something, with an ordinary message`;
    return [
      `commit refs/heads/${branch}`,
      `committer Ada <ada@example.com> ${1_500_000_000 + at * 600} +0000`,
      `data ${message.length}\n${message}`,
      `M 100644 inline folder${at % 20}/file${at % 300}.txt`,
      `data ${text.length}\n${text}`,
    ].join("\n");
  });
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: repository.path,
    input: `${commits.join("\n")}\n`,
  });
}
