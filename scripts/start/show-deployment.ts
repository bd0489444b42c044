import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";

import { bold, cyan, dim, green, print, printable, red, yellow } from "../shared/terminal.ts";
import type { WatchEvents } from "./watch-deployments.ts";

const STAGE_WIDTH = 8;

/**
 * Prints deployments as they happen: a line at the start, each line of the log, a line at the end.
 * @param projectName the name that is printed before the version; null: none
 */
export function showDeployments(projectName: (id: ProjectId) => Promise<string | null>): WatchEvents {
  const names = new Map<ProjectId, string | null>();
  const label = (deployment: Deployment): string => {
    const name = names.get(deployment.project_id) ?? null;
    return `${name === null ? "" : `${printable(name)} `}v${deployment.version}`;
  };
  return {
    async onStarted(deployment) {
      const id = deployment.project_id;
      if (!names.has(id)) names.set(id, await projectName(id));
      const what =
        deployment.kind === "rollback" ? "rollback" : `deployment of ${printable(deployment.branch)}`;
      const queued = deployment.stage === "queued" ? dim(", queued") : "";
      print(`${cyan("▸")} ${bold(label(deployment))} ${what} ${dim(deployment.id)}${queued}`);
    },
    onLine(deployment, line) {
      print(`  ${dim(`${label(deployment)} ${line.stage.padEnd(STAGE_WIDTH)}`)} ${textOf(line)}`);
    },
    onEnded(deployment) {
      print(endOf(deployment, label(deployment)));
    },
  };
}

function textOf(line: LogLine): string {
  const text = printable(line.message);
  if (line.stream === "stderr") return yellow(text);
  return line.stream === "system" ? dim(text) : text;
}

function endOf(deployment: Deployment, label: string): string {
  const commit = deployment.commit === null ? "" : ` at ${deployment.commit}`;
  const duration = dim(durationText(deployment.duration));
  switch (deployment.status) {
    case "live":
      return `${green("✓")} ${bold(label)} is live${commit} ${duration}`;
    case "superseded":
      return `${green("✓")} ${bold(label)} was live${commit}, but a newer deployment is live now ${duration}`;
    case "canceled":
      return `${yellow("■")} ${bold(label)} was canceled ${duration}`;
    case "building":
    case "failed": {
      const { code, message } = deployment.failure ?? { code: "internal", message: "unknown reason" };
      return `${red("✗")} ${bold(label)} failed: ${printable(message)} ${dim(`(${code})`)} ${duration}`;
    }
  }
}
