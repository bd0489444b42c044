import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { agentFlags, agentMemory } from "../../../scripts/shared/agent-process.ts";
import { root } from "../../../scripts/shared/root.ts";

it("the installed agent gets the same options and variables for little memory as that of npm start", () => {
  const installer = readFileSync(join(root, "src/agent/install/install.sh"), "utf8");
  const variables = Object.entries(agentMemory).map(([name, value]) => `${name}=${value}`);
  expect(installer).toContain(`\nexport ${variables.join(" ")}\n`);
  expect(installer).toContain(`\nexec $node ${agentFlags.join(" ")} $program`);
});
