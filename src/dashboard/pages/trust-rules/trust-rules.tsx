import { useState } from "preact/hooks";

import { trustRuleEndpoints } from "#contract/endpoints/trust-rules/endpoints.ts";
import { ALL, useAllowed } from "#dashboard/data/resources.ts";
import { TestTrust } from "#dashboard/pages/trust-rules/test-trust.tsx";
import { TrustDialog } from "#dashboard/pages/trust-rules/trust-dialog.tsx";
import { useTrustRules } from "#dashboard/pages/trust-rules/trust-resources.ts";
import { TrustRow } from "#dashboard/pages/trust-rules/trust-row.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { TokenSections } from "#dashboard/shared/token-sections.tsx";

/** The trust rules of the account, a dialog that adds one, and a dialog that tests an identity token. */
export function TrustRules() {
  const rules = useTrustRules(ALL);
  const mayCreate = useAllowed(trustRuleEndpoints.createTrustRule);
  const [open, setOpen] = useState<"create" | "test" | null>(null);
  const close = () => setOpen(null);
  return (
    <Page
      title="Trust rules"
      sections={<TokenSections page="trust_rules" />}
      actions={
        <>
          <Button onClick={() => setOpen("test")}>Test an identity token</Button>
          {mayCreate ? (
            <Button variant="primary" onClick={() => setOpen("create")}>
              Create a trust rule
            </Button>
          ) : null}
        </>
      }
    >
      <p class="quiet">
        A trust rule lets CI jobs get a token that ends soon. The CI system proves which job it is, so you
        store no secret.
      </p>
      <Show of={rules} what="the trust rules">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No trust rules">
              {mayCreate ? "Create one" : "An admin can create one"} for the repository whose jobs deploy.{" "}
              <code>gantry deploy</code> then finds its token by itself:{" "}
              <a href="/docs/ci">Deploying from CI</a> shows the job.
            </EmptyState>
          ) : (
            <ul class="records" aria-label="Trust rules">
              {rows.map((rule) => (
                <TrustRow key={rule.id} rule={rule} reload={rules.reload} />
              ))}
            </ul>
          )
        }
      </Show>
      {open === "create" ? (
        <TrustDialog
          rule={null}
          onSaved={() => {
            close();
            void rules.reload();
          }}
          onClose={close}
        />
      ) : null}
      {open === "test" ? <TestTrust onClose={close} /> : null}
    </Page>
  );
}
