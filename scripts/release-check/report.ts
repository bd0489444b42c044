import type { Finding } from "./checklist.ts";

type ReportHead = {
  readonly url: string;
  /** Of the sources that the check ran from. */
  readonly version: string;
  /** In Unix milliseconds. */
  readonly startedAt: number;
};

/** The findings as a Markdown document. */
export function reportText({ url, version, startedAt }: ReportHead, findings: readonly Finding[]): string {
  const rows = findings.map(
    ({ name, outcome, note }) => `| ${cell(name)} | ${outcome} | ${cell(note.trim())} |`,
  );
  return [
    `# Check of ${url}`,
    "",
    `Version ${version}, ${new Date(startedAt).toISOString()}: ${countText(findings)}.`,
    "",
    "| Check | Outcome | Seen |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** For example `12 work, 0 fail, 3 not tried`. */
export function countText(findings: readonly Finding[]): string {
  const count = (outcome: Finding["outcome"]) =>
    findings.filter((finding) => finding.outcome === outcome).length;
  return `${count("works")} work, ${count("fails")} fail, ${count("not tried")} not tried`;
}

/** A table's cell is one line, and a vertical line would end it. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ");
}
