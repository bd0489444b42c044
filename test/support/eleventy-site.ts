import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { createRepository, type Repository } from "./journey-repository.ts";

const run = promisify(execFile);

/** A repository with an Eleventy site, and a lock file that npm has made from the registry's packages. */
export async function createEleventySite(path: string, version: string): Promise<Repository> {
  const repository = await createRepository(path);
  const posts = Array.from({ length: 30 }, (_, at) => [
    `posts/${at}.md`,
    `---\ntitle: Post ${at}\n---\n# Post ${at}\n\n${"Some *text* of a post. ".repeat(50)}\n`,
  ]);
  await repository.commit({
    "index.md": "# Home\n",
    ".gitignore": "node_modules\n_site\n",
    ...Object.fromEntries(posts),
  });
  await lockEleventy(repository, version);
  return repository;
}

/** Commits a package.json and a lock file with this version of Eleventy. */
export async function lockEleventy(repository: Repository, version: string): Promise<void> {
  const manifest = join(repository.path, "package.json");
  const devDependencies = { "@11ty/eleventy": version };
  await writeFile(manifest, JSON.stringify({ name: "blog", private: true, devDependencies }, null, 2));
  const args = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", args, { cwd: repository.path });
  const lock = join(repository.path, "package-lock.json");
  await repository.commit({ "package-lock.json": await readFile(lock, "utf8") });
}
