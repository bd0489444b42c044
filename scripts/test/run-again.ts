import type { TestReport } from "./read-report.ts";

/** More failed files than this are no accident. */
const MOST_FILES = 10;

/** The counts of a run, and the tests that failed at first and passed later. */
export type Counts = { readonly passed: number; readonly failed: number; readonly flaky: readonly string[] };

/** The failed files of a run that deserve a second one. */
export function filesToRepeat({ failures }: TestReport): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  return files.length <= MOST_FILES ? files : [];
}

/** The counts of a run after its failed files ran again. @param again null: the second run has no report */
export function afterSecondRun(first: TestReport, again: TestReport | null): Counts {
  if (again === null) return { passed: first.passed, failed: first.failures.length, flaky: [] };
  const stillFailed = new Set(again.failures.map(({ file, test }) => `${file} ${test}`));
  const flaky = first.failures.filter(({ file, test }) => !stillFailed.has(`${file} ${test}`));
  // A test that passed at first and fails now is counted as failed.
  const failed = again.failures.length;
  const total = first.passed + first.failures.length;
  return { passed: total - failed, failed, flaky: flaky.map(({ file, test }) => `${file}: ${test}`) };
}
