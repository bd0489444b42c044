import { useState } from "preact/hooks";

import type { Connection } from "#contract/endpoints/connections/schemas.ts";
import { connectionsApi, leaveForProvider, testResult } from "#dashboard/data/provider-sign-in.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { ConnectionForm } from "#dashboard/pages/sign-in-settings/connection-form.tsx";
import { TestResult } from "#dashboard/pages/sign-in-settings/test-result.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

type Props = {
  readonly connection: Connection;
  readonly mayChange: boolean;
  readonly reload: () => Promise<void>;
};

/** A connection: what it does, its test, and the actions of an owner. */
export function ConnectionCard({ connection, mayChange, reload }: Props) {
  const { id, name, issuer, is_forced: isForced } = connection;
  return (
    <section>
      <h2>
        {name} {isForced ? <span class="tag">required</span> : null}
      </h2>
      <p class="quiet">
        {issuer} ·{" "}
        {connection.last_used_at === null ? (
          "never used"
        ) : (
          <>
            last used <Ago time={connection.last_used_at} />
          </>
        )}
      </p>
      {mayChange ? <Actions key={id} connection={connection} reload={reload} /> : null}
    </section>
  );
}

function Actions({ connection, reload }: Omit<Props, "mayChange">) {
  const { id, name, is_forced: isForced } = connection;
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const ended = useSignal(testResult);
  const testing = useAction(() => leaveForProvider({ act: "test", connection_id: id }));
  const [checked, setChecked] = useState<Parameters<typeof TestResult>[0]["test"] | null>(null);
  const test = async () => {
    testResult.set(null);
    const begun = await testing.run();
    // With a problem, the browser stays here.
    const result =
      begun === null
        ? null
        : await connectionsApi.testConnection({ params: { connection_id: id }, body: {} });
    setChecked(result?.ok === true && result.value.problems.length > 0 ? result.value : null);
  };
  const forcing = useAction(() =>
    connectionsApi.updateConnection({ params: { connection_id: id }, body: { is_forced: !isForced } }),
  );
  const force = async () => {
    if ((await forcing.run()) !== null) await reload();
  };
  const shown = ended?.connectionId === id ? ended.test : checked;
  return (
    <>
      <p class="actions">
        <Button onClick={test} isBusy={testing.isRunning} label={`Test ${name}`}>
          Test
        </Button>
        <Button onClick={() => setOpen("edit")} label={`Edit ${name}`}>
          Edit
        </Button>
        <Button onClick={force} isBusy={forcing.isRunning}>
          {isForced ? "Allow passkeys again" : "Require for all members"}
        </Button>
        <Button variant="danger" onClick={() => setOpen("delete")} label={`Delete ${name}`}>
          Delete
        </Button>
      </p>
      <p class="quiet">
        {isForced
          ? "Members sign in only by this. Owners can still use their passkeys."
          : "The test signs you in at the provider, shows what it says of you, and changes nothing."}
      </p>
      <ProblemBox problem={testing.problem} doing="Testing" />
      <ProblemBox problem={forcing.problem} doing="Changing who must use it" />
      {shown === null ? null : <TestResult test={shown} />}
      {open === "edit" ? (
        <ConnectionForm
          connection={connection}
          onClose={() => setOpen(null)}
          onSaved={() => {
            setOpen(null);
            void reload();
          }}
        />
      ) : null}
      {open === "delete" ? (
        <RemovalDialog
          title={`Delete ${name}`}
          remove={() => connectionsApi.deleteConnection({ params: { connection_id: id } })}
          onClose={() => setOpen(null)}
          onRemoved={reload}
        >
          <p>
            Nobody can sign in by it, and the sessions that it gave end. The members stay; those without a
            passkey need a new invitation.
          </p>
        </RemovalDialog>
      ) : null}
    </>
  );
}
