import { useState } from "preact/hooks";

import { signInWith } from "#dashboard/data/session.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { goTo } from "#dashboard/router/navigation.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** Signs in with a recovery code, to add a new passkey. */
export function RecoveryForm() {
  const [code, setCode] = useState("");
  const signingIn = useAction((given: string) => signInWith({ recovery_code: given }));
  const given = code.trim();
  const submit = async () => {
    // The session can only add a passkey.
    if (given !== "" && (await signingIn.run(given)) !== null) goTo({ page: "profile" }, { replace: true });
  };
  const isUnknown = signingIn.problem?.code === "invalid_token";
  return (
    <Form onSubmit={submit}>
      <Field
        label="Recovery code"
        value={code}
        onInput={setCode}
        isCode
        placeholder="gantry_recover_…"
        hint="For when you have lost your passkeys. The code works once, and only to add a new passkey."
        error={given === "" ? "Enter one of your recovery codes." : null}
      />
      {isUnknown ? (
        <p class="problem" role="alert">
          <strong>This code is wrong or was used.</strong> Try another one. Without a code, an admin can
          invite you again.
        </p>
      ) : (
        <ProblemBox problem={signingIn.problem} doing="Signing in" />
      )}
      <Button type="submit" isBusy={signingIn.isRunning}>
        Use the code
      </Button>
    </Form>
  );
}
