import type { ComponentChildren } from "preact";

import { Button } from "#dashboard/shared/button.tsx";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";

type Props = {
  readonly title: string;
  readonly secret: string;
  readonly what?: "secret" | "token";
  readonly onClose: () => void;
  /** How to use it. */
  readonly children?: ComponentChildren;
};

/** A secret, which is shown once. */
export function SecretDialog({ title, secret, what = "secret", onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy the {what} now. It will not be shown again.</p>
      <Copyable text={secret} label={what === "token" ? "Token" : "Secret"} />
      {children}
      <footer>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
