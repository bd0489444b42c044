import { reportOf } from "../shared/problem.ts";
import { printable, print, red, step, yellow } from "../shared/terminal.ts";

/** What a check found. `note` says what was seen, or why it fails. */
export type Finding = {
  readonly name: string;
  readonly outcome: "works" | "fails" | "not tried";
  readonly note: string;
};

const STOPPED = "the check was stopped";

export type Checklist = {
  readonly findings: readonly Finding[];
  /**
   * Runs a check and shows it. A check that throws fails; the following checks run, unless the signal is aborted.
   * @param work returns a value for later checks, and what was seen as a sentence without a full stop
   * @returns null if the check fails
   */
  check<Value>(
    name: string,
    work: () => Promise<{ readonly value: Value; readonly note: string }>,
  ): Promise<Value | null>;
  /** Records a check that cannot run, and shows it. */
  leaveOut(name: string, why: string): void;
  add(finding: Finding): void;
};

/** @param signal ends the checks: the following checks do not run */
export function createChecklist(signal: AbortSignal): Checklist {
  const findings: Finding[] = [];
  return {
    findings,
    async check(name, work) {
      if (signal.aborted) {
        findings.push({ name, outcome: "not tried", note: STOPPED });
        return null;
      }
      try {
        return await step(name, async () => {
          const { value, note } = await work();
          findings.push({ name, outcome: "works", note });
          return { value, done: `${name}: ${printable(note)}` };
        });
      } catch (error) {
        // Its project and server are being removed.
        if (signal.aborted) {
          findings.push({ name, outcome: "not tried", note: STOPPED });
          return null;
        }
        const note = reportOf(error);
        findings.push({ name, outcome: "fails", note });
        print(red(`  ${note.split("\n").map(printable).join("\n  ")}`));
        return null;
      }
    },
    leaveOut(name, why) {
      findings.push({ name, outcome: "not tried", note: why });
      print(`${yellow("–")} ${name}: not tried, ${why}`);
    },
    add: (finding) => void findings.push(finding),
  };
}
