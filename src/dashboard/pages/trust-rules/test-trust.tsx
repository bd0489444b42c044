import { useState } from "preact/hooks";

import type { TrustTest } from "#contract/endpoints/trust-rules/schemas.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { trustApi } from "#dashboard/pages/trust-rules/trust-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

/** Tests a pasted identity token against the trust rules. */
export function TestTrust({ onClose }: { readonly onClose: () => void }) {
  const [token, setToken] = useState("");
  const [result, setResult] = useState<TrustTest | null>(null);
  const testing = useAction(() => trustApi.testTrustRules({ body: { subject_token: token.trim() } }));
  const test = async () => {
    if (token.trim() === "") return;
    const tested = await testing.run();
    setResult(tested?.value ?? null);
  };
  return (
    <Dialog title="Test an identity token" onClose={onClose}>
      <Form onSubmit={test}>
        <Field
          label="Identity token"
          value={token}
          onInput={setToken}
          lines={4}
          isCode
          hint="An expired token is tested too. The test does not use it up."
          error={token.trim() === "" ? "Paste the token of a job." : null}
        />
        <ProblemBox problem={testing.problem} doing="Testing the token" />
        <div role="status">{result === null ? null : <Verdicts result={result} />}</div>
        <footer>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" isBusy={testing.isRunning}>
            Test
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Verdicts({ result: { claims, problem, verdicts } }: { readonly result: TrustTest }) {
  const shown = Object.entries(claims);
  return (
    <>
      {problem === null ? null : <div class="notice">{problem}</div>}
      <ul class="verdicts">
        {verdicts.map(({ trust_rule: rule, problem: why }) => (
          <li key={rule.id}>
            <strong>{rule.name}</strong> {why === null ? "matches." : why}
          </li>
        ))}
      </ul>
      {shown.length === 0 ? null : (
        <details>
          <summary>Claims of the token</summary>
          <pre class="claims">{shown.map(([name, value]) => `${name}=${value}`).join("\n")}</pre>
        </details>
      )}
    </>
  );
}
