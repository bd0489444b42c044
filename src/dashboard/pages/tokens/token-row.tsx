import { useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import type { Token, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { ALL, useProjects } from "#dashboard/data/resources.ts";
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
  /** Omitted: its secret cannot be replaced here. */
  readonly rotate?: () => Promise<ClientResult<TokenWithSecret>>;
  readonly onRotated?: (token: TokenWithSecret) => void;
  /** null: it cannot be revoked here. */
  readonly revoke: (() => Promise<ClientResult<unknown>>) | null;
  readonly onRevoked: () => unknown;
  /** Whether to name the person whose token it is. */
  readonly showsMember?: boolean;
};

/** The row of an API token or a session: its permissions, its expiration and the actions on it. */
export function TokenRow(props: Props) {
  const { token, isOwn, rotate, onRotated, revoke, onRevoked, showsMember = false } = props;
  const { value: projects } = useProjects(ALL);
  const [isRevoking, setIsRevoking] = useState(false);
  const rotating = useAction(async (act: NonNullable<typeof rotate>) => await act());
  const isSession = token.kind === "session";
  const isOfRoles = isSession && token.member !== null;
  const items: readonly MenuItem[] = [
    ...(isSession || rotate === undefined
      ? []
      : [
          {
            label: "Rotate",
            onSelect: async () => {
              const rotated = await rotating.run(rotate);
              if (rotated !== null) onRotated?.(rotated.value);
            },
          },
        ]),
    { label: isSession ? "End session" : "Revoke", onSelect: () => setIsRevoking(true), isDanger: true },
  ];
  const cells = {
    name: (
      <>
        {token.name} {isOwn ? <span class="tag">this browser</span> : null}
        {showsMember && token.member !== null ? <p class="quiet">of {token.member.name}</p> : null}
        <ProblemBox problem={rotating.problem} doing="Rotating" />
      </>
    ),
    permissions: isOfRoles ? "What their roles allow" : scopesText(token.scopes),
    projects: isOfRoles
      ? "By role"
      : token.project_ids === null
        ? "All"
        : projectsText(token.project_ids, projects?.projects ?? []),
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
        {revoke !== null ? (
          <Menu label={`Actions for ${token.name}`} items={items} isBusy={rotating.isRunning} />
        ) : null}
        {isRevoking && revoke !== null ? (
          <RemovalDialog
            title={isSession ? "End session" : `Revoke ${token.name}`}
            words={{ button: isSession ? "End session" : "Revoke", doing: "Revoking" }}
            remove={revoke}
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
