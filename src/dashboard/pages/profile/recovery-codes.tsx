import { useState } from "preact/hooks";

import { RECOVERY_CODES } from "#contract/endpoints/profile/schemas.ts";
import { counted } from "#contract/lib/counted.ts";
import { endRecoveryHint } from "#dashboard/data/recovery-hint.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { profileApi } from "#dashboard/pages/profile/profile-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { CopyButton } from "#dashboard/shared/copy.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { saveBlob } from "#dashboard/shared/open-blob.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  /** How many codes have not been used. */
  readonly left: number;
  readonly reload: () => Promise<void>;
};

/** The person's recovery codes: how many are left, and a dialog that creates new ones. */
export function RecoveryCodes({ left, reload }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section>
      <div class="section-head">
        <h2>Recovery codes</h2>
        <Button onClick={() => setIsOpen(true)}>Create recovery codes</Button>
      </div>
      <p class="quiet">
        {left === 0
          ? "You have none. A recovery code signs you in once, to add a new passkey, when you have lost all of yours."
          : `${counted(left, "code")} left. Each signs you in once, to add a new passkey.`}
      </p>
      {isOpen ? (
        <CodesDialog
          left={left}
          onClose={() => {
            setIsOpen(false);
            void reload();
          }}
        />
      ) : null}
    </section>
  );
}

type DialogProps = { readonly left: number; readonly onClose: () => void };

function CodesDialog({ left, onClose }: DialogProps) {
  const creating = useAction(() => profileApi.createRecoveryCodes({ body: {} }));
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const create = async () => {
    const created = await creating.run();
    if (created === null) return;
    endRecoveryHint();
    setCodes(created.value.codes);
  };
  return (
    <Dialog title="Create recovery codes" onClose={onClose}>
      {codes === null ? (
        <>
          <p>
            You get {RECOVERY_CODES} codes, and see them once.{" "}
            {left === 0 ? "" : "They replace the codes that you have."}
          </p>
          <ProblemBox problem={creating.problem} doing="Creating the codes" />
          <footer>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" onClick={create} isBusy={creating.isRunning}>
              Create codes
            </Button>
          </footer>
        </>
      ) : (
        <Codes codes={codes} onClose={onClose} />
      )}
    </Dialog>
  );
}

type CodesProps = { readonly codes: readonly string[]; readonly onClose: () => void };

function Codes({ codes, onClose }: CodesProps) {
  const text = codes.join("\n");
  const save = () =>
    saveBlob(
      new Blob([`Recovery codes of Gantry at ${location.host}\n\n${text}\n`], { type: "text/plain" }),
      "gantry-recovery-codes.txt",
    );
  return (
    <>
      <p>Store them where you find them without this device. They will not be shown again.</p>
      <pre tabIndex={0} aria-label="Recovery codes">
        {text}
      </pre>
      <div class="actions">
        <CopyButton text={text} />
        <Button onClick={save}>Download</Button>
      </div>
      <footer>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </>
  );
}
