import { posix } from "node:path";

import { SAMPLE_ORIGIN } from "../html/sample-origin.ts";

/**
 * The address at which a link of a document leads when the document is served; null if the target is not served.
 * @param from the document's path below docs/
 * @param served the names of the documents that are served
 */
export function linkAddress(link: string, from: string, served: ReadonlySet<string>): string | null {
  // Markdown turns an address into a link, but the example's address does not exist.
  if (link.startsWith(SAMPLE_ORIGIN)) return null;
  if (/^(?:https?:|#)/.test(link)) return link;
  // Markdown takes the start of `git@github.com:you/shop.git` for an address.
  if (link.startsWith("mailto:")) return null;
  const [path = "", anchor] = link.split("#");
  const target = posix.join(posix.dirname(from), path);
  if (target === "api.md") return "/docs/api";
  if (target.startsWith("images/")) return `/docs/${target}`;
  const name = target.replace(/\.md$/, "");
  if (name === target || !served.has(name)) return null;
  return `/docs/${name}${anchor === undefined ? "" : `#${anchor}`}`;
}
