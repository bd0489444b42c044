/**
 * A submodule as written in `.gitmodules`; nothing is validated yet. `isSkipped`: git leaves it out of a checkout, because
 * it has `update = none`.
 */
export type SubmoduleEntry = {
  readonly name: string;
  readonly path: string;
  readonly url: string | null;
  readonly isSkipped: boolean;
};

/** Parses the output of `git config --null --get-regexp` for a `.gitmodules`. Entries without a path are skipped. */
export function readSubmoduleEntries(output: string): readonly SubmoduleEntry[] {
  const found = new Map<string, { path?: string; url?: string; update?: string }>();
  for (const record of output.split("\0")) {
    const match = /^submodule\.([\s\S]*)\.(path|url|update)\n([\s\S]*)$/.exec(record);
    if (match === null) continue;
    const [, name = "", key = "", value = ""] = match;
    found.set(name, { ...found.get(name), [key]: value });
  }
  return [...found].flatMap(([name, { path, url, update }]) =>
    path === undefined ? [] : [{ name, path, url: url ?? null, isSkipped: update === "none" }],
  );
}

/** The keys of `.gitmodules` that are read, for `git config --get-regexp`. */
export const SUBMODULE_KEYS = "^submodule\\..*\\.(path|url|update)$";
