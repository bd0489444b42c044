import { readFile } from "node:fs/promises";
import { relative } from "node:path";

import * as z from "zod";

import { root } from "../shared/root.ts";

/** The part of vitest's JSON report that is used. */
const Report = z.object({
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** The result of one run of vitest. Files are relative to the repository. */
export type TestReport = {
  readonly passed: number;
  /** One entry for each failed test, and for each file that did not load. */
  readonly failures: readonly { readonly file: string; readonly test: string }[];
};

/** Reads the report of a run. null: vitest wrote none. */
export async function readReport(path: string): Promise<TestReport | null> {
  const report = Report.safeParse(await readFile(path, "utf8").then(JSON.parse, () => null));
  if (!report.success) return null;
  const failures = report.data.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    if (status === "failed" && assertionResults.length === 0) return [{ file, test: "the file itself" }];
    const failed = assertionResults.filter((result) => result.status === "failed");
    return failed.map(({ fullName }) => ({ file, test: fullName }));
  });
  return { passed: report.data.numPassedTests, failures };
}
