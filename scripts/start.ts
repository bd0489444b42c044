import { reportOf } from "./shared/problem.ts";
import { readOptions } from "./shared/script.ts";
import { print, red } from "./shared/terminal.ts";
import { startScript, withPort } from "./start/options.ts";
import { runStart, type RunningStart } from "./start/run-start.ts";

const options = readOptions(startScript);
const aborted = new AbortController();
let running: RunningStart | null = null;
let endingSince = 0;

/** npm forwards Ctrl-C to this process, which also gets it from the terminal: two signals this close are one keypress. */
const SAME_KEYPRESS_MS = 700;

async function end(code: number): Promise<void> {
  if (endingSince > 0) return;
  endingSince = performance.now();
  aborted.abort();
  await running?.stop();
  process.exit(code);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (endingSince > 0) {
      // A second Ctrl-C kills everything instead of waiting for it to stop.
      if (signal !== "SIGINT" || performance.now() - endingSince < SAME_KEYPRESS_MS) return;
      running?.kill();
      process.exit(1);
    }
    print();
    print("Stopping the agent, the apps, the sites and the Worker. Press Ctrl-C again to stop at once.");
    void end(0);
  });

try {
  await runStart(await withPort(options), aborted.signal, (opened) => (running = opened));
} catch (error) {
  // After Ctrl-C, errors of interrupted steps are expected.
  if (!aborted.signal.aborted) {
    console.error(red("gantry: ") + reportOf(error));
    await end(1);
  }
}
