import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { messageOf } from "#contract/lib/message-of.ts";

import { ensureChromium } from "./shared/chromium.ts";
import { ensureDebianRoot } from "./shared/debian-root.ts";
import { ensureIngressPrograms } from "./shared/ingress-programs.ts";
import { ensureTestedPrograms } from "./shared/tested-programs.ts";
import { root } from "./shared/root.ts";
import { option, printHelp } from "./shared/script.ts";
import { readReport, type TestReport } from "./test/read-report.ts";
import { afterSecondRun, type Counts, filesToRepeat } from "./test/run-again.ts";

const SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const reportPath = join(root, "build", "test-report.json");

const args = process.argv.slice(2);
printHelp(
  {
    usage:
      "npm test -- [vitest options] [files]\nnpm run test:quick -- [vitest options] [files]\nnpm run test:server -- [vitest options] [files]",
    summary: `Runs the tests with vitest, and installs the programs that they need.

npm test runs every project except server and frameworks. npm run test:quick runs domain and worker without the
walks over all faults, endpoints and orders of events. npm run test:server runs those two: it boots a Debian with
systemd, which needs root, and installs real packages from the npm registry.`,
    options: z.object({
      project: option(
        "NAME",
        "run this project only: domain, worker, openapi, agent, command, dashboard,\njourneys, frameworks or server; repeatable",
        z.string().optional(),
      ),
    }),
  },
  args,
);
/** The projects that take too long, or need more, to run with the others. */
const separate: readonly string[] = ["server", "frameworks"];
/** The selected projects. Without a selection, all except the separate ones run. */
const projects = args.filter((_, at) => args[at - 1] === "--project");

/** Installs the programs that the tests of a project run. */
const installers = {
  dashboard: async () => {
    await ensureChromium();
    await ensureTestedPrograms("dashboard");
  },
  command: () => ensureTestedPrograms("command"),
  agent: () => ensureTestedPrograms("agent"),
  journeys: () => ensureTestedPrograms("journeys"),
  server: async () => {
    await ensureDebianRoot();
    await ensureIngressPrograms();
    await ensureTestedPrograms("server");
  },
} as const;

for (const [project, install] of Object.entries(installers))
  try {
    const isSelected = projects.length === 0 ? !separate.includes(project) : projects.includes(project);
    if (isSelected) await install();
  } catch (error) {
    // The tests that need the program fail and report it. The other tests still run.
    console.error(`gantry: ${messageOf(error)}`);
  }
await mkdir(join(root, "build"), { recursive: true });

/** Runs vitest. @returns its exit code, and its report, which is null if it wrote none */
async function runTests(options: readonly string[]): Promise<{ code: number; report: TestReport | null }> {
  await rm(reportPath, { force: true });
  const vitest = spawn(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`],
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
        NODE_COMPILE_CACHE: join(root, "build", "compile-cache"),
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  running = vitest;
  const code = await new Promise<number>((resolve) => vitest.once("exit", (status) => resolve(status ?? 1)));
  return { code, report: await readReport(reportPath) };
}

let running: ChildProcess | null = null;
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopped = true;
    running?.kill(signal);
  });

const selected = projects.length === 0 ? separate.map((name) => `--project=!${name}`) : [];
const { code, report } = await runTests([...selected, ...args]);
const counts = await countsOf(code, report);
for (const test of counts.flaky)
  console.log(`flaky: ${test} (failed at first, and passed when its file ran again)`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : code;

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
