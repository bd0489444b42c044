import { readConnection } from "#agent/context/connection-file.ts";
import { holderOf } from "#agent/lifecycle/home-lock.ts";
import { readLinkStatus } from "#agent/link/link-status.ts";

/** `pid`: the agent that works in the home folder; `null` where none does. */
export type AgentStatus = {
  readonly isConnected: boolean;
  readonly pid: number | null;
  readonly text: string;
};

/** What a person at the server, or the installer, wants to know of the agent in a home folder. */
export async function agentStatus(home: string): Promise<AgentStatus> {
  const pid = await holderOf(home);
  const link = await readLinkStatus(home);
  if (pid === null) {
    // Of a home that belongs to another user nothing can be read, and it is not said to be empty.
    const connection = await readConnection(home);
    const why = connection.kind === "missing" ? "not enrolled" : "not running";
    return { isConnected: false, pid, text: `${why}, in ${home}` };
  }
  if (link === null || link.pid !== pid)
    return { isConnected: false, pid, text: `starting, as process ${pid}` };
  const what = `version ${link.agent_version}, protocol ${link.protocol}, process ${pid}`;
  return {
    isConnected: link.connected,
    pid,
    text: link.connected
      ? `connected to ${link.url} as ${link.server_id} since ${link.since} (${what})`
      : `not connected to ${link.url} since ${link.since}: ${link.reason ?? "connecting"} (${what})`,
  };
}
