import { inTime } from "../eventually.ts";
import type { Host } from "../host.ts";
import type { Installation } from "../installation.ts";
import { siteViolations, settled, visitorViolations } from "../invariants/check.ts";
import { processViolations } from "../invariants/processes.ts";
import { startedOf } from "../requests.ts";
import { createSite, sendVisitor, type Site } from "../site.ts";
import { deployNext } from "./deploy-next.ts";
import { deploying } from "./doings.ts";
import type { FaultPoint, Scene } from "./point.ts";

const SETTLE_MS = 60_000;
const VERDICT_MS = 120_000;

/** Creates a separate site for a point, live and with a visitor. */
export async function openScene(
  installation: Installation,
  host: Host,
  name: string,
  { settings, isApp = false, isFirst = false }: Pick<FaultPoint, "settings" | "isApp" | "isFirst"> = {},
): Promise<Scene> {
  const site = await createSite(installation, host, name, settings?.(installation) ?? {}, isApp);
  const scene: Scene = { installation, host, site };
  if (isFirst) return scene;
  await deployNext(scene);
  await sendVisitor(installation, site);
  return scene;
}

/** Runs a fault point, recovers, and checks that all guarantees hold. */
export async function carryOut(point: FaultPoint, scene: Scene): Promise<void> {
  const { site } = scene;
  await point.prepare?.(scene);
  await site.source.commit(point.commit);
  const moment = await point.at(scene);
  const doing = (point.doing ?? deploying)(scene);
  await inTime(`the moment of "${point.name}" is reached`, moment.reached);
  const fate = await point.fault(scene);
  await moment.go(fate ?? "pass");
  await point.recover?.(scene);
  const started = await inTime("the operation under way is answered", doing);
  if (started !== "nothing started") await expectEnd(point, startedOf(started).id, scene);
  await closeScene(point.name, scene);
}

async function expectEnd({ ends, check }: FaultPoint, id: string, scene: Scene): Promise<void> {
  const { api, ledger } = scene.installation;
  if (ledger.accepted.get(id)?.isDeleted === true) {
    if (!ends.includes("gone")) throw new Error(`expected ${ends.join(" or ")}, but it is deleted`);
    return;
  }
  const ended = await api.ended(id, VERDICT_MS);
  if (!ends.includes(ended.status))
    throw new Error(`expected ${ends.join(" or ")}, but it is ${JSON.stringify(ended)}`);
  await check?.(ended, scene);
}

/** Checks what must hold after every point: the next deployment goes live, and no guarantee is broken. */
async function closeScene(name: string, scene: Scene): Promise<void> {
  const { installation, site } = scene;
  await site.source.gate.open();
  if (site.deletion === null) await deployNext(scene);
  await settled(
    name,
    async () => [...(await siteViolations(installation, site)), ...(await processViolations(installation))],
    SETTLE_MS,
  );
  await leave(site);
}

/** Cleans up after a point that may have failed, so that the next point starts in a working system. */
export async function abandon({ installation, host, site }: Scene): Promise<void> {
  await site.visitor?.leave();
  await site.source.gate.open();
  installation.health.next();
  host.link.slow(0);
  await host.link.open();
  await installation.workerUp();
  await host.startAgent();
}

async function leave(site: Site): Promise<void> {
  await site.visitor?.leave();
  const violations = visitorViolations(site);
  if (violations.length > 0) throw new Error(violations.join("\n"));
  if (site.visitor !== null && site.visitor.requests === 0)
    throw new Error(`no request reached ${site.name}`);
  site.visitor = null;
}
