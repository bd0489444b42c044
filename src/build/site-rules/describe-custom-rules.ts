import type { CustomRules } from "#build/site-rules/read-custom-rules.ts";
import { HEADERS_FILE, REDIRECTS_FILE } from "#build/site-rules/rule-lines.ts";

/** How many lines are named. */
const MAX_NAMED = 20;

/** What the files of a site say, and each line that is not used, in lines of the log. */
export function describeCustomRules(rules: CustomRules): readonly string[] {
  const found = countsOf(rules);
  const left = rules.problems.length - MAX_NAMED;
  return [
    ...(found === "" ? [] : [found]),
    ...problemLines(rules),
    ...(left > 0 ? [`warning: ${left} more ${left === 1 ? "line is" : "lines are"} not used`] : []),
    ...rules.advice.map((sentence) => `warning: ${sentence}`),
  ];
}

/** Such as "_redirects: 3 redirects". Empty without rules. */
export function countsOf({ redirects, headers }: CustomRules): string {
  const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  return [
    ...(redirects.length === 0
      ? []
      : [`${REDIRECTS_FILE}: ${plural(redirects.length, "redirect", "redirects")}`]),
    ...(headers.length === 0
      ? []
      : [`${HEADERS_FILE}: headers for ${plural(headers.length, "path", "paths")}`]),
  ].join(", ");
}

function problemLines({ problems }: CustomRules): readonly string[] {
  return problems
    .slice(0, MAX_NAMED)
    .map(({ file, line, reason }) => `warning: ${file}, line ${line} is not used: ${reason}`);
}
