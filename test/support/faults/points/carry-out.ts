import type { Deployment } from "#contract/deployments.ts";

import { inTime } from "../eventually.ts";
import type { Host } from "../host.ts";
import type { Installation } from "../installation.ts";
import { siteViolations, settled, visitorViolations } from "../invariants/check.ts";
import { processViolations } from "../invariants/processes.ts";
import type { StartEnd } from "../requests.ts";
import { createSite, sendVisitor, type Site } from "../site.ts";
import type { FaultPoint, Scene } from "./point.ts";

const SETTLE_MS = 20_000;
const VERDICT_MS = 40_000;

/** A site of its own for a point, live and with a visitor. */
export async function openScene(
  installation: Installation,
  host: Host,
  name: string,
  settings: Record<string, unknown> = {},
): Promise<Scene> {
  const site = await createSite(installation, host, name, settings);
  const scene = { installation, host, site };
  await deployNext(scene);
  await sendVisitor(installation, site);
  return scene;
}

/** Deploys a new commit with nothing going wrong. @throws unless it goes live */
export async function deployNext({ installation, site }: Scene): Promise<Deployment> {
  await site.source.commit();
  const started = startedOf(await installation.requests.start(site.projectId));
  const ended = await installation.api.ended(started.id, VERDICT_MS);
  if (ended.status !== "live")
    throw new Error(`the next deployment does not go live: ${JSON.stringify(ended)}`);
  return ended;
}

export function startedOf(end: StartEnd): { readonly id: string; readonly version: number } {
  if (end === null) throw new Error("a start was never answered");
  if ("refused" in end) throw new Error(`a start was refused: ${end.refused}`);
  return end;
}

/** Lets a point happen, puts everything right, and looks whether everything that was promised holds. */
export async function carryOut(point: FaultPoint, scene: Scene): Promise<void> {
  const { installation, site } = scene;
  if (point.under === "rollback") await deployNext(scene);
  else await site.source.commit(point.commit);
  const moment = await point.at(scene);
  const starting =
    point.under === "rollback"
      ? installation.requests.rollBack(site.projectId)
      : installation.requests.start(site.projectId);
  await inTime(`the moment of "${point.name}" is reached`, moment.reached);
  const fate = await point.fault(scene);
  await moment.go(fate ?? "pass");
  await point.recover?.(scene);
  const started = startedOf(await inTime("the start is answered", starting));
  const ended = await installation.api.ended(started.id, VERDICT_MS);
  if (!point.ends.includes(ended.status))
    throw new Error(`it should be ${point.ends.join(" or ")}, and is ${JSON.stringify(ended)}`);
  await point.check?.(ended, scene);
  await closeScene(point.name, scene);
}

/** What must hold after every point: the next deployment works, and nothing of what was promised is broken. */
export async function closeScene(name: string, scene: Scene): Promise<void> {
  const { installation, site } = scene;
  await deployNext(scene);
  await settled(
    name,
    async () => [...(await siteViolations(installation, site)), ...(await processViolations(installation))],
    SETTLE_MS,
  );
  await leave(site);
}

async function leave(site: Site): Promise<void> {
  await site.visitor?.leave();
  const violations = visitorViolations(site);
  if (violations.length > 0) throw new Error(violations.join("\n"));
  if (site.visitor?.requests === 0) throw new Error(`nobody could visit ${site.name}`);
  site.visitor = null;
}
