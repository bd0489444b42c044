import { cachesSize } from "#agent/cache/caches-size.ts";
import { ingressLines } from "#agent/ingress/ingress-status.ts";
import { isolationSentences, supervisorSentences } from "#agent/isolation/isolation.ts";
import { readConnection } from "#agent/context/connection-file.ts";
import { holderOf } from "#agent/lib/home-lock.ts";
import { readSealKey } from "#agent/secrets/seal-key.ts";
import { containersText } from "#contract/endpoints/servers/containers-text.ts";
import { toolList } from "#contract/endpoints/servers/tool-list.ts";
import { readLinkStatus } from "#agent/link/link-status.ts";
import { imageSizes, sumOf } from "#agent/workspace/images-size.ts";
import { sizeText } from "#contract/lib/size-text.ts";

export type AgentStatus = { readonly isConnected: boolean; readonly text: string };

/** Describes the agent of a home folder, for a person at the server and the installer. */
export async function agentStatus(home: string): Promise<AgentStatus> {
  const pid = await holderOf(home);
  const link = await readLinkStatus(home);
  if (pid === null) {
    // A home folder of another user cannot be read; it must not be reported as not enrolled.
    const connection = await readConnection(home);
    const why = connection.kind === "missing" ? "not enrolled" : "not running";
    return { isConnected: false, text: `${why}, in ${home}` };
  }
  if (link === null || link.pid !== pid) return { isConnected: false, text: `starting, as process ${pid}` };
  const what = `version ${link.agent_version}, protocol ${link.protocol}, process ${pid}`;
  const isolation =
    link.isolation === undefined
      ? ""
      : `\n${isolationSentences[link.isolation]}\n${supervisorSentences[link.isolation]}`;
  const policy = link.policy === undefined ? "" : `\npolicy: ${link.policy}`;
  const tools = link.tools === undefined ? "" : `\ntools for builds: ${toolList(link.tools)}`;
  const containers = link.containers === undefined ? "" : `\ncontainers: ${containersText(link.containers)}`;
  const connection = link.connected
    ? `connected to ${link.url} as ${link.server_id} since ${link.since} (${what})`
    : `not connected to ${link.url} since ${link.since}: ${link.reason ?? "connecting"} (${what})`;
  const caches = `\ncaches of projects: ${sizeText(await cachesSize(home))}`;
  const images = sumOf(await imageSizes(home));
  const taken = images === 0 ? caches : `${caches}\nimages of projects: ${sizeText(images)}`;
  const lines = `${await sealKeyLine(home)}${isolation}${policy}${tools}${containers}${await ingressLines(home)}${taken}`;
  return { isConnected: link.connected, text: `${connection}${lines}` };
}

/**
 * The seal key's fingerprint, to compare with the fingerprint that the control plane shows. Only the agent's user can
 * read it.
 */
async function sealKeyLine(home: string): Promise<string> {
  const key = await readSealKey(home).catch(() => null);
  return key === null ? "" : `\nseal key: ${key.shown.fingerprint}`;
}
