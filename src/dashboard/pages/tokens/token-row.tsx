import { useState } from "preact/hooks";

import type { Token, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useMay, useProjects } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Menu, type MenuItem } from "#dashboard/shared/menu.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { TableRow } from "#dashboard/shared/table.tsx";
import { Ago, AgoByHour } from "#dashboard/shared/times.tsx";
import { projectsText, scopesText } from "#dashboard/text/permissions.ts";

/** The columns of a table of tokens. */
export const tokenColumns = {
  name: { title: "Name" },
  permissions: { title: "Permissions" },
  projects: { title: "Projects" },
  used: { title: "Last used" },
  expires: { title: "Expires" },
  actions: { title: "Actions", isActions: true },
} as const;

type Props = {
  readonly token: Token;
  /** This browser is signed in with it. */
  readonly isOwn: boolean;
  readonly onRotated: (token: TokenWithSecret) => void;
  readonly onRevoked: () => unknown;
};

/** The row of an API token or a session: its permissions, its expiration and the actions on it. */
export function TokenRow({ token, isOwn, onRotated, onRevoked }: Props) {
  const { value: projects } = useProjects(ALL);
  const mayChange = useMay("revokeToken");
  const params = { token_id: token.id };
  const [isRevoking, setIsRevoking] = useState(false);
  const rotating = useAction(() => api.rotateToken({ params }));
  const rotate = async () => {
    const rotated = await rotating.run();
    if (rotated !== null) onRotated(rotated.value);
  };
  const isSession = token.kind === "session";
  const items: readonly MenuItem[] = [
    ...(isSession ? [] : [{ label: "Rotate", onSelect: rotate }]),
    { label: isSession ? "End session" : "Revoke", onSelect: () => setIsRevoking(true), isDanger: true },
  ];
  const cells = {
    name: (
      <>
        {token.name} {isOwn ? <span class="tag">this browser</span> : null}
        <ProblemBox problem={rotating.problem} doing="Rotating" />
      </>
    ),
    permissions: scopesText(token.scopes),
    projects: token.project_ids === null ? "All" : projectsText(token.project_ids, projects?.projects ?? []),
    used: token.last_used_at === null ? "never" : <AgoByHour time={token.last_used_at} />,
    expires: (
      <>
        <Ago time={token.expires_at} />
        {token.previous_expires_at === null ? null : (
          <p class="quiet">
            Old secret expires <Ago time={token.previous_expires_at} />
          </p>
        )}
      </>
    ),
    actions: (
      <>
        {mayChange ? (
          <Menu label={`Actions for ${token.name}`} items={items} isBusy={rotating.isRunning} />
        ) : null}
        {isRevoking ? (
          <RemovalDialog
            title={isSession ? "End session" : `Revoke ${token.name}`}
            words={{ button: isSession ? "End session" : "Revoke", doing: "Revoking" }}
            remove={() => api.revokeToken({ params })}
            onClose={() => setIsRevoking(false)}
            onRemoved={onRevoked}
          >
            <p>
              {isSession
                ? "The browser with this session must sign in again."
                : "Programs that use this token lose access immediately. This cannot be undone."}
            </p>
          </RemovalDialog>
        ) : null}
      </>
    ),
  };
  return <TableRow columns={tokenColumns} cells={cells} />;
}
