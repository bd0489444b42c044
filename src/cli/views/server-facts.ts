import type { IsolationLevel, Server, ServerStatus } from "#contract/endpoints/servers/schemas.ts";
import { policySentences } from "#contract/endpoints/servers/policy-sentences.ts";
import { type InstallPolicy, installPolicyTexts } from "#contract/install-flags.ts";
import type { ProjectId } from "#contract/ids.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { isConnected } from "#contract/endpoints/servers/is-connected.ts";
import { containersText } from "#contract/endpoints/servers/containers-text.ts";
import { toolList } from "#contract/endpoints/servers/tool-list.ts";
import { textOf } from "#contract/growing.ts";
import type { ChosenEnrollment } from "#cli/commands/enrollment-options.ts";
import { printFacts } from "#cli/output/facts.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { type Style, styled } from "#cli/output/style.ts";
import { timeText } from "#cli/output/times.ts";

export const serverStyles = {
  healthy: "green",
  degraded: "yellow",
  offline: "red",
  pending: "cyan",
} as const satisfies Record<ServerStatus, keyof Style>;

const isolationTexts = {
  projects: "isolated: each runs as its own user",
  none: "not isolated: each can read and change the others",
} as const satisfies Record<IsolationLevel, string>;

/** @param nameOf how to show a project */
export function printServer(output: Output, server: Server, nameOf: (id: ProjectId) => string): void {
  const { disk, agent_problem: problem } = server;
  output.json(server);
  const free = disk === null ? null : `${sizeText(disk.free_bytes)} of ${sizeText(disk.total_bytes)} free`;
  printFacts(output, [
    ["name", printableName(server.name)],
    ["id", server.id],
    ["status", styled(output.style, serverStyles, server.status)],
    ["drained", server.draining_since === null ? null : `since ${timeText(server.draining_since, output)}`],
    ["ip", server.ip],
    ["address for balancers", addressText(server)],
    ["region", regionText(server)],
    ["projects", `${server.apps}`],
    ["uptime", server.uptime],
    ["last seen", isConnected(server) ? "connected" : timeText(server.last_seen_at, output)],
    ["agent", server.agent_version === null ? null : printableName(server.agent_version)],
    ["agent problem", problem === null ? null : printable(problem.message)],
    ["two agents", takeoverText(server, output)],
    ["ingress problem", server.ingress_problem === null ? null : printable(server.ingress_problem)],
    ["seal key", server.seal_key?.fingerprint ?? null],
    ["disk", free],
    ["caches", disk?.cache_bytes === undefined ? null : sizeText(disk.cache_bytes)],
    ["images", imagesText(server, nameOf)],
    ["tools", server.tools === null ? null : printable(toolList(server.tools))],
    ["containers", server.containers === null ? null : printable(containersText(server.containers))],
    ["projects are", server.isolation === null ? null : textOf(isolationTexts, server.isolation)],
    ["policy", server.policy === null ? null : textOf(policySentences, server.policy)],
  ]);
}

/** Most servers have no images. */
function imagesText({ disk }: Server, nameOf: (id: ProjectId) => string): string | null {
  const bytes = disk?.image_bytes ?? 0;
  if (bytes === 0) return null;
  const each = (disk?.images ?? []).map((of) => `${nameOf(of.project_id)} ${sizeText(of.bytes)}`);
  return each.length === 0 ? sizeText(bytes) : `${sizeText(bytes)}: ${each.join(", ")}`;
}

/** The projects that the facts of a server name. */
export function namedProjects({ disk }: Server): ProjectId[] {
  return (disk?.images ?? []).map(({ project_id: id }) => id);
}

function takeoverText({ taken_over_at: at }: Server, output: Output): string | null {
  if (at === null) return null;
  return `another machine with this server's credential took over the connection (${timeText(at, output)}). Stop one of the agents, and enrol it as a server of its own.`;
}

function addressText({ address, detected_address: detected }: Server): string | null {
  if (address !== null) return printable(address);
  return detected === null ? null : `${printable(detected)} (detected)`;
}

function regionText({ region, detected_region: detected }: Server): string | null {
  return region ?? (detected === null ? null : `${detected} (detected)`);
}

const policyNotes = {
  strict: `With its strict policy, ${installPolicyTexts.strict}. With --policy open, ${installPolicyTexts.open}. See Servers, The policy, in the documentation.`,
  open: `With its open policy, ${installPolicyTexts.open}, from every repository. Its policy file, /etc/gantry/policy.json on the server, limits that: see Servers, The policy, in the documentation.`,
} as const satisfies Record<InstallPolicy, string>;

/** Prints the install command. Only the command goes to stdout, so that it can be piped. */
export function printEnrollment(output: Output, { enrollment, policy, isListed }: ChosenEnrollment): void {
  const { command, expires_at: expiresAt } = enrollment;
  output.note(
    `Run this command on the server as root. It works once and expires ${timeText(expiresAt, output)}:`,
  );
  output.line(printable(command));
  output.note(policyNotes[policy]);
  if (policy === "strict" && !isListed)
    output.note(
      "A project may still deploy any repository. To limit that to your own, use --repositories 'https://github.com/you/*'.",
    );
}
