import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { messageOf } from "#contract/lib/message-of.ts";

import { ensureChromium } from "./shared/chromium.ts";
import { ensureDebianRoot } from "./shared/debian-root.ts";
import { ensureIngressPrograms } from "./shared/ingress-programs.ts";
import { ensureTestedPrograms } from "./shared/tested-programs.ts";
import { root } from "./shared/root.ts";
import { option, printHelp } from "./shared/script.ts";

/** The part of vitest's JSON report that is used. */
const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

const SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const reportPath = join(root, "build", "test-report.json");

/** Counts tests. A file that does not load counts as one failure, and so does an error outside of all tests. */
async function count(exitCode: number): Promise<{ passed: number; failed: number }> {
  const report = Report.safeParse(await readFile(reportPath, "utf8").then(JSON.parse, () => null));
  if (!report.success) return { passed: 0, failed: 1 };
  const broken = report.data.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failed = report.data.numFailedTests + broken.length;
  return {
    passed: report.data.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
  };
}

const args = process.argv.slice(2);
printHelp(
  {
    usage:
      "npm test -- [vitest options] [files]\nnpm run test:quick -- [vitest options] [files]\nnpm run test:server -- [vitest options] [files]",
    summary: `Runs the tests with vitest, and installs the programs that they need.

npm test runs every project except server and frameworks. npm run test:quick runs domain and worker without the fault
walks. npm run test:server runs those two: it boots a Debian with systemd, which needs root, and installs real packages
from the npm registry.`,
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
await rm(reportPath, { force: true });
const vitest = spawn(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`],
    ...(projects.length === 0 ? separate.map((name) => `--project=!${name}`) : []),
    ...args,
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
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => vitest.kill(signal));
vitest.once("exit", (code) => {
  const exitCode = code ?? 1;
  void count(exitCode).then(({ passed, failed }) => {
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = exitCode;
  });
});
