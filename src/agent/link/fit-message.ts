import type { FromAgent, ProjectReport } from "#contract/agent-protocol.ts";
import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { isAgentAnswer, shortenAnswer } from "#contract/agent-answers.ts";
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

const KEPT_RELEASES = 10;

function shorten(message: FromAgent): FromAgent {
  if (isAgentAnswer(message)) return shortenAnswer(message);
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
    case "tip_moved":
      return { ...message, paths: null };
    // Its schema allows no long values.
    case "project_removed":
      return message;
  }
}

/** Keeps the fields that the control plane compares with its own records. */
function shortenReport({ project_id, release, releases, url }: ProjectReport): ProjectReport {
  return { project_id, release, releases: releases.slice(-KEPT_RELEASES), url };
}
