import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { holdFolder } from "#agent/workspace/held-folder.ts";

export type InParents<Value> =
  | { readonly kind: "done"; readonly value: Value }
  /** The first part of the path that is a link or a file. */
  | { readonly kind: "in_the_way"; readonly part: string };

/**
 * Runs an action with a path in a folder of the project. Its parent folders are created, and none of them is a link:
 * a process of the project may replace them at any time, but the action works in the folders that were found.
 * @param act gets the path, which is valid until its promise resolves
 */
export async function inParents<Value>(
  base: string,
  relative: string,
  act: (path: string) => Promise<Value>,
): Promise<InParents<Value>> {
  const parts = relative.split("/");
  const enter = async (folder: string, at: number): Promise<InParents<Value>> => {
    const path = join(folder, parts[at] ?? "");
    if (at === parts.length - 1) return { kind: "done", value: await act(path) };
    await mkdir(path).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST")) throw error;
    });
    let isEntered = false;
    try {
      return await holdFolder(path, "place", (held) => {
        isEntered = true;
        return enter(held, at + 1);
      });
    } catch (error) {
      if (isEntered || !hasCode(error, "ENOTDIR", "ELOOP")) throw error;
      return { kind: "in_the_way", part: parts.slice(0, at + 1).join("/") };
    }
  };
  // The project's own folders are the agent's. The administrator may have made one of them a link to another disk.
  return holdFolder(await realpath(base), "place", (held) => enter(held, 0));
}
