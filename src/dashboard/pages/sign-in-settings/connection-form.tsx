import { useState } from "preact/hooks";

import {
  type Connection,
  CreateConnectionInput,
  JoinPolicy,
  UpdateConnectionInput,
} from "#contract/endpoints/connections/schemas.ts";
import { connectionsApi } from "#dashboard/data/provider-sign-in.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { newGrant } from "#dashboard/pages/members/grant-draft.ts";
import { GrantFields } from "#dashboard/pages/members/grant-fields.tsx";
import {
  changesIn,
  type ConnectionDraft,
  connectionIn,
  draftOf,
  newConnection,
} from "#dashboard/pages/sign-in-settings/connection-draft.ts";
import { GroupFields } from "#dashboard/pages/sign-in-settings/group-fields.tsx";
import { Advanced } from "#dashboard/shared/advanced.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

const joinLabels: Readonly<Record<JoinPolicy, string>> = {
  off: "Nobody: members add it in their profile, or accept an invitation by it",
  invited: "People with an invitation for their address",
  domain: "Everybody with an address of the domains",
  group: "Everybody in a group that has access",
};

/** The callback to register at the provider. */
const CALLBACK = `${location.origin}/app/sign-in/callback`;

type Props = {
  /** null: a new one. */
  readonly connection: Connection | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
};

/** Creates or changes a connection. */
export function ConnectionForm({ connection, onSaved, onClose }: Props) {
  const [draft, setDraft] = useState(connection === null ? newConnection : draftOf(connection));
  const change = (part: Partial<ConnectionDraft>) => setDraft((before) => ({ ...before, ...part }));
  const created = readForm(CreateConnectionInput, connectionIn(draft));
  const changed = readForm(UpdateConnectionInput, changesIn(draft));
  const { errors } = connection === null ? created : changed;
  const saving = useAction(async () => {
    if (connection === null) return await connectionsApi.createConnection({ body: connectionIn(draft) });
    return await connectionsApi.updateConnection({
      params: { connection_id: connection.id },
      body: changesIn(draft),
    });
  });
  const save = async () => {
    const isValid = connection === null ? created.ok : changed.ok;
    if (isValid && (await saving.run()) !== null) onSaved();
  };
  const isGitHub = draft.kind === "github";
  return (
    <Dialog title={connection === null ? "Add single sign-on" : `Edit ${connection.name}`} onClose={onClose}>
      <Form onSubmit={save}>
        <p>Register this address as the callback (redirect URI) at the provider:</p>
        <Copyable text={connection?.redirect_uri ?? CALLBACK} label="Callback" />
        {connection === null ? (
          <>
            <Choice
              label="Provider"
              value={draft.kind}
              onChange={(kind) => change({ kind: kind === "github" ? "github" : "oidc" })}
            >
              <option value="oidc">OpenID Connect: Okta, Entra, Google, Keycloak and others</option>
              <option value="github">GitHub</option>
            </Choice>
            <Field
              label="Issuer"
              value={draft.issuer}
              onInput={(issuer) => change({ issuer })}
              isCode
              placeholder={isGitHub ? "https://github.com" : "https://acme.okta.com"}
              hint={
                isGitHub
                  ? "Only for GitHub Enterprise."
                  : "The address of the provider. Entra: https://login.microsoftonline.com/TENANT/v2.0. Google: https://accounts.google.com. Keycloak: https://HOST/realms/REALM."
              }
              error={errors["issuer"] ?? null}
            />
          </>
        ) : null}
        <Field
          label="Name"
          value={draft.name}
          onInput={(name) => change({ name })}
          placeholder="Okta"
          hint="The sign-in page shows it."
          error={errors["name"] ?? null}
        />
        <Field
          label="Client ID"
          value={draft.clientId}
          onInput={(clientId) => change({ clientId })}
          isCode
          error={errors["client_id"] ?? null}
        />
        <Field
          label="Client secret (optional)"
          type="password"
          value={draft.clientSecret}
          onInput={(clientSecret) => change({ clientSecret })}
          isCode
          hint={
            connection?.has_client_secret === true
              ? "Empty: it stays as it is. It is never shown."
              : "Empty for a public client."
          }
          error={errors["client_secret"] ?? null}
        />
        <Choice
          label="Who joins by signing in"
          value={draft.join}
          onChange={(join) => change({ join: JoinPolicy.options.find((one) => one === join) ?? "off" })}
        >
          {JoinPolicy.options.map((policy) => (
            <option key={policy} value={policy}>
              {joinLabels[policy]}
            </option>
          ))}
        </Choice>
        <Field
          label="Trusted domains (optional)"
          value={draft.domains}
          onInput={(domains) => change({ domains })}
          placeholder="example.com"
          hint="Verified addresses in them find members and invitations. Of a person who is known, only the provider's own id counts."
          error={errors["domains"] ?? errors["domains.0"] ?? null}
        />
        <GroupFields
          groups={draft.groups}
          onChange={(groups) => change({ groups })}
          errors={errors}
          isGitHub={isGitHub}
        />
        {draft.joinGrants === null ? (
          <Button onClick={() => change({ joinGrants: [newGrant] })}>
            Give access to people without a group
          </Button>
        ) : (
          <fieldset>
            <legend>Without a group</legend>
            <GrantFields
              grants={draft.joinGrants}
              onChange={(joinGrants) => change({ joinGrants })}
              errors={below(errors, "join_grants")}
            />
            <Button variant="subtle" onClick={() => change({ joinGrants: null })}>
              Remove this access
            </Button>
          </fieldset>
        )}
        <Advanced>
          <Field
            label="Scopes"
            value={draft.scopes}
            onInput={(scopes) => change({ scopes })}
            isCode
            placeholder={isGitHub ? "read:user, user:email, read:org" : "openid, email, profile"}
            hint="Add the scope of your provider that gives groups, often groups."
            error={errors["scopes"] ?? null}
          />
          <Field
            label="Claim with the groups"
            value={draft.groupsClaim}
            onInput={(groupsClaim) => change({ groupsClaim })}
            isCode
            error={errors["groups_claim"] ?? null}
          />
          <label class="check">
            <input
              type="checkbox"
              checked={draft.syncGrants}
              onChange={() => change({ syncGrants: !draft.syncGrants })}
            />
            Set the access by groups at each sign-in
          </label>
          <Field
            label="Hours until a session ends"
            type="number"
            value={draft.hours}
            onInput={(hours) => change({ hours })}
            hint="At most 12."
            error={errors["session_hours"] ?? null}
          />
          <Field
            label="Days without a sign-in until personal tokens pause"
            type="number"
            value={draft.tokenDays}
            onInput={(tokenDays) => change({ tokenDays })}
            hint="Empty: they do not pause. A person who signs in again continues their tokens."
            error={errors["token_days"] ?? null}
          />
        </Advanced>
        <ProblemBox problem={saving.problem} doing="Saving" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={saving.isRunning}>
            {connection === null ? "Create" : "Save"}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

/** The errors of the fields below a path, with the paths that `GrantFields` knows. */
export function below(errors: Readonly<Record<string, string>>, path: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).flatMap(([name, text]) =>
      name.startsWith(`${path}.`) ? [[`grants${name.slice(path.length)}`, text]] : [],
    ),
  );
}
