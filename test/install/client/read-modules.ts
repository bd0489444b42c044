import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "../../../scripts/shared/root.ts";

/** The modules of the blocks `ts` in docs/client.md. A block without imports continues the block before it. */
export async function readModules(): Promise<string[]> {
  const page = await readFile(join(root, "docs", "client.md"), "utf8");
  const modules: string[] = [];
  for (const [, block = ""] of page.matchAll(/^```ts\n([^]*?)^```$/gm)) {
    if (block.startsWith("import ")) modules.push(block);
    // In a scope of its own, so that blocks can use the same names.
    else modules.push(`${modules.pop() ?? ""}\n{\n${block}}\n`);
  }
  return modules;
}
