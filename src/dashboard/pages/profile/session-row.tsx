import { useState } from "preact/hooks";

import type { Token } from "#contract/endpoints/tokens/schemas.ts";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { TableRow } from "#dashboard/shared/table.tsx";
import { Ago, AgoByHour } from "#dashboard/shared/times.tsx";
import { minuteText } from "#dashboard/text/times.ts";

/** The columns of the table of a person's sessions. */
export const sessionColumns = {
  start: { title: "Signed in" },
  used: { title: "Last used" },
  expires: { title: "Expires" },
  actions: { title: "Actions", isActions: true },
} as const;

type Props = {
  readonly session: Token;
  /** It is the session of this browser. */
  readonly isOwn: boolean;
  readonly reload: () => Promise<void>;
};

/** A session of the person who is signed in. */
export function SessionRow({ session, isOwn, reload }: Props) {
  const { id, created_at: start, last_used_at: used } = session;
  const [isEnding, setIsEnding] = useState(false);
  const cells = {
    start: (
      <>
        <Ago time={start} /> {isOwn ? <span class="tag">this browser</span> : null}
      </>
    ),
    used: used === null ? "never" : <AgoByHour time={used} />,
    expires: <Ago time={session.expires_at} />,
    actions: (
      <>
        <Button
          variant="subtle"
          label={`End session of ${minuteText(start)}`}
          onClick={() => setIsEnding(true)}
        >
          End session
        </Button>
        {isEnding ? (
          <RemovalDialog
            title="End session"
            words={{ button: "End session", doing: "Ending the session" }}
            remove={() => profileApi.revokeOwnToken({ params: { token_id: id } })}
            onClose={() => setIsEnding(false)}
            onRemoved={reload}
          >
            <p>The browser with this session must sign in again.</p>
          </RemovalDialog>
        ) : null}
      </>
    ),
  };
  return <TableRow columns={sessionColumns} cells={cells} />;
}
