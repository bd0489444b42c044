import { availableParallelism } from "node:os";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

import { readSample } from "./scripts/test/sample.ts";
import { useTemporaryFolder } from "./scripts/test/temporary-folder.ts";
import { CONDITION_MS, TEST_MS } from "./test/support/patience.ts";

useTemporaryFolder();

/** Drops the Worker's request lines, because tests send thousands of requests. A log may have several lines. */
const isPrinted = (log: string) =>
  log.split("\n").some((line) => line.trim() !== "" && !line.includes('{"level":"info"'));

/** A test process takes up to half a gigabyte, and a system that it starts as much again. */
const MAX_WORKERS = 8;

/** `expect.poll` has an option for its time, but `vi.waitFor` has none. */
const waitLonger = "./test/support/wait-longer.ts";

/** Stands in every project, because a project takes none of these options from the configuration around it. */
const common = {
  expect: { poll: { timeout: CONDITION_MS } },
  setupFiles: [waitLonger],
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  provide: { sample: readSample(process.env["GANTRY_SAMPLE"], Date.now()) },
};

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

const testsIn = (folders: readonly string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`);

/**
 * A project of tests that run in Node. Its files share processes, because each process takes 0.4 s of CPU time to load
 * vitest, zod and the contract.
 */
const inNode = (
  name: string,
  folders: readonly string[],
  options: Options = {},
): TestProjectInlineConfiguration => ({
  test: { name, ...common, include: testsIn(folders), isolate: false, ...options },
});

/** A project of tests that start agents. */
const withAgents = (name: string, folders: readonly string[]) =>
  inNode(name, folders, { globalSetup: ["./test/agent/support/agent-bundle.ts"] });

/** A project of tests that run in the Worker. */
const inWorker = (name: string, include: string[]): TestProjectInlineConfiguration => ({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      // Otherwise workerd prints each error that a test causes, with its stack.
      verbose: false,
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations("./migrations"),
          // The receivers of webhooks in tests listen on this machine.
          ALLOW_PRIVATE_TARGETS: "1",
          EMAIL_FROM: "gantry@example.com",
        },
        email: { send_email: [{ name: "EMAIL" }] },
        // The local limiter takes 6 ms a call, so that a test cannot reach the real limit within its window.
        ratelimits: { AGENT_LIMIT: { namespace_id: "1003", simple: { limit: 300, period: 60 } } },
      },
    })),
  ],
  test: {
    name,
    ...common,
    include,
    globalSetup: ["./test/support/worker-assets.ts", "./test/support/worker/serve-receiver.ts"],
    setupFiles: ["./test/support/worker/quiet-log.ts", "./test/support/worker/fresh-storage.ts", waitLonger],
    // All files share one workerd, which is 2.5 times as fast; storage.ts empties the storage before each test.
    isolate: false,
  },
});

/** `npm test` runs these. */
const usual = [
  inNode("domain", ["domain", "contract", "project-files", "sealing", "client/node", "dashboard"], {
    // Zod's messages are the only state that these files share.
    setupFiles: [waitLonger, "./test/support/dashboard-messages.ts"],
  }),
  inNode("scripts", ["scripts"]),
  inWorker("worker", [
    ...testsIn(["worker"]),
    "test/client/*.test.ts",
    // Sealing must give the same results in workerd as in Node; worker/sealing checks the rest of it.
    "test/sealing/secret-box.test.ts",
  ]),
  inNode("openapi", ["openapi"]),
  withAgents("agent", ["agent", "build"]),
  inNode("command", ["cli", "action"]),
  inNode("journeys", ["journeys"]),
];

/** `npm run test:all` runs these, too. */
const long = [
  inNode("faults-domain", ["faults/domain", "faults/client", "faults/scripts"]),
  inWorker("faults-worker", testsIn(["faults/worker"])),
  withAgents("faults-agent", ["faults/agent"]),
  // The number of systems in faults.test.ts, so that no test waits for a system while its timeout runs.
  inNode("faults-journeys", ["faults/journeys"], { maxConcurrency: 3 }),
  inWorker("walks-worker", testsIn(["walks/worker"])),
  inNode("walks-openapi", ["walks/openapi"]),
  withAgents("walks-agent", ["walks/agent"]),
  inNode("walks-command", ["walks/cli"]),
  inWorker("edges-worker", testsIn(["edges/worker"])),
  withAgents("edges-agent", ["edges/agent"]),
  inNode("edges-command", ["edges/cli", "edges/action"]),
  inNode("edges-journeys", ["edges/journeys"]),
  inNode("install", ["install"]),
  inNode("browser", ["browser"]),
];

/** `npm run test:server` runs these. */
const onMachines = [
  // The files mostly wait for the machines that they boot, which take up to a gigabyte each.
  inNode("server", ["server"], { isolate: true, maxWorkers: 3 }),
  inNode("frameworks", ["frameworks"], {
    isolate: true,
    // Each test installs packages and compiles, which takes a core.
    maxConcurrency: 2,
    // After the projects that have timeouts, which would wait for these tests.
    sequence: { groupOrder: 1 },
  }),
];

export default defineConfig({
  // Vitest keeps here how long each file took, and starts the longest files of a project first.
  cacheDir: "build/vitest",
  test: {
    // Two for each core, because tests wait half of their time for a process, a socket or a timer. All projects but the
    // last are in one group: groups run in sequence, and the last file of each would run alone.
    maxWorkers: Math.min(MAX_WORKERS, 2 * availableParallelism()),
    globalSetup: ["./test/support/shared-installations.ts", "./test/browser/support/set-up.ts"],
    // Vitest ignores this option in a project.
    onConsoleLog: isPrinted,
    projects: [...usual, ...long, ...onMachines],
  },
});
