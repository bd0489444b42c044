import { reportOf } from "./shared/problem.ts";
import { red } from "./shared/terminal.ts";
import { readReleaseOptions, RELEASE_HELP } from "./release/options.ts";
import { runRelease } from "./release/run-release.ts";

const read = readReleaseOptions(process.argv.slice(2));
if (read.kind === "help") {
  console.log(RELEASE_HELP);
  process.exit(0);
}
if (read.kind === "wrong") {
  console.error(`gantry: ${read.message}\n\n${RELEASE_HELP}`);
  process.exit(1);
}
try {
  await runRelease(read.options);
} catch (error) {
  console.error(red("gantry: ") + reportOf(error));
  process.exit(1);
}
