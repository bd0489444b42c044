import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

import { startedOf } from "../requests.ts";
import type { CommitChange } from "../source.ts";
import type { Scene } from "./point.ts";

const VERDICT_MS = 120_000;

/** Deploys a new commit without a fault. @throws unless it goes live */
export async function deployNext({ installation, site }: Scene, commit?: CommitChange): Promise<Deployment> {
  await site.source.commit(commit);
  const started = startedOf(await installation.requests.start(site.projectId));
  const ended = await installation.api.ended(started.id, VERDICT_MS);
  if (ended.status !== "live")
    throw new Error(`the next deployment did not go live: ${JSON.stringify(ended)}`);
  return ended;
}
