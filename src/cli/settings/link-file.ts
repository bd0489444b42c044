import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import * as z from "zod/mini";

import { parseLocatedJson } from "#contract/lib/located-json.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseJson } from "#contract/parse-json.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";

export const LINK_NAME = "gantry.json";

/** Links a repository to a project. Holds no secret, so it can be committed. `name` is only for readers of the file. */
export const ProjectLink = z.object({ url: z.string(), project: z.string(), name: z.string() });
export type ProjectLink = z.infer<typeof ProjectLink>;

/** The link in `folder` or its nearest parent that has one; null if none has. A gantry.json may also be without a link. */
export async function findLink(folder: string): Promise<Result<ProjectLink | null>> {
  const path = upwards(folder, LINK_NAME);
  if (path === null) return succeed(null);
  const text = await readFile(path, "utf8").catch(() => null);
  const json = text === null ? null : parseLocatedJson(text);
  if (json?.ok === false) {
    const { message, place } = json.problem;
    return stop(
      "unreadable_file",
      `${path} is not JSON: ${message}, in line ${place.line}, column ${place.column}`,
    );
  }
  const value = json === null ? null : json.value.value;
  const link = ProjectLink.safeParse(value);
  if (link.success) return succeed(link.data);
  const fields = objectOf(value);
  const isLink = value === null || "url" in fields || "project" in fields;
  const parent = dirname(dirname(path));
  if (!isLink) return parent === dirname(path) ? succeed(null) : await findLink(parent);
  return stop(
    "unreadable_file",
    `${path} is not a valid project link. Remove its url and project, or delete it, and run gantry projects link again.`,
  );
}

/**
 * Writes the link to the repository's root, or to `folder` if it is not in a repository. Other settings in the file are
 * kept.
 * @returns the file's path
 */
export async function writeLink(folder: string, link: ProjectLink): Promise<Result<string>> {
  const repository = upwards(folder, ".git");
  const path = join(repository === null ? folder : dirname(repository), LINK_NAME);
  try {
    const text = existsSync(path) ? await readFile(path, "utf8") : "{}";
    const value = parseJson(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return stop("unwritable_file", `${path} is not a JSON object. Correct it or delete it.`);
    await writeFile(path, `${JSON.stringify({ ...value, ...link }, null, 2)}\n`);
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
