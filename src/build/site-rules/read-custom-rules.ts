import { open } from "node:fs/promises";
import { join } from "node:path";

import { parseHeaders } from "#build/site-rules/parse-headers.ts";
import { parseRedirects, pathIn } from "#build/site-rules/parse-redirects.ts";
import { namesIn } from "#build/site-rules/path-pattern.ts";
import {
  HEADERS_FILE,
  MAX_RULE_FILE_BYTES,
  REDIRECTS_FILE,
  type RuleProblem,
} from "#build/site-rules/rule-lines.ts";
import { type HeaderRule, isShown, type RedirectRule } from "#build/site-rules/rule-schemas.ts";
import { READ_FILE } from "#node/open-flags.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** The rules in a site's own files. `advice`: about files that are elsewhere, as sentences. */
export type CustomRules = {
  readonly redirects: readonly RedirectRule[];
  readonly headers: readonly HeaderRule[];
  readonly problems: readonly (RuleProblem & { readonly file: string })[];
  readonly advice: readonly string[];
};

/**
 * Reads `_redirects` and `_headers` of a folder that is about to be published. Follows no symbolic link. Never throws: a
 * file that cannot be read is a problem.
 * @param output the folder that is published @param root the project's root directory
 */
export async function readCustomRules(output: string, root: string): Promise<CustomRules> {
  const [redirectsFile, headersFile] = await Promise.all([
    readFile(output, REDIRECTS_FILE),
    readFile(output, HEADERS_FILE),
  ]);
  const redirects = parseRedirects(redirectsFile.content);
  const headers = parseHeaders(headersFile.content);
  const hidden = await findShadowed(output, redirects.rules, redirects.lines);
  const byLine = (problems: readonly RuleProblem[]) => problems.toSorted((a, b) => a.line - b.line);
  const named = (file: string, problems: readonly RuleProblem[]) =>
    byLine(problems).map((problem) => ({ file, ...problem }));
  return {
    redirects: redirects.rules,
    headers: headers.rules,
    problems: [
      ...named(REDIRECTS_FILE, [...redirectsFile.problems, ...redirects.problems, ...hidden]),
      ...named(HEADERS_FILE, [...headersFile.problems, ...headers.problems]),
    ],
    advice: await findAdvice(output, root),
  };
}

type ReadFile = { readonly content: Uint8Array; readonly problems: readonly RuleProblem[] };

/** Without content if the file does not exist. One byte more than is read says that there is more. */
async function readFile(folder: string, name: string): Promise<ReadFile> {
  const nothing = new Uint8Array();
  const unread = (reason: string) => ({ content: nothing, problems: [{ line: 1, reason }] });
  try {
    const path = join(folder, name);
    const found = await lstatOrNull(path);
    if (found === null) return { content: nothing, problems: [] };
    if (found.isSymbolicLink()) return unread("The file is a symbolic link, which is not followed.");
    if (!found.isFile()) return unread("It is no file.");
    const file = await open(path, READ_FILE);
    try {
      const buffer = new Uint8Array(Math.min(found.size, MAX_RULE_FILE_BYTES + 1));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return { content: buffer.subarray(0, bytesRead), problems: [] };
    } finally {
      await file.close();
    }
  } catch (error) {
    return unread(`The file cannot be read: ${messageOf(error)}`);
  }
}

/** Redirects that never happen, because a page has their path. */
async function findShadowed(
  folder: string,
  rules: readonly RedirectRule[],
  lines: readonly number[],
): Promise<RuleProblem[]> {
  const problems: RuleProblem[] = [];
  for (const [index, { from, to, status, force, query, host }] of rules.entries()) {
    if (force === true || isShown(status) || query !== undefined || host !== undefined) continue;
    if (namesIn(from).length > 0 || pageName(pathIn(to)) === pageName(from)) continue;
    const path = decodeURIComponent(from);
    if (path.split("/").some((part) => part.startsWith(".")) || path.includes("\0")) continue;
    if (!(await hasPage(join(folder, path)))) continue;
    problems.push({
      line: lines[index] ?? 0,
      reason: `${from} is a page of the site, which is shown instead. Write ${status}! to redirect anyway.`,
    });
  }
  return problems;
}

async function hasPage(path: string): Promise<boolean> {
  for (const candidate of [path, `${path}.html`, join(path, "index.html")]) {
    const found = await lstatOrNull(candidate).catch(() => null);
    if (found?.isFile() === true) return true;
  }
  return false;
}

/** Equal for the addresses of one page. */
function pageName(path: string): string {
  return path.replace(/(?:\/index)?(?:\.html)?$/, "");
}

async function findAdvice(output: string, root: string): Promise<string[]> {
  const advice: string[] = [];
  const isFile = async (folder: string, name: string) =>
    (await lstatOrNull(join(folder, name)).catch(() => null))?.isFile() === true;
  for (const name of [REDIRECTS_FILE, HEADERS_FILE])
    if ((await isFile(root, name)) && !(await isFile(output, name)))
      advice.push(
        `${name} is in the root directory, but not in the output directory, so it is not used. Put it where the build copies files from, such as public or static.`,
      );
  if (await isFile(root, NETLIFY_TOML)) {
    const { content } = await readFile(root, NETLIFY_TOML);
    const tables = [...new TextDecoder().decode(content).matchAll(/^\s*\[\[(redirects|headers)\]\]/gm)];
    const names = new Set(tables.map(([, name = ""]) => `_${name}`));
    if (names.size > 0)
      advice.push(
        `The redirects and headers in ${NETLIFY_TOML} are not used. Write them into ${[...names].toSorted().join(" and ")}.`,
      );
  }
  return advice;
}

const NETLIFY_TOML = "netlify.toml";
