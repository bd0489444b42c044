// The supervisor as `npm start` runs it. Loading the whole agent would take twice the CPU time.
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { readSettings } from "#agent/context/settings.ts";
import { runSupervisor } from "#agent/supervisor/run-supervisor.ts";
import { messageOf } from "#contract/lib/message-of.ts";

const USAGE = "usage: node src/agent/supervisor/main.ts --home DIR";

// On a full disk, its output is lost, and it runs on.
process.stdout.on("error", () => undefined);

try {
  const { values } = parseArgs({ options: { home: { type: "string" } } });
  if (values.home === undefined) throw new Error(USAGE);
  const home = resolve(values.home);
  const log = (message: string): void => console.log(`${new Date().toISOString()} ${message}`);
  const problem = await runSupervisor(home, readSettings(process.env), log);
  if (problem !== null) throw new Error(problem);
  process.exit(0);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
