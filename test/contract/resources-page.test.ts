import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { root } from "../../scripts/shared/root.ts";
import { resources } from "../support/resources.ts";

it("docs/api.md says of every object that a token can create and delete what a provider may rely on", () => {
  const page = readFileSync(join(root, "docs", "api.md"), "utf8");
  const [, section = ""] = page.split("\n## Objects that a file describes\n");
  const [table = ""] = section.split("\n## ");
  for (const path of resources.keys()) expect(table).toContain(`| \`${path}\` |`);
});
