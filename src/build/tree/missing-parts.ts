import { stat } from "node:fs/promises";
import { join } from "node:path";

import { encodePath, namesIn, pathPattern, usesAny } from "#build/site-rules/path-pattern.ts";
import { isShown, type RedirectRule } from "#build/site-rules/rule-schemas.ts";
import { readStart } from "#build/tree/read-start.ts";

const INDEX = "index.html";
const MAX_CHECKED = 50;

/** Scripts that other platforms add to a site. A page works without them. */
const ofPlatforms = /^\/(?:cdn-cgi|_vercel|\.netlify)\//;

/**
 * What to say about scripts and style sheets that the first page of a site loads from it, and that it does not have: the
 * page would be empty. Null if all are there.
 * @param folder the real path of the output directory
 * @param isHidden whether the site does not show a file or folder with this name
 * @param redirects the site's rules, which may lead to the file
 */
export async function missingParts(
  folder: string,
  isHidden: (name: string) => boolean,
  redirects: readonly RedirectRule[],
): Promise<string | null> {
  const isFile = async (path: string) =>
    (await stat(join(folder, path)).catch(() => null))?.isFile() === true;
  if (!(await isFile(INDEX))) return null;
  const page = await readStart(join(folder, INDEX)).catch(() => null);
  if (page === null) return null;
  if (page.trim() === "")
    return `${INDEX} is empty, so visitors see a blank page: does the build lack its theme, such as a submodule?`;
  const exists = async (path: string) => !path.split("/").some(isHidden) && (await isFile(path));
  const missing: string[] = [];
  for (const path of loadedPaths(page))
    if (!isRedirected(path, redirects) && !(await exists(path))) missing.push(path);
  const [first] = missing;
  if (first === undefined) return null;
  const more = missing.length === 1 ? "" : ` and ${missing.length - 1} more`;
  const moved = /^\/[^/]+(\/.+)$/.exec(first)?.[1];
  if (moved !== undefined && (await exists(moved)))
    return `${INDEX} loads ${first}${more}, but the file is at ${moved}: the site is built for the path ${first.slice(0, -moved.length)}/. Build it for /, such as with base in vite.config, baseUrl in docusaurus.config or homepage in package.json`;
  const part = first.split("/").find(isHidden);
  return part === undefined
    ? `${INDEX} loads ${first}${more}, which the site does not have: does it need a build_command, or another output_directory?`
    : `${INDEX} loads ${first}${more}, and a site beside its sources does not show ${part}: copy the files to another folder, or set output_directory to a folder of the site`;
}

/** Whether the first rule for a path leads to another file. A page is no answer to a request for a script. */
function isRedirected(path: string, redirects: readonly RedirectRule[]): boolean {
  const encoded = encodePath(path);
  const rule = redirects.find(({ from }) => new RegExp(pathPattern(from, "encoded").source).test(encoded));
  if (rule === undefined) return false;
  if (!isShown(rule.status)) return true;
  const isFile = /\.(?!x?html?$)[^./]+$/.test(rule.to);
  return rule.status === 200 && (isFile || usesAny(rule.to, namesIn(rule.from)));
}

/** The paths of scripts and style sheets on the site itself, decoded. */
function loadedPaths(page: string): readonly string[] {
  const text = withoutComments(page);
  // Paths are then relative to another address.
  if (/<base\s/i.test(text)) return [];
  const tags = [...text.matchAll(/<(?:script|link)\s[^<>]*>/gi)].map(([tag]) => tag);
  const addresses = tags.flatMap((tag) => {
    const isLink = /^<link/i.test(tag);
    if (isLink && !/\srel\s*=\s*["']?(?:stylesheet|modulepreload)\b/i.test(tag)) return [];
    const pattern = isLink
      ? /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
      : /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
    return pattern.exec(tag)?.slice(1).find(Boolean) ?? [];
  });
  const paths = addresses.slice(0, MAX_CHECKED).flatMap((address) => pathOf(address) ?? []);
  return [...new Set(paths)];
}

/** In linear time, because a build can make any page. */
function withoutComments(page: string): string {
  const [start = "", ...others] = page.split("<!--");
  return [
    start,
    ...others.map((part) => (part.includes("-->") ? part.slice(part.indexOf("-->") + 3) : "")),
  ].join("");
}

const SITE = "http://site.invalid";

/** @returns null for an address of another site, and for a placeholder */
function pathOf(address: string): string | null {
  if (/[{}<>]/.test(address) || !URL.canParse(address, SITE)) return null;
  const url = new URL(address, SITE);
  if (url.origin !== SITE || ofPlatforms.test(url.pathname)) return null;
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return null;
  }
}
