import { readdir, readFile } from "node:fs/promises";

import * as z from "zod";

import { Scope } from "#contract/scopes.ts";

/** A block of commands in a page of docs/. `line`: where it begins. `project`: the token is limited to it. */
export type Snippet = {
  readonly page: string;
  readonly line: number;
  readonly scopes: readonly Scope[] | "every";
  readonly project: string | null;
  readonly text: string;
};

const docs = new URL("../../../docs/", import.meta.url);

/** A page that is generated from the table of commands: its examples follow the commands that are described before. */
const GENERATED = "## Commands";

const TOKEN = /^<!-- token: (.*?)(?:; only (.*))? -->$/;

/**
 * Reads the blocks `sh` of docs/ and docs/forges that call Gantry or its API. The comment `<!-- token: SCOPES -->`, or
 * `<!-- token: SCOPES; only PROJECT -->`, names the token that the page recommends for the blocks after it.
 * `<!-- not run: WHY -->` directly before a block leaves it out. The guides are followed by `test/server/guides.test.ts`.
 */
export async function readSnippets(): Promise<Snippet[]> {
  const names = await Promise.all(
    ["", "forges/"].map(async (folder) =>
      (await readdir(new URL(folder, docs)))
        .filter((file) => file.endsWith(".md"))
        .map((file) => `${folder}${file}`),
    ),
  );
  const pages = await Promise.all(names.flat().map(readPage));
  return pages.flat();
}

async function readPage(page: string): Promise<Snippet[]> {
  const text = await readFile(new URL(page, docs), "utf8");
  const [written = ""] = page === "command.md" ? text.split(`\n${GENERATED}\n`) : [text];
  const lines = written.split("\n");
  const snippets: Snippet[] = [];
  let token: Pick<Snippet, "scopes" | "project"> | null = null;
  for (const [at, line] of lines.entries()) {
    const [, scopes, project] = TOKEN.exec(line) ?? [];
    if (scopes !== undefined) token = { scopes: scopesOf(scopes), project: project ?? null };
    if (line !== "```sh" || lines[at - 1]?.startsWith("<!-- not run: ") === true) continue;
    const block = lines.slice(at + 1, lines.indexOf("```", at));
    if (!block.some((one) => /^\s*(?:gantry |.*[|;] gantry |curl .*\/v1\/)/.test(one))) continue;
    if (token === null)
      throw new Error(`docs/${page}, line ${at + 1}: the page does not name the token for it`);
    snippets.push({ page, line: at + 1, ...token, text: block.join("\n") });
  }
  return snippets;
}

function scopesOf(text: string): Snippet["scopes"] {
  return text === "every scope" ? "every" : z.array(Scope).parse(text.split(", "));
}
