import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { messageOf } from "#contract/lib/message-of.ts";

import { ensureChromium } from "./shared/chromium.ts";
import { ensureDebianRoots } from "./shared/debian-root.ts";
import { ensureIngressPrograms } from "./shared/ingress-programs.ts";
import { ensureTestedPrograms } from "./shared/tested-programs.ts";
import { root } from "./shared/root.ts";
import { flag, option, printHelp } from "./shared/script.ts";
import { readReport, type TestReport } from "./test/read-report.ts";
import { afterSecondRun, type Counts, filesToRepeat } from "./test/run-again.ts";
import { readSample } from "./test/sample.ts";
import { createTemporaryFolder } from "./test/temporary-folder.ts";

const SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const reportPath = join(root, "build", "test-report.json");

const given = process.argv.slice(2);
printHelp(
  {
    usage:
      "npm test -- [vitest options] [files]\nnpm run test:all -- [vitest options] [files]\nnpm run test:server -- [vitest options] [files]",
    summary: `Runs the tests with vitest, and installs the programs that they need.

npm test runs every capability once, a browser included. npm run test:all also runs the folders that take longer: faults,
walks, edges, install and browser. npm run test:server boots a Debian with systemd, which needs root, and installs real
packages from the npm registry. docs/contributing.md says what each folder has and takes.

The longest walks take a sample that changes every day. The variable GANTRY_SAMPLE repeats a sample by its number, and
GANTRY_SAMPLE=whole walks everything.`,
    options: z.object({
      project: option(
        "NAME",
        "run this project of vitest.config.ts only, such as worker or agent; 'faults-*' takes\nseveral; repeatable",
        z.string().optional(),
      ),
      all: flag("run all projects except the projects of test:server"),
    }),
  },
  given,
);
const runsAll = given.includes("--all");
const args = given.filter((arg) => arg !== "--all");
/** The projects of vitest.config.ts that `npm test` runs. Each of the others takes minutes. */
const usual = ["domain", "scripts", "worker", "openapi", "agent", "command", "journeys"] as const;
/** The projects that need a booted machine or the npm registry. */
const onMachines = ["server", "frameworks"] as const;
/** The selected projects, as vitest understands them. */
const projects = args.filter((_, at) => args[at - 1] === "--project");
const selected =
  projects.length > 0
    ? []
    : runsAll
      ? onMachines.map((name) => `--project=!${name}`)
      : usual.map((name) => `--project=${name}`);

/** Whether the tests of a folder run. @param words the names of projects, or parts of them */
const runs = (...words: readonly string[]) =>
  projects.length > 0
    ? projects.some((name) => words.some((word) => name.includes(word) || name.includes("*")))
    : words.some((word) => runsAll || usual.some((name) => name === word));

/** Installs the programs that tests run. */
const installers: readonly { readonly isNeeded: boolean; readonly install: () => Promise<unknown> }[] = [
  { isNeeded: runs("journeys", "browser"), install: ensureChromium },
  { isNeeded: runs("browser"), install: () => ensureTestedPrograms("browser") },
  { isNeeded: runs("command"), install: () => ensureTestedPrograms("command") },
  { isNeeded: runs("agent"), install: () => ensureTestedPrograms("agent") },
  { isNeeded: runs("journeys", "install"), install: () => ensureTestedPrograms("journeys") },
  { isNeeded: projects.includes("server"), install: ensureDebianRoots },
  { isNeeded: projects.includes("server"), install: ensureIngressPrograms },
  { isNeeded: projects.includes("server"), install: () => ensureTestedPrograms("server") },
];
for (const { isNeeded, install } of installers)
  try {
    if (isNeeded) await install();
  } catch (error) {
    // The tests that need the program fail and report it. The other tests still run.
    console.error(`gantry: ${messageOf(error)}`);
  }
await mkdir(join(root, "build"), { recursive: true });

const sample = readSample(process.env["GANTRY_SAMPLE"], Date.now());
if (!sample.isWhole)
  console.log(
    `The longest walks take the sample GANTRY_SAMPLE=${sample.seed}; GANTRY_SAMPLE=whole walks everything.`,
  );

/** Everything that the tests start has this folder in its environment, its command line or as its working directory. */
const folder = createTemporaryFolder();
/** Ends what the tests leave, even if this process is killed. */
const cleaner = spawn(process.execPath, [join(import.meta.dirname, "test/end-left-processes.ts"), folder], {
  detached: true,
  stdio: ["pipe", "ignore", "inherit"],
});
cleaner.on("error", (error) => console.error(`gantry: ${error.message}`));

/** Runs vitest. @returns its exit code, and its report, which is null if it wrote none */
async function runTests(options: readonly string[]): Promise<{ code: number; report: TestReport | null }> {
  const report = join(folder, "test-report.json");
  await rm(report, { force: true });
  const vitest = spawn(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
      ...options,
    ],
    {
      cwd: root,
      // The tests start hundreds of processes of the same few programs. The cache halves the start time of each.
      env: {
        // The Node that this repository installs trusts only its own list of authorities, and the network may need the
        // system's. Without it, npm repeats its requests to the registry for minutes.
        ...(existsSync(SYSTEM_AUTHORITIES) ? { NODE_EXTRA_CA_CERTS: SYSTEM_AUTHORITIES } : {}),
        ...process.env,
        TMPDIR: folder,
        GANTRY_SAMPLE: sample.isWhole ? "whole" : `${sample.seed}`,
        NODE_COMPILE_CACHE: join(root, "build", "compile-cache"),
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  running = vitest;
  const code = await new Promise<number>((resolve) => vitest.once("exit", (status) => resolve(status ?? 1)));
  const read = await readReport(report);
  if (read !== null) await copyFile(report, reportPath);
  return { code, report: read };
}

let running: ChildProcess | null = null;
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopped = true;
    running?.kill(signal);
  });

const { code, report } = await runTests([...selected, ...args]);
const counts = await countsOf(code, report);
for (const test of counts.flaky)
  console.log(`flaky: ${test} (failed at first, and passed when its file ran again)`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : code;
cleaner.stdin.end();
if (cleaner.exitCode === null) await once(cleaner, "exit");

/** The counts of a run. In CI, a few failed files run again, one at a time, which finds out which tests are flaky. */
async function countsOf(exitCode: number, first: TestReport | null): Promise<Counts> {
  // An error outside of all tests is one failure, too.
  if (first === null || (exitCode !== 0 && first.failures.length === 0))
    return { passed: first?.passed ?? 0, failed: 1, flaky: [] };
  // Other arguments may select single tests, which a run of their files would not.
  const isWhole = args.length === 2 * projects.length;
  const files = process.env["CI"] === undefined || isStopped || !isWhole ? [] : filesToRepeat(first);
  if (files.length === 0) return { passed: first.passed, failed: first.failures.length, flaky: [] };
  console.log(`\n${first.failures.length} failed. Running their files again, one at a time.`);
  const options = projects.flatMap((name) => ["--project", name]);
  const again = await runTests([...(projects.length === 0 ? selected : options), "--maxWorkers=1", ...files]);
  return afterSecondRun(first, again.code !== 0 && again.report?.failures.length === 0 ? null : again.report);
}
