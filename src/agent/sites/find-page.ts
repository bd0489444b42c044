import type { TrailingSlash } from "#contract/endpoints/projects/settings.ts";

/** `redirect`: to these parts of a path, with or without a final slash. */
export type PageFound<File> =
  | { readonly kind: "file"; readonly file: File }
  | { readonly kind: "redirect"; readonly parts: readonly string[]; readonly hasSlash: boolean }
  | { readonly kind: "missing" };

/** @returns the file at these parts of a path; null if it is missing, or a folder */
type Look<File> = (parts: readonly string[]) => Promise<File | null>;

const INDEX = "index.html";
const HTML = ".html";

/**
 * Finds the file of a path, or the address that a page has instead. Caddy does the same (`caddy/page-routes.ts`): each path
 * that it redirects to shows the page that the path before would.
 * @param parts of the decoded path
 */
export async function findPage<File>(
  mode: TrailingSlash,
  parts: readonly string[],
  hasSlash: boolean,
  look: Look<File>,
): Promise<PageFound<File>> {
  return hasSlash ? findFolderPage(mode, parts, look) : findFilePage(mode, parts, look);
}

async function findFolderPage<File>(
  mode: TrailingSlash,
  parts: readonly string[],
  look: Look<File>,
): Promise<PageFound<File>> {
  const index = await look([...parts, INDEX]);
  if (index !== null && (mode !== "never" || parts.length === 0)) return { kind: "file", file: index };
  const page = parts.length === 0 ? null : await look(withEnding(parts, HTML));
  switch (mode) {
    case "auto":
      return page === null ? missing : redirect(parts, false);
    case "always":
    case "ignore":
      return page === null ? missing : { kind: "file", file: page };
    case "never":
      return page === null && index === null ? missing : redirect(parts, false);
  }
}

async function findFilePage<File>(
  mode: TrailingSlash,
  parts: readonly string[],
  look: Look<File>,
): Promise<PageFound<File>> {
  const exact = await look(parts);
  if (exact !== null) return (await addressOf(mode, parts, look)) ?? { kind: "file", file: exact };
  const page = await look(withEnding(parts, HTML));
  if (page !== null && parts.at(-1) === "index") {
    const address = await addressOf(mode, withEnding(parts, HTML), look);
    if (address !== null) return address;
  }
  const file = page ?? (await look([...parts, INDEX]));
  if (file === null) return missing;
  if (mode === "always" || (mode === "auto" && page === null)) return redirect(parts, true);
  return { kind: "file", file };
}

/** Where a page is that was requested by the name of its file; null if the name is its address, or it is no page. */
async function addressOf<File>(
  mode: TrailingSlash,
  parts: readonly string[],
  look: Look<File>,
): Promise<PageFound<File> | null> {
  const last = parts.at(-1) ?? "";
  if (mode === "ignore" || !last.endsWith(HTML)) return null;
  const folder = parts.slice(0, -1);
  if (last === INDEX) {
    if (mode !== "never" || folder.length === 0) return redirect(folder, true);
    return (await look(withEnding(folder, HTML))) === null ? redirect(folder, false) : null;
  }
  const bare = [...folder, last.slice(0, -HTML.length)];
  if (mode === "always") return (await look([...bare, INDEX])) === null ? redirect(bare, true) : null;
  return (await look(bare)) === null ? redirect(bare, false) : null;
}

const missing = { kind: "missing" } as const;

function redirect(parts: readonly string[], hasSlash: boolean): PageFound<never> {
  return { kind: "redirect", parts, hasSlash };
}

function withEnding(parts: readonly string[], ending: string): readonly string[] {
  return [...parts.slice(0, -1), `${parts.at(-1) ?? ""}${ending}`];
}
