import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { it } from "vitest";

it("starts processes in sessions of their own, as agents and builds do, and waits", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waiting-"));
  for (const env of [process.env, {}])
    spawn("/bin/sleep", ["1000"], { detached: true, cwd: folder, env, stdio: "ignore" });
  await pause(1_000_000);
}, 1_000_000);
