import type { HealthReason, ProjectHealth } from "#contract/endpoints/projects/health.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ProjectId } from "#contract/ids.ts";
import { type PageRoute, pathTo } from "#dashboard/router/route.ts";

type Props = { readonly id: ProjectId; readonly health: ProjectHealth };

/**
 * That a project is degraded, with its first reason, as a link to the output. Renders nothing for a healthy project.
 */
export function Degraded({ id, health: { state, reasons } }: Props) {
  const [first, ...others] = reasons;
  if (state !== "degraded" || first === undefined) return null;
  const more =
    others.length === 0 ? "" : ` and ${others.length} other ${others.length === 1 ? "problem" : "problems"}`;
  return (
    <a href={pathTo(outputOf(id, first).route)}>
      <span class="status degraded">
        Degraded: {withHiddenShown(first.summary)}
        {more}
      </span>
    </a>
  );
}

/** Every reason why a project is degraded, with links to the output. The page shows the ingress's problem by itself. */
export function HealthReasons({ id, health: { state, reasons } }: Props) {
  const shown = reasons.filter(({ type }) => type !== "ingress");
  if (state !== "degraded" || shown.length === 0) return null;
  return (
    <ul class="reasons" aria-label="What does not work">
      {shown.map((reason) => {
        const { route, text } = outputOf(id, reason);
        return (
          <li key={`${reason.type} ${reason.name}`}>
            <ReasonText {...reason} /> <a href={pathTo(route)}>{text}</a>
          </li>
        );
      })}
    </ul>
  );
}

function ReasonText({ type, summary, detail }: HealthReason) {
  const shown = withHiddenShown(detail ?? "");
  // A sentence of its own, which says the same as the summary and more.
  if (type === "certificate" && shown !== "") return <>{shown}.</>;
  return (
    <>
      <strong>{withHiddenShown(summary)}</strong>
      {shown === "" ? "." : `: it ${shown}.`}
    </>
  );
}

/** The page with the details of a reason. */
function outputOf(
  id: ProjectId,
  { type }: HealthReason,
): { readonly route: PageRoute; readonly text: string } {
  switch (type) {
    case "process":
      return { route: { page: "processes", id }, text: "Show the output" };
    case "cron":
      return { route: { page: "commands", id }, text: "Show the runs" };
    case "certificate":
      return { route: { page: "settings_domains", id }, text: "Show the domains" };
    case "ingress":
    default:
      return { route: { page: "project", id }, text: "Show the project" };
  }
}
