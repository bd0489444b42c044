import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import { stageLabels } from "#contract/stages.ts";
import { code, link, plain } from "#action/markdown.ts";
import { causeLines } from "#action/outcome.ts";

export type Summary = {
  /** The project's name; null if the token may not read it. */
  readonly project: string | null;
  /** How the deployment ended, such as `is live`. */
  readonly outcome: string;
  readonly deployment: Deployment;
  /** Its page in the dashboard. */
  readonly page: string;
  /** Where its site is; null if unknown. */
  readonly site: string | null;
};

/** The summary of a deployment for the page of the run, in Markdown. Every value in it can come from a commit or an app. */
export function summaryText({ project, outcome, deployment, page, site }: Summary): string {
  const { version, branch, commit, commit_message: message, failure, stages, duration } = deployment;
  const [subject = ""] = (message ?? "").split("\n");
  const rows = stages.map(({ stage, duration: seconds }) => [stageLabels[stage], durationText(seconds)]);
  const cause = failure === null ? [] : causeLines(failure);
  return [
    `### ${project === null ? "" : `${plain(project)} `}v${version} ${plain(outcome)}`,
    `${code(branch)}${commit === null ? "" : ` at ${code(commit)}`}${subject === "" ? "" : ` ${code(subject)}`}`,
    ...(failure === null ? [] : [`**${plain(failure.message)}** (${code(failure.code)})`]),
    ...(cause.length === 0 ? [] : [cause.map(code).join("<br>")]),
    ...(rows.length === 0
      ? []
      : [
          [
            "| Stage | Time |",
            "|---|---:|",
            ...[...rows, ["Total", durationText(duration)]].map(rowText),
          ].join("\n"),
        ]),
    `${link(page, "Open in Gantry")}${site === null ? "" : ` · ${link(site, site)}`}`,
  ].join("\n\n");
}

const rowText = (cells: readonly string[]): string => `| ${cells.map(plain).join(" | ")} |`;
