import { readdir, stat } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";

/** What decides about the fallback of a build. `isSet`: by the project or gantry.json. `root`: where its commands ran. */
export type BuiltSite = {
  readonly plan: Pick<DetectedPreset, "framework" | "output_directory" | "fallback">;
  readonly isSet: boolean;
  readonly root: string;
  /** The real path of the output directory. */
  readonly output: string;
};

/** `reason`: for the log, why the framework's default does not count. `missing`: the file that a person named. */
export type FallbackChoice =
  | { readonly kind: "fallback"; readonly fallback: string | null; readonly reason: string | null }
  | { readonly kind: "missing"; readonly fallback: string };

/** Files that builds create only for this purpose. Source: Surge and Nuxt; React Router; Angular. */
const fallbackNames = ["200.html", "__spa-fallback.html", "index.csr.html"];

/** Their configuration does not always show that a build has several pages. */
const maybeSeveral: ReadonlySet<string> = new Set(["vite", "vue-cli"]);

const INDEX = "index.html";
const NOT_FOUND = "404.html";

/** Decides which file of a build answers for paths without a file. */
export async function chooseFallback(site: BuiltSite): Promise<FallbackChoice> {
  const { plan, isSet, output } = site;
  const use = (fallback: string | null, reason: string | null = null): FallbackChoice => ({
    kind: "fallback",
    fallback,
    reason,
  });
  if (isSet) {
    const { fallback } = plan;
    return fallback === null || (await isFile(output, fallback))
      ? use(fallback)
      : { kind: "missing", fallback };
  }
  for (const name of fallbackNames) if (await isFile(output, name)) return use(name);
  const { fallback } = plan;
  if (fallback === null || !(await isFile(output, fallback))) return use(null);
  if (fallback !== INDEX) return use(fallback);
  // As on other hosts: the site says what to show for missing pages.
  if (await isFile(output, NOT_FOUND)) return use(null, `the build has a ${NOT_FOUND}`);
  const other = maybeSeveral.has(plan.framework) ? await otherPage(site) : null;
  return other === null ? use(fallback) : use(null, `the build has the page ${other} too`);
}

/** The most folders that are searched for another page. */
const MAX_FOLDERS = 500;

/** A page that was built besides `index.html`: a page that was only copied has nothing to do with the app. */
async function otherPage({ plan, root, output }: BuiltSite): Promise<string | null> {
  const copied = ["public", posix.join(dirname(plan.output_directory), "public")];
  const folders = [""];
  for (const [at, folder] of folders.entries()) {
    if (at === MAX_FOLDERS) break;
    for (const entry of await readdir(join(output, folder), { withFileTypes: true }).catch(() => [])) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || !path.endsWith(".html") || path === INDEX) continue;
      const isCopied = await Promise.all(copied.map((from) => isFile(join(root, from), path)));
      if (!isCopied.includes(true)) return path;
    }
  }
  return null;
}

async function isFile(folder: string, name: string): Promise<boolean> {
  return (await stat(join(folder, name)).catch(() => null))?.isFile() === true;
}
