import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { LogPage } from "#contract/endpoints/logs/schemas.ts";

import type { Installation } from "../installation.ts";
import { LINE } from "../ledger.ts";
import type { Site } from "../site.ts";

type Lines = LogPage["lines"];

async function readLog({ api }: Pick<Installation, "api">, id: string): Promise<Lines | string> {
  const lines: Lines = [];
  for (let cursor: string | null = ""; ;) {
    const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await api.call("GET", `/v1/logs/${id}?limit=1000${from}`);
    if (answer.status !== 200) return `its log is answered with ${answer.status} ${answer.text}`;
    const page = LogPage.parse(answer.json);
    lines.push(...page.lines);
    if (page.next_cursor === null || page.lines.length === 0) return lines;
    cursor = page.next_cursor;
  }
}

/**
 * Checks that lines are numbered from 1 without a gap, and that the log has the build's output once and in order: all of
 * it where the build finished, and every acknowledged line in any case.
 */
export async function logViolations(
  installation: Pick<Installation, "api" | "ledger">,
  site: Site,
  deployment: Deployment,
): Promise<string[]> {
  const lines = await readLog(installation, deployment.id);
  if (typeof lines === "string") return [`v${deployment.version}: ${lines}`];
  const violations: string[] = [];
  const gap = lines.findIndex(({ line }, index) => line !== index + 1);
  if (gap !== -1) violations.push(`line ${gap + 1} of the log is numbered ${lines[gap]?.line}`);
  const built = lines.filter(({ stage, stream }) => stage === "build" && stream === "stdout");
  const numbers = built.flatMap(({ message }) => Number(LINE.exec(message)?.[1] ?? 0) || []);
  const wrong = numbers.findIndex((number, index) => number !== index + 1);
  if (wrong !== -1)
    violations.push(`the build's line ${wrong + 1} is ${numbers[wrong]}, of ${numbers.length}`);
  const acknowledged = installation.ledger.acknowledged.get(deployment.id) ?? 0;
  if (numbers.length < acknowledged)
    violations.push(`${acknowledged} lines were acknowledged, and ${numbers.length} are there`);
  const isWhole = built.some(({ message }) => message === "built");
  const wanted = site.source.commits.get(deployment.commit_sha ?? "")?.lines;
  if (isWhole && wanted !== undefined && numbers.length !== wanted)
    violations.push(`the build printed ${wanted} lines, and ${numbers.length} are there`);
  const wasBuilt = lines.some(({ stage }) => stage === "build");
  if (wasBuilt && !isWhole && deployment.evidence !== null)
    violations.push("it went live, and the end of its build is not in the log");
  const hasEnd = lines.some(({ stage }) => stage === "end");
  if (deployment.status !== "building" && !hasEnd) violations.push("its log does not say how it ended");
  return violations.map((violation) => `v${deployment.version} ${deployment.id}: ${violation}`);
}
