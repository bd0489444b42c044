import { ExtraScope, Role } from "#contract/roles.ts";
import { type GrantDraft, newGrant } from "#dashboard/pages/members/grant-draft.ts";
import { extraLabels, roleHints, roleLabels } from "#dashboard/pages/members/grant-texts.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Checks } from "#dashboard/shared/checks.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { ProjectLimit } from "#dashboard/shared/project-limit.tsx";

type Props = {
  readonly grants: readonly GrantDraft[];
  readonly onChange: (grants: readonly GrantDraft[]) => void;
  /** By path, such as `grants.0.project_ids`. */
  readonly errors: Readonly<Record<string, string>>;
};

/** What a person may do: one or more roles, each in all projects or in some. */
export function GrantFields({ grants, onChange, errors }: Props) {
  const change = (at: number, part: Partial<GrantDraft>) =>
    onChange(grants.map((grant, index) => (index === at ? { ...grant, ...part } : grant)));
  return (
    <>
      {grants.map((grant, at) => (
        <fieldset key={at} class="grant">
          <legend>{grants.length === 1 ? "Access" : `Access ${at + 1}`}</legend>
          <Choice
            label="Role"
            value={grant.role}
            onChange={(value) =>
              change(at, { role: Role.options.find((role) => role === value) ?? "viewer" })
            }
            hint={roleHints[grant.role]}
          >
            {Role.options.map((role) => (
              <option key={role} value={role}>
                {roleLabels[role]}
              </option>
            ))}
          </Choice>
          <ProjectLimit
            label="For"
            chosen={grant.project_ids}
            onChange={(ids) => change(at, { project_ids: ids === null ? null : [...ids] })}
            error={errors[`grants.${at}.project_ids`] ?? null}
          />
          {grant.role === "admin" ? null : (
            <Checks
              legend="Also allowed"
              options={ExtraScope.options.map((value) => ({ value, label: extraLabels[value] }))}
              chosen={grant.extra_scopes}
              onChange={(extras) => change(at, { extra_scopes: [...extras] })}
            />
          )}
          {grants.length === 1 ? null : (
            <Button
              variant="subtle"
              label={`Remove access ${at + 1}`}
              onClick={() => onChange(grants.filter((_, index) => index !== at))}
            >
              Remove
            </Button>
          )}
        </fieldset>
      ))}
      <Button onClick={() => onChange([...grants, newGrant])}>Add another role</Button>
    </>
  );
}
