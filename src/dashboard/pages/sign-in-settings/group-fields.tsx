import { newGrant } from "#dashboard/pages/members/grant-draft.ts";
import { GrantFields } from "#dashboard/pages/members/grant-fields.tsx";
import type { GroupDraft } from "#dashboard/pages/sign-in-settings/connection-draft.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Field } from "#dashboard/shared/field.tsx";

type Props = {
  readonly groups: readonly GroupDraft[];
  readonly onChange: (groups: readonly GroupDraft[]) => void;
  readonly errors: Readonly<Record<string, string>>;
  readonly isGitHub: boolean;
};

/** Which groups of the provider give which access. */
export function GroupFields({ groups, onChange, errors, isGitHub }: Props) {
  const change = (at: number, part: Partial<GroupDraft>) =>
    onChange(groups.map((group, index) => (index === at ? { ...group, ...part } : group)));
  const ofGroup = (at: number) => {
    const path = `group_grants.${at}.grants`;
    return Object.fromEntries(
      Object.entries(errors).flatMap(([name, text]) =>
        name.startsWith(path) ? [[name.slice(`group_grants.${at}.`.length), text]] : [],
      ),
    );
  };
  return (
    <>
      {groups.map((group, at) => (
        <fieldset key={at}>
          <legend>{group.group === "" ? `Group ${at + 1}` : `Group ${group.group}`}</legend>
          <Field
            label={isGitHub ? "Number of the organization" : "Group"}
            value={group.group}
            onInput={(value) => change(at, { group: value })}
            isCode
            hint={
              isGitHub
                ? "The test shows the numbers of your organizations."
                : "As the provider writes it. Keycloak may write a slash before it, and Entra writes object IDs."
            }
            error={errors[`group_grants.${at}.group`] ?? null}
          />
          <GrantFields
            grants={group.grants}
            onChange={(grants) => change(at, { grants })}
            errors={ofGroup(at)}
          />
          <Button variant="subtle" onClick={() => onChange(groups.filter((_, index) => index !== at))}>
            Remove this group
          </Button>
        </fieldset>
      ))}
      <Button onClick={() => onChange([...groups, { group: "", grants: [newGrant] }])}>
        Give access to a group
      </Button>
    </>
  );
}
