import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../scripts/shared/root.ts";

/** What a reader does in the browser: opens the printed link, chooses a link or button, or waits for a text. */
export type BrowserStep =
  | { readonly kind: "open" }
  | { readonly kind: "choose"; readonly name: string; readonly isInDialog: boolean }
  | { readonly kind: "see"; readonly text: string };

export type ReadmeStep =
  | { readonly kind: "shell"; readonly script: string }
  | { readonly kind: "browser"; readonly steps: readonly BrowserStep[] };

const HEADING = "## Try it on your machine";

/**
 * Reads what the README tells a new user to do on their own machine, in its order:
 * - a block `sh` is run at a terminal;
 * - an item of a numbered list is done in the browser: “Open the link”, **a link or button to choose**, *a text to see*.
 */
export function readFirstHour(): readonly ReadmeStep[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const start = readme.indexOf(HEADING);
  if (start === -1) throw new Error(`README.md has no section "${HEADING}"`);
  const section = readme.slice(start, readme.indexOf("\n## ", start));
  const parts = section.matchAll(/^```sh\n([\s\S]*?)^```$|^\d+\. (.*\n(?: {3}.*\n)*)/gm);
  return [...parts].map(([, script, item = ""]) =>
    script === undefined
      ? { kind: "browser", steps: readItem(item.replaceAll(/\s+/g, " ")) }
      : { kind: "shell", script },
  );
}

function readItem(text: string): readonly BrowserStep[] {
  const found = text.matchAll(/Open the link|\*\*([^*]+)\*\*( in the dialog)?|\*([^*]+)\*/g);
  return [...found].map(([, name, dialog, seen]) => {
    if (name !== undefined) return { kind: "choose", name, isInDialog: dialog !== undefined };
    return seen === undefined ? { kind: "open" } : { kind: "see", text: seen };
  });
}
