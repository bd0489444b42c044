import { availableParallelism } from "node:os";

import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

import { assetsFolder, buildAssets } from "./scripts/reference/build-assets.ts";
import { SlowestFirst } from "./test/support/slowest-first.ts";
import { keepTemporaryFilesInMemory } from "./test/support/temporary-folder.ts";

keepTemporaryFilesInMemory();

/** Workers log a line for each request; tests send thousands. What comes may be several lines at once. */
const isWorthShowing = (log: string) =>
  log.split("\n").some((line) => line.trim() !== "" && !line.includes('{"level":"info"'));

/** Each needs up to half a gigabyte, and a system that a journey starts as much again. */
const MOST_WORKERS = 8;

/** A second, which is the default, passes unnoticed on a machine that is busy with other tests. */
const expectPatiently = { poll: { timeout: 20_000 } };

export default defineConfig({
  test: {
    // Twice as many as cores: most tests wait half of their time for a process, a socket or a clock. All projects share
    // them, in one group: groups run one after the other, and the last file of each would have the machine to itself.
    maxWorkers: Math.min(MOST_WORKERS, 2 * availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    // Here, because in a project it counts for nothing.
    onConsoleLog: isWorthShowing,
    projects: [
      {
        test: {
          name: "domain",
          expect: expectPatiently,
          include: [
            "test/domain/**/*.test.ts",
            "test/contract/**/*.test.ts",
            "test/client/node/**/*.test.ts",
            "test/dashboard/**/*.test.ts",
          ],
          exclude: ["test/dashboard/flows/**"],
          testTimeout: 120_000,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => {
            await buildAssets(assetsFolder);
            return {
              wrangler: { configPath: "./wrangler.toml" },
              miniflare: {
                bindings: { TEST_MIGRATIONS: await readD1Migrations("./migrations") },
                // The local limiter takes 6 ms a call, too long to reach the real limit within its window.
                ratelimits: { AGENT_LIMIT: { namespace_id: "1003", simple: { limit: 300, period: 60 } } },
              },
            };
          }),
        ],
        test: {
          name: "worker",
          expect: expectPatiently,
          include: ["test/worker/**/*.test.ts", "test/client/*.test.ts"],
          setupFiles: [
            "./test/support/worker/quiet-log.ts",
            "./test/support/worker/fresh-storage.ts",
            "./test/support/worker/wait-longer.ts",
          ],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // One workerd for all files: storage is emptied before each test instead, which is 2.5 times as fast.
          isolate: false,
        },
      },
      {
        test: {
          name: "openapi",
          expect: expectPatiently,
          include: ["test/openapi/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "agent",
          expect: expectPatiently,
          include: ["test/agent/**/*.test.ts"],
          globalSetup: ["./test/agent/support/agent-bundle.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "command",
          expect: expectPatiently,
          include: ["test/cli/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "dashboard",
          expect: expectPatiently,
          include: ["test/dashboard/flows/**/*.test.ts"],
          globalSetup: ["./test/dashboard/flows/support/installation.ts"],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "server",
          expect: expectPatiently,
          include: ["test/server/**/*.test.ts"],
          // Each boots machines, which share this one's ports.
          maxWorkers: 1,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "journeys",
          expect: expectPatiently,
          include: ["test/journeys/**/*.test.ts"],
          // As many as faults.test.ts has systems: none of its tests waits for one while its time runs.
          maxConcurrency: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
