import { useEffect } from "preact/hooks";

import { confirmation } from "#dashboard/data/confirmation.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { lazy } from "#dashboard/shared/lazy.tsx";

const ConfirmDialog = lazy(async () => (await import("#dashboard/after-first-page.ts")).ConfirmDialog);

/** Shows the dialog that asks for a passkey, while an action needs a confirmation. */
export function ConfirmationDialog() {
  const open = useSignal(confirmation);
  // The session has ended, and nobody can answer.
  useEffect(() => () => confirmation.value?.settle(false), []);
  return open === null ? null : <ConfirmDialog onEnd={open.settle} />;
}
