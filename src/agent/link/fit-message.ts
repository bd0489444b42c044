import type { FromAgent, ProjectReport } from "#contract/agent-protocol.ts";
import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { wellFormedJson } from "#contract/well-formed.ts";

/** `shortened`: parts were left out. */
export type FittedMessage = {
  readonly kind: "complete" | "shortened";
  readonly json: string;
};

/**
 * The JSON of a message, within the limit of the link: the control plane closes the link of the whole server when a
 * message is longer. The code that builds a long message shortens it first, because that code knows what to leave out.
 * This function is for messages that are still too long, and leaves out a lot.
 * @returns null for a message that is too long in any case
 */
export function fitMessage(message: FromAgent): FittedMessage | null {
  const json = wellFormedJson(message);
  if (json.length <= MAX_LINK_MESSAGE) return { kind: "complete", json };
  const shortened = wellFormedJson(shorten(message));
  return shortened.length <= MAX_LINK_MESSAGE ? { kind: "shortened", json: shortened } : null;
}

const TOO_LONG = "The answer is longer than the server can send.";
const KEPT_RELEASES = 10;

/** An answer stays an answer, so that its request does not wait until its timeout. */
function shorten(message: FromAgent): FromAgent {
  switch (message.type) {
    case "hello":
    case "status":
      return { ...message, tools: undefined, projects: message.projects.map(shortenReport) };
    case "serving":
      return { ...message, project: shortenReport(message.project) };
    case "output": {
      const { lines, left_out: before } = message;
      return { ...message, lines: [], left_out: before === null ? null : before + lines.length };
    }
    case "output_read": {
      const instances = new Set(message.lines.map(({ instance }) => instance));
      const lines = [...instances].slice(0, 100);
      return { ...message, lines: lines.map((instance) => ({ instance, message: `[gantry] ${TOO_LONG}` })) };
    }
    case "tip_moved":
      return { ...message, paths: null };
    case "processes_read":
      return { ...message, processes: message.processes.map((one) => ({ ...one, instances: [] })) };
    case "command_read":
    case "cron_run_read":
      return { ...message, result: { ok: false, code: "failed", message: TOO_LONG } };
    case "commands_listed": {
      const { commands } = message;
      return {
        ...message,
        commands: commands.map(({ id, state }) => ({ id, state: { ...state, message: null } })),
      };
    }
    case "cron_read":
      return { ...message, jobs: message.jobs.map((job) => ({ ...job, runs: [] })) };
    // The schemas of these messages allow no long values.
    case "project_removed":
    case "deploy_key":
    case "repository_tested":
    case "domains_checked":
    case "commit_resolved":
    case "maintenance_set":
    case "pause_set":
      return message;
  }
}

/** Keeps the fields that the control plane compares with its own records. */
function shortenReport({ project_id, release, releases, url }: ProjectReport): ProjectReport {
  return { project_id, release, releases: releases.slice(-KEPT_RELEASES), url };
}
