import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Where a block of a guide is run: on the reader's own computer, in the repository, or on the server as root. */
export type Place = "computer" | "server";

/**
 * What a reader of a guide does: writes a file of the repository, or runs a block of shell lines. `output`: the lines that
 * the guide says a block prints. `line`: of the block in the guide.
 */
export type GuideStep = { readonly line: number } & (
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | {
      readonly kind: "run";
      readonly place: Place;
      readonly script: string;
      readonly output: readonly string[];
    }
);

const folder = resolve(import.meta.dirname, "../../../../docs/guides");

/**
 * Reads the steps of docs/guides/NAME.md, in order:
 * - a block `sh` is run on the reader's computer, a block `sh server` on the server;
 * - a block `text` directly after one of them has lines that it prints, `…` standing for any text;
 * - a block after the comment `<!-- file: PATH -->` is written to this file of the repository. Other blocks, and blocks
 * after `<!-- not run: WHY -->`, are only shown.
 */
export function readGuide(name: string): readonly GuideStep[] {
  const text = readFileSync(resolve(folder, `${name}.md`), "utf8");
  const steps: GuideStep[] = [];
  let endOfLast = 0;
  for (const match of text.matchAll(/(?:^<!-- (file|not run): (.*) -->\n)?^```(.*)\n([\s\S]*?)^```$/gm)) {
    const [whole, note, value = "", language = "", code = ""] = match;
    const line = text.slice(0, match.index).split("\n").length;
    const last = steps.at(-1);
    const isNext = text.slice(endOfLast, match.index).trim() === "";
    if (note === "file") steps.push({ kind: "file", path: value, text: code, line });
    else if (note === undefined && /^sh( server)?$/.test(language)) {
      const place = language === "sh" ? "computer" : "server";
      steps.push({ kind: "run", place, script: code, output: [], line });
    } else if (note === undefined && language === "text" && isNext && last?.kind === "run")
      steps.splice(-1, 1, { ...last, output: code.split("\n").filter((one) => one.trim() !== "") });
    endOfLast = match.index + whole.length;
  }
  return steps;
}
