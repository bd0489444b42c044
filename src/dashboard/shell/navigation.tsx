import { useEffect, useState } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { token } from "#contract/endpoints/endpoint-defaults.ts";
import type { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import type { ProjectId } from "#contract/ids.ts";
import { ALL, useAccount, useMay, useMayCall, useProject, useUnfinished } from "#dashboard/data/resources.ts";
import { pathTo, type Route, type Section, sectionOf, sections } from "#dashboard/router/route.ts";
import { approvalObstacle, hasStarted } from "#dashboard/shared/approval-obstacle.ts";
import { useIsSectionShown } from "#dashboard/shared/use-is-section-shown.ts";

/** Deployed things, history, and settings that are made once. */
const groups: readonly (readonly Section[])[] = [
  ["Projects", "Servers", "Charts"],
  ["Events", "Audit log"],
  ["Freezes", "Webhooks", "Members", "Tokens"],
];

/** The lines of each section's picture, in a square of 16. */
const lines: Readonly<Record<Section, string>> = {
  Projects: "M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z",
  Servers: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01",
  Charts: "M2.5 13.5v-5M6.2 13.5v-9M9.8 13.5v-6M13.5 13.5v-11",
  Events: "M1.5 8.5h3l2-5 3 9 2-4h3",
  "Audit log": "M3.5 1.5h9v13h-9zM6 5h4M6 8h4M6 11h2.5",
  Freezes: "M8 1.5v13M2.4 4.75l11.2 6.5M13.6 4.75 2.4 11.25",
  Webhooks: "M9 1.5 3 9h4l-.5 5.5L13 7H8.5z",
  Members:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5a4.5 4.5 0 0 1 9 0M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.4a4.5 4.5 0 0 1 2.5 4.1",
  Tokens: "M6.9 9.1a2.9 2.9 0 1 1-4.1 4.1 2.9 2.9 0 0 1 4.1-4.1l6.6-6.6M10.6 5.4l2.2 2.2",
};

/** The navigation of the account. */
export function Navigation({ route, onLeave }: { readonly route: Route; readonly onLeave: () => void }) {
  const current = sectionOf(route);
  const paths = sections();
  const { value: account } = useAccount(ALL);
  const mayRead = useMay("listDeployments");
  const isShown = useIsSectionShown();
  return (
    <nav aria-label="Main">
      {groups.map((group) => (
        <ul key={group[0]}>
          {group.filter(isShown).map((name) => (
            <li key={name}>
              <a
                href={paths.get(name) ?? pathTo({ page: "overview" })}
                aria-current={current === name ? "page" : undefined}
                onClick={onLeave}
              >
                <Picture lines={lines[name]} />
                {name}
                {name === "Projects" && mayRead && account !== null ? (
                  <MissingApprovals account={account} />
                ) : null}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

/** As of `approveDeployment`, whose schemas the first page does not load. */
const approving = { access: token("deployments:approve") } as const;

/** How many deployments wait for an approval that the caller can give. Renders nothing if none does. */
function MissingApprovals({ account }: { readonly account: Account }) {
  const { value } = useUnfinished(ALL);
  const mayCall = useMayCall();
  const [rules, setRules] = useState<ReadonlyMap<ProjectId, ApprovalRule>>(new Map());
  const waiting = (value?.deployments ?? []).filter(
    ({ waiting_on: on, project_id: id }) => on?.type === "approval" && mayCall(approving, id),
  );
  // The rule of a project excludes nobody else.
  const ruled = waiting.filter((one) => account.member === null || hasStarted(account, one));
  const count = waiting.filter((one) => {
    const rule = ruled.includes(one) ? rules.get(one.project_id) : "required";
    return rule !== undefined && approvalObstacle(account, one, rule) === null;
  }).length;
  const what = count === 1 ? "1 deployment needs approval" : `${count} deployments need approval`;
  return (
    <>
      {[...new Set(ruled.map(({ project_id: id }) => id))].map((id) => (
        <RuleLoader key={id} id={id} onRead={(rule) => setRules((known) => new Map(known).set(id, rule))} />
      ))}
      {count === 0 ? null : (
        <span class="count" role="img" aria-label={what} title={what}>
          {count}
        </span>
      )}
    </>
  );
}

type LoaderProps = { readonly id: ProjectId; readonly onRead: (rule: ApprovalRule) => void };

/** Reads the approval rule of a project while it is mounted. Renders nothing. */
function RuleLoader({ id, onRead }: LoaderProps) {
  const rule = useProject(id).value?.approval;
  useEffect(() => {
    if (rule !== undefined) onRead(rule);
  }, [rule]);
  return null;
}

function Picture({ lines: path }: { readonly lines: string }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
      <path d={path} stroke-width="1.35" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
