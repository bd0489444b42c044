/**
 * Files that walk over each fault, each endpoint or each order of events, or that count rows and requests.
 * They take more than half of the time of their projects, and `npm run test:quick` leaves them out.
 */
const EXHAUSTIVE = [
  "test/domain/lane/{interleavings,lane.property}.test.ts",
  "test/worker/faults/**",
  "test/worker/db/rows-growth.test.ts",
  "test/worker/http/{requests,authentication}.test.ts",
  "test/worker/{isolation,recorded-requests,request-costs}.test.ts",
  "test/worker/schedule/{orphans,retention}.test.ts",
  "test/worker/objects/link-faults.test.ts",
  "test/worker/hostile-agent.test.ts",
];

/** The patterns of the files that this run leaves out, as seen from the repository's root. */
export const leftOut: readonly string[] = process.env["QUICK_TESTS"] === undefined ? [] : EXHAUSTIVE;
