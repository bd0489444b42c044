import { useState } from "preact/hooks";

import type { Token, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useMay, useProjects } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Ago, AgoByHour } from "#dashboard/shared/times.tsx";
import { projectsText, scopesText } from "#dashboard/text/permissions.ts";

type Props = {
  readonly token: Token;
  /** This browser is signed in with it. */
  readonly isOwn: boolean;
  readonly onRotated: (token: TokenWithSecret) => void;
  readonly onRevoked: () => unknown;
};

/** An API token or a session, with its permissions, its expiration and the actions on it. */
export function TokenCard({ token, isOwn, onRotated, onRevoked }: Props) {
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
  return (
    <article class="card">
      <h3>
        {token.name} {isOwn ? <span class="tag">this browser</span> : null}
      </h3>
      <dl>
        <dt>Permissions</dt>
        <dd>{scopesText(token.scopes)}</dd>
        {token.project_ids === null ? null : (
          <>
            <dt>Projects</dt>
            <dd>{projectsText(token.project_ids, projects?.projects ?? [])}</dd>
          </>
        )}
        <dt>Last used</dt>
        <dd>{token.last_used_at === null ? "never" : <AgoByHour time={token.last_used_at} />}</dd>
        <dt>Expires</dt>
        <dd>
          <Ago time={token.expires_at} />
        </dd>
        {token.previous_expires_at === null ? null : (
          <>
            <dt>Old secret expires</dt>
            <dd>
              <Ago time={token.previous_expires_at} />
            </dd>
          </>
        )}
      </dl>
      <ProblemBox problem={rotating.problem} doing="Rotating" />
      {mayChange ? (
        <div class="actions">
          {isSession ? null : (
            <Button onClick={rotate} isBusy={rotating.isRunning}>
              Rotate
            </Button>
          )}
          <Button onClick={() => setIsRevoking(true)}>{isSession ? "End session" : "Revoke"}</Button>
        </div>
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
    </article>
  );
}
