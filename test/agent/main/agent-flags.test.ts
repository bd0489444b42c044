import { expect, it } from "vitest";

import { agentFlags, agentMemory } from "../../../scripts/shared/agent-process.ts";
import { readScript } from "../../../scripts/shared/installer.ts";

it("the installed agent gets the same options and variables for little memory as the agent of npm start", async () => {
  const installer = await readScript("installer");
  const variables = Object.entries(agentMemory).map(([name, value]) => `${name}=${value}`);
  expect(installer).toContain(`\nexport ${variables.join(" ")}\n`);
  expect(installer).toContain(`\nexec $node ${agentFlags.join(" ")} $program`);
});
