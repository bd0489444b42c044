import type { Sample } from "./sample.ts";

/** Memory varies with garbage collection; a larger ratio to the early samples counts as growth. */
const MEMORY_SHARE = 1.35;
/** Counts may differ by the work that is under way. */
const COUNT_SLACK = 12;

const memory = ["heap", "workerd", "server", "agent"] as const;
const counts = ["workerFiles", "agentFiles", "linkRows", "hostFiles", "processes"] as const;
/** A lane keeps a hundred deployments that were live (src/domain/lane), and a few more rows. */
const REMEMBERED = 110;

/**
 * Describes the growth between the second quarter of a soak and its end. The first quarter fills everything that is
 * kept on purpose: releases, deployments that were live, caches. A lane also has a row for each start of the last 24
 * hours, by which it recognizes a repeated request (src/worker/objects/project-lane/lane-store.ts).
 *
 * @param projects the number of projects, which have the same number of deployments each
 */
export function growthOf(samples: readonly Sample[], projects: number): string[] {
  const from = Math.floor(samples.length / 4);
  const early = samples.slice(from, from + 3);
  const last = samples.at(-1);
  if (last === undefined || early.length === 0) return ["there are no samples"];
  const mostEarly = (field: keyof Sample) => Math.max(...early.map((sample) => sample[field]));
  const problems: string[] = [];
  for (const field of memory)
    if (last[field] > mostEarly(field) * MEMORY_SHARE)
      problems.push(`${field} has ${last[field]} MB, and had ${mostEarly(field)}`);
  for (const field of counts)
    if (last[field] > mostEarly(field) + COUNT_SLACK)
      problems.push(`${field} is ${last[field]}, and was ${mostEarly(field)}`);
  if (last.laneRows > REMEMBERED + Math.ceil(last.deployments / projects))
    problems.push(`a lane has ${last.laneRows} rows`);
  if (last.objectsTooMany !== 0) problems.push(`${last.objectsTooMany} objects more than deployments`);
  return problems;
}

export function renderSamples(samples: readonly Sample[]): string {
  const fields = ["deployments", ...memory, ...counts, "laneRows", "objectsTooMany"] as const;
  const rows = [fields.map(String), ...samples.map((sample) => fields.map((field) => `${sample[field]}`))];
  const widths = fields.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join("  ")).join("\n");
}
