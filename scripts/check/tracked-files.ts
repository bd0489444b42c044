import { homedir } from "node:os";

import { root } from "../shared/root.ts";
import type { CommandOutcome } from "../shared/run-command.ts";
import { searchFiles, trackedFiles } from "./tracked-texts.ts";

type Rule = { readonly why: string; readonly isBroken: (line: string) => boolean };

/** Texts that must not be in the repository, because they are true on one machine only. */
const rules: readonly Rule[] = [
  {
    why: "the host name of a package registry",
    isBroken: (line) => /\bregistry\.[a-z0-9-]+\.(?:org|com|io|net|dev)\b/i.test(line),
  },
  {
    why: "the URL of a package download",
    isBroken: (line) => /"resolved":\s*"https?:/.test(line),
  },
  {
    why: "a home folder on some machine",
    isBroken: (line) => /(?:^|["'`\s=(:])(?:\/home\/|\/Users\/|[A-Z]:\\Users\\)\w/.test(line),
  },
  {
    why: "a path on this machine",
    isBroken: (line) => herePaths.some((path) => line.includes(path)),
  },
];

/** With a slash at the end, and without folders right below the root: `/app` can be in a text for another reason. */
const herePaths = [root, homedir()].filter((path) => path.split("/").length > 2).map((path) => `${path}/`);

/** Searches every tracked file for texts that `rules` forbids. */
export async function checkTrackedFiles(): Promise<CommandOutcome> {
  return searchFiles(await trackedFiles(), (path, text) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        rules
          .filter(({ isBroken }) => isBroken(line))
          .map(({ why }) => `${path}:${index + 1}: contains ${why}: ${line.trim().slice(0, 120)}`),
      ),
  );
}
