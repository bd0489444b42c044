import { files, type Form } from "#project-files/frameworks/form.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";

/** A site without a framework: in `public`, or in the folder that a file for another platform names, if a page is there. */
export function staticForm({ signs, platform }: Tree): Form {
  if (signs.has("file:public/index.html")) return files("public", "its index.html is in public");
  const output = platform?.output ?? null;
  if (platform === null || output === null || output === "." || !signs.has(`file:${output}/index.html`))
    return files(".");
  return files(output, `${platform.file} publishes ${output}`);
}
