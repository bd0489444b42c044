import { accountToken, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ALL, useAccount, useAllowed, useMay, useUnfinished } from "#dashboard/data/resources.ts";
import { pathTo, type Route, type Section, sectionOf, sections } from "#dashboard/router/route.ts";

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
  const mayRead = useMay("listDeployments") && account !== null;
  // As of `listMembers` and `listAuditEntries`, whose schemas the first page does not load.
  const mayListMembers = useAllowed({ access: accountToken("members:read") });
  const mayListAudit = useAllowed({ access: token("audit:read") });
  const mayListTokens = useMay("listTokens");
  const isShown = (name: Section) =>
    (name !== "Members" || mayListMembers) &&
    (name !== "Audit log" || mayListAudit) &&
    (name !== "Tokens" || mayListTokens);
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
                {name === "Projects" && mayRead ? <MissingApprovals /> : null}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

/** How many deployments wait for an approval. Renders nothing if none does. */
function MissingApprovals() {
  const { value } = useUnfinished(ALL);
  const count = value?.deployments.filter(({ waiting_on: waiting }) => waiting?.type === "approval").length;
  if (count === undefined || count === 0) return null;
  const what = count === 1 ? "1 deployment needs approval" : `${count} deployments need approval`;
  return (
    <span class="count" role="img" aria-label={what} title={what}>
      {count}
    </span>
  );
}

function Picture({ lines: path }: { readonly lines: string }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
      <path d={path} stroke-width="1.35" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
