import { availableParallelism } from "node:os";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

import { leftOut } from "./test/support/exhaustive-files.ts";
import { CONDITION_MS, TEST_MS } from "./test/support/patience.ts";
import { SlowestFirst } from "./test/support/slowest-first.ts";
import { keepTemporaryFilesInMemory } from "./test/support/temporary-folder.ts";

keepTemporaryFilesInMemory();

/** Drops the Worker's request lines, because tests send thousands of requests. A log may have several lines. */
const isPrinted = (log: string) =>
  log.split("\n").some((line) => line.trim() !== "" && !line.includes('{"level":"info"'));

/** A test process takes up to half a gigabyte, and a system that it starts as much again. */
const MAX_WORKERS = 8;

/** `expect.poll` has an option for its time, but `vi.waitFor` has none. */
const waitLonger = "./test/support/wait-longer.ts";

/** Stands in every project, because a project takes none of these options from the configuration around it. */
const patience = {
  expect: { poll: { timeout: CONDITION_MS } },
  setupFiles: [waitLonger],
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
};

export default defineConfig({
  test: {
    // Two for each core, because tests wait half of their time for a process, a socket or a timer. All projects are in one
    // group: groups run one after the other, and the last file of each would run alone.
    maxWorkers: Math.min(MAX_WORKERS, 2 * availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    globalSetup: ["./test/support/shared-installations.ts"],
    // Vitest ignores this option in a project.
    onConsoleLog: isPrinted,
    projects: [
      {
        test: {
          name: "domain",
          ...patience,
          include: [
            "test/domain/**/*.test.ts",
            "test/scripts/**/*.test.ts",
            "test/contract/**/*.test.ts",
            "test/sealing/*.test.ts",
            "test/client/node/**/*.test.ts",
            "test/dashboard/**/*.test.ts",
          ],
          exclude: ["test/dashboard/flows/**", ...leftOut],
          // As for the agent's files. Zod's messages are the only state that these files share.
          isolate: false,
          setupFiles: [waitLonger, "./test/support/dashboard-messages.ts"],
        },
      },
      {
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
          name: "worker",
          ...patience,
          // Sealing must give the same results in workerd as in Node; worker/sealing checks the rest of it.
          include: ["test/worker/**/*.test.ts", "test/client/*.test.ts", "test/sealing/secret-box.test.ts"],
          exclude: [...leftOut],
          globalSetup: ["./test/support/worker-assets.ts", "./test/support/worker/serve-receiver.ts"],
          setupFiles: [
            "./test/support/worker/quiet-log.ts",
            "./test/support/worker/fresh-storage.ts",
            waitLonger,
          ],
          // All files share one workerd, which is 2.5 times as fast; storage.ts empties the storage before each test.
          isolate: false,
        },
      },
      {
        test: {
          name: "openapi",
          ...patience,
          include: ["test/openapi/**/*.test.ts"],
        },
      },
      {
        test: {
          name: "agent",
          ...patience,
          include: ["test/agent/**/*.test.ts"],
          globalSetup: ["./test/agent/support/agent-bundle.ts"],
          // The files share processes, because each process takes 0.4 s of CPU time to load vitest, zod and the contract.
          isolate: false,
        },
      },
      {
        test: {
          name: "command",
          ...patience,
          include: ["test/cli/**/*.test.ts"],
          // As for the agent's files.
          isolate: false,
        },
      },
      {
        test: {
          name: "dashboard",
          ...patience,
          include: ["test/dashboard/flows/**/*.test.ts"],
          globalSetup: ["./test/dashboard/flows/support/installation.ts"],
          // The files share processes, because loading Playwright and the contract takes a second of CPU time.
          isolate: false,
        },
      },
      {
        test: {
          name: "server",
          ...patience,
          include: ["test/server/**/*.test.ts"],
          // The files mostly wait for the machines that they boot, which take up to a gigabyte each.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "frameworks",
          ...patience,
          include: ["test/frameworks/**/*.test.ts"],
          // Each test installs packages and compiles, which takes a core.
          maxConcurrency: 2,
          // After the projects that have timeouts, which would wait for these tests.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "journeys",
          ...patience,
          include: ["test/journeys/**/*.test.ts"],
          // As for the agent's files.
          isolate: false,
          // The number of systems in faults.test.ts, so that no test waits for a system while its timeout runs.
          maxConcurrency: 3,
        },
      },
    ],
  },
});
