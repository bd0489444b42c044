import { useState } from "preact/hooks";

import { trustRuleEndpoints } from "#contract/endpoints/trust-rules/endpoints.ts";
import { specOf } from "#contract/endpoints/trust-rules/providers.ts";
import type { TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { ALL, useAllowed, useProjects } from "#dashboard/data/resources.ts";
import { claimLines } from "#dashboard/pages/trust-rules/trust-draft.ts";
import { TrustDialog } from "#dashboard/pages/trust-rules/trust-dialog.tsx";
import { trustApi } from "#dashboard/pages/trust-rules/trust-resources.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { projectsText, scopesText } from "#dashboard/text/permissions.ts";

type Props = {
  readonly rule: TrustRule;
  readonly reload: () => Promise<void>;
};

/** A trust rule: whose jobs it trusts, and what they get. */
export function TrustRow({ rule, reload }: Props) {
  const { id, name, provider, subject, subject_claim: claim, scopes, project_ids: projectIds } = rule;
  const { value: projects } = useProjects(ALL);
  const mayChange = useAllowed(trustRuleEndpoints.updateTrustRule, projectIds);
  const spec = specOf(provider);
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const close = () => setOpen(null);
  const where = projectIds === null ? "all projects" : projectsText(projectIds, projects?.projects ?? []);
  return (
    <li class="record trust">
      <div class="line">
        <span class="title">
          <strong>{name}</strong> {spec?.label ?? provider}
        </span>
        <span class="quiet when">
          {rule.last_used_at === null ? (
            "never used"
          ) : (
            <>
              used <Ago time={rule.last_used_at} />
            </>
          )}
        </span>
      </div>
      <p class="quiet">
        {scopesText(scopes)}, for {where}, for {rule.lifetime_minutes} minutes
      </p>
      <pre class="claims">{`${claim}=${subject}\n${claimLines(rule.claims)}`.trim()}</pre>
      {mayChange ? (
        <div class="actions">
          {spec !== null ? (
            <Button variant="subtle" label={`Edit ${name}`} onClick={() => setOpen("edit")}>
              Edit
            </Button>
          ) : null}
          <Button variant="subtle" label={`Delete ${name}`} onClick={() => setOpen("delete")}>
            Delete
          </Button>
        </div>
      ) : null}
      {open === "edit" ? (
        <TrustDialog
          rule={rule}
          onSaved={() => {
            close();
            void reload();
          }}
          onClose={close}
        />
      ) : null}
      {open === "delete" ? (
        <RemovalDialog
          title={`Delete ${name}`}
          remove={() => trustApi.deleteTrustRule({ params: { trust_rule_id: id } })}
          onClose={close}
          onRemoved={reload}
        >
          <p>Its jobs get no more tokens, and the tokens that they have are revoked.</p>
        </RemovalDialog>
      ) : null}
    </li>
  );
}
