import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { type BareRepository, createBareRepository } from "./bare-repository.ts";
import { createGate, type Gate, waitAtGate } from "./gate.ts";
import { appFiles } from "./app-files.ts";

/** The content of a commit, which its deployments must serve and log. */
export type SourceCommit = {
  readonly sha: string;
  /** A text at the beginning and at the end of the page. */
  readonly marker: string;
  /** The number of numbered lines that its build prints. */
  readonly lines: number;
};

/** A repository whose commits can be told apart in the site and in the log, and whose deployments can be held at a gate. */
export type Source = {
  readonly repository: BareRepository;
  readonly gate: Gate;
  /** The project's repository URL. Its fetch goes through the gate. */
  readonly url: string;
  readonly commits: ReadonlyMap<string, SourceCommit>;
  commit(change?: CommitChange): Promise<SourceCommit>;
  /** Runs `act` while no commit is made to the repository. */
  alone(act: () => Promise<void>): Promise<void>;
  /** Removes the commits that no deployment uses. */
  forgetAllBut(shas: ReadonlySet<string>): void;
};

export type CommitChange = {
  readonly lines?: number;
  /** Lines of sh in the middle of the build, after the gate. */
  readonly build?: string;
  /** Lines of sh at the end of the release command, after the gate. */
  readonly release?: string;
  /** Lines of sh before an app's server starts, after the gate. */
  readonly start?: string;
  /** Lines of sh at the end of the activate command, after the gate. */
  readonly activate?: string;
};

/** Makes a page large enough to be sent in several chunks. */
const FILLER = `<!-- ${"filler ".repeat(5_000)} -->`;

const pageOf = (marker: string): string => `<!doctype html>\n${marker}\n${FILLER}\n${marker}\n`;

/** @returns the marker of a page; `null` if the page is not one complete page of one release */
export function markerOf(page: string): string | null {
  const [doctype, first, filler, last, rest] = page.split("\n");
  const isWhole = doctype === "<!doctype html>" && filler === FILLER && rest === "";
  return isWhole && first !== undefined && first === last ? first : null;
}

const buildScript = (lines: number, extra: string): string => `gate=$1
half=$((${lines} / 2))
i=0
while [ $i -lt $half ]; do i=$((i + 1)); echo "line $i"; done
${waitAtGate("build")}
${extra}
while [ $i -lt ${lines} ]; do i=$((i + 1)); echo "line $i"; done
echo built
`;

const activateScript = (extra: string): string => `gate=$1
${waitAtGate("activate")}
${extra}
`;

/** Only sites whose settings say so run it. */
const releaseScript = ({ path, released }: Gate, extra: string): string => `gate='${path}'
echo $GANTRY_VERSION >> '${released}'
${waitAtGate("release")}
${extra}
`;

/** @param path a new folder @param isApp whether the page is served by the app of its commit, and not as a file */
export async function createSource(path: string, isApp = false): Promise<Source> {
  const repository = await createBareRepository(path);
  const gate = await createGate(`${path}.gate`);
  const commits = new Map<string, SourceCommit>();
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(act: () => Promise<Value>): Promise<Value> => {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    repository,
    gate,
    url: `ssh://git${path}`,
    commits,
    alone: inTurn,
    forgetAllBut(shas) {
      for (const sha of commits.keys()) if (!shas.has(sha)) commits.delete(sha);
    },
    commit: ({ lines = 20, build = "", release = "", start = "", activate = "" } = {}) =>
      inTurn(async () => {
        count += 1;
        const marker = `${basename(path)}-${count}`;
        const sha = await repository.commit({
          "index.html": pageOf(marker),
          "build.sh": buildScript(lines, build),
          "release.sh": releaseScript(gate, release),
          "activate.sh": activateScript(activate),
          "data/seed.txt": "the release's own\n",
          ...(isApp ? appFiles(gate, start) : {}),
        });
        const commit = { sha, marker, lines };
        commits.set(sha, commit);
        return commit;
      }),
  };
}

/**
 * Creates a program that git calls as ssh. It waits for the repository's gate, and then runs the remote command locally.
 * @returns the value of GIT_SSH_COMMAND
 */
export async function createSsh(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const script = `#!/bin/sh
for command; do :; done
repository=\${command#*\\'}
repository=\${repository%\\'*}
gate="$repository.gate"
${waitAtGate("fetch")}
eval "$command"
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}

/** The path of the program in a folder. Git derives the way to call it from the name `ssh`. */
export const sshPath = (folder: string): string => join(folder, "ssh");
