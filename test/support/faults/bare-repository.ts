import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

import { writeAtomic } from "#node/write-atomic.ts";

/** A git repository without a working tree, with one branch. */
export type BareRepository = {
  readonly path: string;
  /** Commits a tree of exactly these files, by their paths. @returns the full commit hash */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>;
};

const BRANCH = "refs/heads/main";
const CONFIG = `[core]
repositoryformatversion = 0
bare = true
[uploadpack]
allowAnySHA1InWant = true
`;

/**
 * Creates a repository from which every commit can be fetched. Writes git's files itself, because a test commits hundreds
 * of times, and four git processes for each commit take most of its CPU time. Source: gitrepository-layout(5).
 */
export async function createBareRepository(path: string): Promise<BareRepository> {
  for (const folder of ["objects", "refs/heads"]) await mkdir(join(path, folder), { recursive: true });
  await writeFile(join(path, "config"), CONFIG);
  await writeFile(join(path, "HEAD"), `ref: ${BRANCH}\n`);
  let parent: string | null = null;
  return {
    path,
    async commit(files, message = `Change ${Object.keys(files).join(", ")}`) {
      const tree = await writeTree(path, files);
      const now = `Test <test@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
      const lines = [
        ...[`tree ${tree}`, ...(parent === null ? [] : [`parent ${parent}`])],
        ...[`author ${now}`, `committer ${now}`, "", message, ""],
      ];
      const sha = await writeObject(path, "commit", Buffer.from(lines.join("\n")));
      await writeAtomic(join(path, BRANCH), `${sha}\n`);
      parent = sha;
      return sha;
    },
  };
}

/** Writes a folder and everything in it. @returns its hash */
async function writeTree(repository: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folders = Map.groupBy(Object.entries(files), ([name]) => name.split("/")[0] ?? "");
  const entries: Buffer[] = [];
  // Git sorts a folder as if its name ended with a slash. No name here begins with another one.
  for (const [name, below] of [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [file] = below;
    const isFile = below.length === 1 && file?.[0] === name;
    const inside = below.map(([path, content]) => [path.slice(name.length + 1), content] as const);
    const sha = isFile
      ? await writeObject(repository, "blob", Buffer.from(file[1]))
      : await writeTree(repository, Object.fromEntries(inside));
    entries.push(Buffer.from(`${isFile ? "100644" : "40000"} ${name}\0`), Buffer.from(sha, "hex"));
  }
  return writeObject(repository, "tree", Buffer.concat(entries));
}

/** Writes a loose object. @returns its hash */
async function writeObject(
  repository: string,
  type: "blob" | "tree" | "commit",
  content: Buffer,
): Promise<string> {
  const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash("sha1").update(object).digest("hex");
  const file = join(repository, "objects", sha.slice(0, 2), sha.slice(2));
  await mkdir(dirname(file), { recursive: true });
  // An existing object has the same content, and git may be reading it.
  await writeFile(file, deflateSync(object), { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return sha;
}
