import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { LogPage } from "#contract/endpoints/logs/schemas.ts";

import type { Installation } from "../installation.ts";
import { acknowledgedKey, LINE } from "../ledger.ts";
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
 * Checks that lines are numbered from 1 without a gap, and that the log has the output of each server's build once and in
 * order: all of it where the build finished, and every acknowledged line in any case.
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
  for (const { serverId, hasSwitched } of builtOn(deployment)) {
    const own = lines.filter(({ server_id: id }) => deployment.runs.length === 0 || id === serverId);
    const acknowledged = installation.ledger.acknowledged.get(acknowledgedKey(deployment.id, serverId)) ?? 0;
    const wanted = site.source.commits.get(deployment.commit_sha ?? "")?.lines;
    violations.push(...buildViolations(own, { acknowledged, wanted, hasSwitched }));
  }
  const hasEnd = lines.some(({ stage }) => stage === "end");
  if (deployment.status !== "building" && !hasEnd) violations.push("its log does not say how it ended");
  return violations.map((violation) => `v${deployment.version} ${deployment.id}: ${violation}`);
}

/** The servers that have built a deployment, as far as its log can show that, and whether they have switched. */
function builtOn({
  runs,
  server_id: id,
  evidence,
}: Deployment): { serverId: string; hasSwitched: boolean }[] {
  if (runs.length === 0) return [{ serverId: id, hasSwitched: evidence !== null }];
  return runs
    .filter(({ purpose, status }) => purpose === "deploy" && status !== "skipped")
    .map(({ server_id: serverId, status }) => ({ serverId, hasSwitched: status === "switched" }));
}

type Expected = {
  readonly acknowledged: number;
  readonly wanted: number | undefined;
  readonly hasSwitched: boolean;
};

function buildViolations(lines: Lines, { acknowledged, wanted, hasSwitched }: Expected): string[] {
  const violations: string[] = [];
  const built = lines.filter(({ stage, stream }) => stage === "build" && stream === "stdout");
  const numbers = built.flatMap(({ message }) => Number(LINE.exec(message)?.[1] ?? 0) || []);
  const wrong = numbers.findIndex((number, index) => number !== index + 1);
  if (wrong !== -1)
    violations.push(`the build's line ${wrong + 1} is ${numbers[wrong]}, of ${numbers.length}`);
  if (numbers.length < acknowledged)
    violations.push(`${acknowledged} lines were acknowledged, and ${numbers.length} are there`);
  const isWhole = built.some(({ message }) => message === "built");
  if (isWhole && wanted !== undefined && numbers.length !== wanted)
    violations.push(`the build printed ${wanted} lines, and ${numbers.length} are there`);
  const wasBuilt = lines.some(({ stage }) => stage === "build");
  if (wasBuilt && !isWhole && hasSwitched)
    violations.push("it went live, and the end of its build is not in the log");
  return violations;
}
