/**
 * Files that walk over each fault, each endpoint or each order of events, that count rows and requests, or that wait for
 * seconds. They take two thirds of the time of their projects, and `npm run test:quick` leaves them out.
 */
const EXHAUSTIVE = [
  "test/domain/lane/{interleavings,lane.property}.test.ts",
  "test/client/**/{follow-log,abort-following}.test.ts",
  "test/worker/faults/**",
  "test/worker/db/{account-rows,rows-growth,rows-read,statement-counts}.test.ts",
  "test/worker/http/{requests,authentication}.test.ts",
  "test/worker/{isolation,powers,recorded-requests,request-costs,hostile-agent}.test.ts",
  "test/worker/routes/{follow-events,follow-log,log-followers}.test.ts",
  "test/worker/schedule/{orphans,retention,old-deployments}.test.ts",
  "test/worker/objects/{link-faults,link-limits,restored-project,stored-logs}.test.ts",
  "test/worker/objects/{deployment-writes,idle-status,lane-rows-read,order-variables,outlet-rows-read,outlet,watch}.test.ts",
];

/** The patterns of the files that this run leaves out, as seen from the repository's root. */
export const leftOut: readonly string[] = process.env["QUICK_TESTS"] === undefined ? [] : EXHAUSTIVE;
