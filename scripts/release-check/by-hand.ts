import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";

import { root } from "../shared/root.ts";
import { bold, dim, print } from "../shared/terminal.ts";
import type { Checklist, Finding } from "./checklist.ts";

const HEADING = "## What to try after a release";

type HandCheck = { readonly action: string; readonly expected: string };

/** The checks of docs/release.md that need other services and a person. */
export async function readHandChecks(): Promise<HandCheck[]> {
  return handChecksOf(await readFile(join(root, "docs", "release.md"), "utf8"));
}

/** The rows of the table below the heading. @throws Error if there are none */
function handChecksOf(page: string): HandCheck[] {
  const [, section = ""] = page.split(`${HEADING}\n`);
  const rows = (section.split(/\n## /)[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  const checks = rows
    .map((row) => row.split(" | ").map((text) => text.replace(/^\| | \|$/g, "").trim()))
    .flatMap(([action = "", expected = ""]) => (action === "Try" ? [] : [{ action, expected }]));
  if (checks.length === 0) throw new Error(`docs/release.md has no checks below "${HEADING}"`);
  return checks;
}

const outcomes: Record<string, Finding["outcome"]> = { y: "works", n: "fails", "": "not tried" };

/** Asks about each check. Without a terminal, none of them counts as tried. */
export async function askHandChecks(checklist: Checklist, signal: AbortSignal): Promise<void> {
  const checks = await readHandChecks();
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    for (const { action } of checks)
      checklist.add({ name: action, outcome: "not tried", note: "needs a person at a terminal" });
    print(dim(`  ${checks.length} checks by hand were not tried: they need a terminal`));
    return;
  }
  print();
  print(`${checks.length} checks by hand. ${bold("y")} works, ${bold("n")} fails, Enter: not tried.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (const { action, expected } of checks) {
      print();
      print(`  ${action}`);
      print(dim(`  Expected: ${expected}`));
      let outcome: Finding["outcome"] | undefined;
      while (outcome === undefined)
        outcome =
          outcomes[(await terminal.question("  Works? [y/n/Enter] ", { signal })).trim().toLowerCase()];
      const note = outcome === "fails" ? await terminal.question("  What was different? ", { signal }) : "";
      checklist.add({ name: action, outcome, note });
    }
  } finally {
    terminal.close();
  }
}
