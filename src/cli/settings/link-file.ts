import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";

export const LINK_NAME = "gantry.json";

/** Which project a repository is. It holds no secret and can be committed. `name` is for people who read it. */
export const Link = z.object({ url: z.string(), project: z.string(), name: z.string() });
export type Link = z.infer<typeof Link>;

/** The link of the repository that a folder is in: the nearest upwards; null where there is none. */
export async function findLink(folder: string): Promise<Result<Link | null>> {
  const path = upwards(folder, LINK_NAME);
  if (path === null) return succeed(null);
  const text = await readFile(path, "utf8").catch(() => "");
  const link = Link.safeParse(parseJson(text));
  return link.success
    ? succeed(link.data)
    : stop(
        "unreadable_file",
        `${path} is no link to a project. Delete it, and make it anew with gantry projects link.`,
      );
}

/** Writes the link into the repository's root; into the folder itself where that is in none. @returns its path */
export async function writeLink(folder: string, link: Link): Promise<Result<string>> {
  const repository = upwards(folder, ".git");
  const path = join(repository === null ? folder : dirname(repository), LINK_NAME);
  try {
    await writeFile(path, `${JSON.stringify(link, null, 2)}\n`);
    return succeed(path);
  } catch (error) {
    return stop("unwritable_file", `${path} cannot be written: ${messageOf(error)}.`);
  }
}

function upwards(folder: string, name: string): string | null {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const parent = dirname(folder);
  return parent === folder ? null : upwards(parent, name);
}
