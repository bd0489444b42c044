import type { HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { HookSteps } from "#dashboard/pages/pushes/hook-steps.tsx";

type Props = { readonly hook: HookWithSecret; readonly onClose: () => void };

/** The secret of a hook, which is shown once, with the steps that use it. */
export function HookSecret({ hook, onClose }: Props) {
  return (
    <Dialog title="Secret of the hook" onClose={onClose}>
      <p>Copy the secret now. It will not be shown again.</p>
      <Copyable text={hook.secret} label="Secret" />
      <HookSteps hook={hook} />
      <footer>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
