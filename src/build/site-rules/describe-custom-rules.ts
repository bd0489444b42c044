import type { CustomRules } from "#build/site-rules/read-custom-rules.ts";
import { HEADERS_FILE, REDIRECTS_FILE } from "#build/site-rules/rule-lines.ts";
import { counted } from "#contract/lib/counted.ts";

/** How many reasons are named, and how many lines for each. */
const MAX_NAMED = 20;
const MAX_LINES = 8;

/** What the files of a site say, and each line that is not used, in lines of the log. */
export function describeCustomRules(rules: CustomRules): readonly string[] {
  const found = countsOf(rules);
  return [...(found === "" ? [] : [found]), ...ruleWarnings(rules).map((text) => `warning: ${text}`)];
}

/** The lines that are not used, and advice. Lines with the same reason are named together. */
export function ruleWarnings({ problems, advice }: CustomRules): readonly string[] {
  const groups = new Map<string, { file: string; reason: string; lines: number[] }>();
  for (const { file, line, reason } of problems) {
    const key = JSON.stringify([file, reason]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { file, reason, lines: [line] });
    else group.lines.push(line);
  }
  const all = [...groups.values()];
  const left = all.slice(MAX_NAMED).flatMap(({ lines }) => lines).length;
  return [
    ...all
      .slice(0, MAX_NAMED)
      .map(({ file, reason, lines }) => `${file}, ${lineText(lines)} not used: ${reason}`),
    ...(left > 0 ? [`${left} more ${left === 1 ? "line is" : "lines are"} not used`] : []),
    ...advice,
  ];
}

/** Such as "lines 2, 3 and 7 are". */
function lineText(lines: readonly number[]): string {
  if (lines.length === 1) return `line ${lines.join("")} is`;
  const shown = lines.slice(0, lines.length > MAX_LINES ? MAX_LINES : -1);
  const last = lines.length > MAX_LINES ? `${lines.length - MAX_LINES} more` : lines.at(-1);
  return `lines ${shown.join(", ")} and ${last} are`;
}

/** Such as "_redirects: 3 redirects". Empty without rules. */
export function countsOf({ redirects, headers }: CustomRules): string {
  return [
    ...(redirects.length === 0 ? [] : [`${REDIRECTS_FILE}: ${counted(redirects.length, "redirect")}`]),
    ...(headers.length === 0 ? [] : [`${HEADERS_FILE}: headers for ${counted(headers.length, "path")}`]),
  ].join(", ");
}
