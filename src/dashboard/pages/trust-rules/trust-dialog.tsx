import { useState } from "preact/hooks";

import { TrustProvider, trustProviders } from "#contract/endpoints/trust-rules/providers.ts";
import { forbiddenJobScopes, type TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { allScopes } from "#contract/scopes.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { ScopeGrid } from "#dashboard/pages/tokens/scope-grid.tsx";
import {
  draftOfTrust,
  type LimitKind,
  limitsOf,
  newTrust,
  readNewTrust,
  readTrustChange,
  type TrustDraft,
} from "#dashboard/pages/trust-rules/trust-draft.ts";
import { trustApi } from "#dashboard/pages/trust-rules/trust-resources.ts";
import { limitLabels, subjectHints, subjectLabels } from "#dashboard/pages/trust-rules/trust-texts.ts";
import { Advanced } from "#dashboard/shared/advanced.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ProjectLimit } from "#dashboard/shared/project-limit.tsx";

type Props = {
  /** The rule to change; null: a new one. */
  readonly rule: TrustRule | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
};

/** A form for a trust rule. Its CI system, issuer and subject cannot change later. */
export function TrustDialog({ rule, onSaved, onClose }: Props) {
  const [draft, setDraft] = useState(() => (rule === null ? newTrust : draftOf(rule)));
  const form = rule === null ? readNewTrust(draft) : null;
  const changing = rule === null ? null : readTrustChange(draft);
  const errors = (form ?? changing)?.errors ?? {};
  const saving = useAction(async () => {
    if (rule === null) {
      if (form?.ok !== true) throw new Error("the form is not valid");
      return await trustApi.createTrustRule({ body: form.value });
    }
    if (changing?.ok !== true) throw new Error("the form is not valid");
    return await trustApi.updateTrustRule({ params: { trust_rule_id: rule.id }, body: changing.value });
  });
  const change = (part: Partial<TrustDraft>) => setDraft((before) => ({ ...before, ...part }));
  const save = async () => {
    const isValid = form?.ok === true || changing?.ok === true;
    if (isValid && (await saving.run()) !== null) onSaved();
  };
  return (
    <Dialog title={rule === null ? "Create a trust rule" : `Edit ${rule.name}`} onClose={onClose}>
      <Form onSubmit={save}>
        <Field
          label="Name"
          value={draft.name}
          onInput={(name) => change({ name })}
          placeholder="shop, main"
          hint="Deployments show it as who started them."
          error={errors["name"] ?? null}
        />
        {rule === null ? <Trusted draft={draft} change={change} errors={errors} /> : null}
        {rule === null ? null : <Claims label="Claims" draft={draft} change={change} errors={errors} />}
        <ScopeGrid
          chosen={draft.scopes}
          onChange={(scopes) => change({ scopes })}
          without={forbiddenJobScopes}
          error={errors["scopes"] === undefined ? null : "Choose at least one."}
        />
        <ProjectLimit
          label="Access"
          chosen={draft.project_ids}
          onChange={(ids) => change({ project_ids: ids })}
          error={errors["project_ids"] ?? null}
        />
        <Advanced>
          {rule === null ? <MoreTrusted draft={draft} change={change} errors={errors} /> : null}
          <Field
            label="Minutes until a token expires"
            type="number"
            value={draft.minutes}
            onInput={(minutes) => change({ minutes })}
            hint="From 5 to 120."
            error={errors["lifetime_minutes"] ?? null}
          />
        </Advanced>
        {rule === null ? null : (
          <p class="hint">Changing claims, permissions or projects revokes the tokens of running jobs.</p>
        )}
        <ProblemBox
          problem={saving.problem}
          doing={rule === null ? "Creating the trust rule" : "Saving the trust rule"}
        />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={saving.isRunning}>
            {rule === null ? "Create trust rule" : "Save"}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function draftOf(rule: TrustRule): TrustDraft {
  const provider = TrustProvider.options.find((one) => one === rule.provider) ?? "other";
  return draftOfTrust(
    rule,
    provider,
    allScopes.filter((scope) => rule.scopes.includes(scope)),
  );
}

type FieldsProps = {
  readonly draft: TrustDraft;
  readonly change: (part: Partial<TrustDraft>) => void;
  readonly errors: Readonly<Record<string, string>>;
};

/** The fields of a new rule that cannot change later, and the usual limit. */
function Trusted({ draft, change, errors }: FieldsProps) {
  const { provider } = draft;
  const spec = trustProviders[provider];
  const limits = limitsOf(provider);
  return (
    <>
      <Choice
        label="CI system"
        value={provider}
        onChange={(value) => {
          const chosen = TrustProvider.options.find((one) => one === value) ?? "github";
          const limit = limitsOf(chosen).includes(draft.limit) ? draft.limit : "branch";
          change({ provider: chosen, limit });
        }}
      >
        {TrustProvider.options.map((one) => (
          <option key={one} value={one}>
            {trustProviders[one].label}
          </option>
        ))}
      </Choice>
      {spec.issuer === null ? <Issuer draft={draft} change={change} errors={errors} /> : null}
      <Field
        label={subjectLabels[provider]}
        value={draft.subject}
        onInput={(subject) => change({ subject })}
        isCode
        hint={subjectHints[provider]}
        error={errors["subject"] ?? null}
      />
      {limits.length === 0 ? null : (
        <div class="columns">
          <Choice
            label="Only jobs of"
            value={draft.limit}
            onChange={(value) => change({ limit: limits.find((one) => one === value) ?? "branch" })}
          >
            {limits.map((kind: LimitKind) => (
              <option key={kind} value={kind}>
                {limitLabels[kind]}
              </option>
            ))}
          </Choice>
          <Field
            label={limitLabels[draft.limit]}
            value={draft.limitNames}
            onInput={(limitNames) => change({ limitNames })}
            hint={
              provider === "bitbucket" && draft.limit === "environment"
                ? "The UUID, with its braces."
                : "Separate several with commas."
            }
          />
        </div>
      )}
    </>
  );
}

/** Fields that few new rules need. */
function MoreTrusted(props: FieldsProps) {
  const { provider } = props.draft;
  return (
    <>
      {provider === "github" || provider === "gitlab" ? <Issuer {...props} /> : null}
      <Claims label="More claims" {...props} />
    </>
  );
}

function Issuer({ draft, change, errors }: FieldsProps) {
  const { issuer, issuerForm } = trustProviders[draft.provider];
  return (
    <Field
      label="Issuer"
      value={draft.issuer}
      onInput={(given) => change({ issuer: given })}
      placeholder={issuer ?? "https://"}
      isCode
      {...(issuerForm === null ? {} : { hint: `Such as ${issuerForm.example}.` })}
      error={errors["issuer"] ?? null}
    />
  );
}

function Claims({ label, draft, change, errors }: FieldsProps & { readonly label: string }) {
  return (
    <Field
      label={label}
      value={draft.claims}
      onInput={(claims) => change({ claims })}
      lines={4}
      isCode
      hint="One per line, as NAME=VALUE. Repeat a name to allow several values."
      error={errors["claims"] ?? null}
    />
  );
}
