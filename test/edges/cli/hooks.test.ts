import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { useForgePrograms } from "../../cli/support/use-forge-programs.ts";

const forge = useForgePrograms();
const { run } = forge;

describe("gantry hooks connect", () => {
  it("says what to do if the program is missing or fails, and gives the hook a new secret the next time", async () => {
    const repository = "git@github.com:acme/unreachable.git";
    const node = join(process.execPath, "..");
    const missing = await run(["hooks", "connect", repository], node);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/^secret\twhsec_/m);
    expect(missing.stderr).toContain("gh is not installed. Install it (https://cli.github.com)");
    // A second rotation would end the secret that the host may have by now.
    const again = await run(["hooks", "connect", repository], node);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(/has the hook hook_\w+ already, which was not changed, because gh is not/);
    forge.status = 404;
    const failed = await run(["hooks", "connect", repository]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("It gets a new secret; the old one works for another 24 hours.");
    expect(failed.stderr).toContain("gh could not add the hook: HTTP 404: Not Found.");
    forge.status = 201;
    expect(await run(["hooks", "connect", repository])).toMatchObject({ code: 0 });
  });
});
