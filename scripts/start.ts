import { reportOf } from "./shared/problem.ts";
import { root } from "./shared/root.ts";
import { print, red } from "./shared/terminal.ts";
import { readStartOptions, START_HELP } from "./start/options.ts";
import { runStart, type RunningStart } from "./start/run-start.ts";

/** npm runs this in the repository's folder; where the user called it from is kept here. */
const folder = process.env["INIT_CWD"] ?? root;

const read = readStartOptions(process.argv.slice(2), folder);
if (read.kind === "help") {
  print(START_HELP);
  process.exit(0);
}
if (read.kind === "wrong") {
  console.error(`gantry: ${read.message}\n\n${START_HELP}`);
  process.exit(1);
}

const aborted = new AbortController();
let running: RunningStart | null = null;
let endingSince = 0;

/** npm passes Ctrl-C on to us, who have had it from the terminal: a second one this soon is the same one. */
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
      // Asked twice: somebody is in a hurry.
      if (signal !== "SIGINT" || performance.now() - endingSince < SAME_KEYPRESS_MS) return;
      running?.kill();
      process.exit(1);
    }
    print();
    print("Ending the agent, the sites and the Worker. Ctrl-C again does it at once.");
    void end(0);
  });

try {
  await runStart(read.options, folder, aborted.signal, (opened) => (running = opened));
} catch (error) {
  // What fails because of Ctrl-C is no news.
  if (!aborted.signal.aborted) {
    console.error(red("gantry: ") + reportOf(error));
    await end(1);
  }
}
