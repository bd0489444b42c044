import type { ComponentChildren } from "preact";

import { Button } from "#dashboard/shared/button.tsx";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";

type SecretProps = {
  readonly secret: string;
  readonly what?: "secret" | "token";
  readonly onClose: () => void;
  /** How to use it. */
  readonly children?: ComponentChildren;
};

type Props = SecretProps & { readonly title: string };

/** A secret, which is shown once. */
export function SecretDialog({ title, ...secret }: Props) {
  return (
    <Dialog title={title} onClose={secret.onClose}>
      <ShownSecret {...secret} />
    </Dialog>
  );
}

/** The same in a dialog that takes the place of its form. */
export function ShownSecret({ secret, what = "secret", onClose, children }: SecretProps) {
  return (
    <>
      <p>Copy the {what} now. It will not be shown again.</p>
      <Copyable text={secret} label={what === "token" ? "Token" : "Secret"} replacesForm />
      {children}
      <footer>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </>
  );
}
