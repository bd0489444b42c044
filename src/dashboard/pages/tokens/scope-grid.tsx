import { allScopes, type Scope } from "#contract/scopes.ts";
import { toggled } from "#dashboard/shared/checks.tsx";
import { useShownError } from "#dashboard/shared/shown-error.ts";
import { isIncluded, scopeLabel } from "#dashboard/text/permissions.ts";

type Props = {
  readonly chosen: readonly Scope[];
  readonly onChange: (chosen: readonly Scope[]) => void;
  /** Scopes that cannot be chosen here. */
  readonly without?: readonly Scope[];
  /** The validation error; null: none. */
  readonly error: string | null;
};

/** The scopes of one resource. `null`: there is no such scope. */
type Row = {
  readonly name: string;
  /** What the row is about: its widest scope in words. */
  readonly hint: string;
  readonly view: Scope | null;
  readonly change: Scope | null;
};

type SpecialScope = Exclude<Scope, `${string}:read` | `${string}:write`>;

/** The names that differ from the resource's. */
const resourceNames: ReadonlyMap<string, string> = new Map([["audit", "Audit log"]]);
/** What no other scope includes has a row of its own. */
const specialNames: Readonly<Record<SpecialScope, string>> = {
  "deployments:approve": "Approvals",
  "deployments:emergency": "Emergencies",
  "commands:run": "Commands",
};

const isSpecial = (scope: Scope): scope is SpecialScope => Object.hasOwn(specialNames, scope);
const scopeNamed = (name: string): Scope | null => allScopes.find((scope) => scope === name) ?? null;

const rows: readonly Row[] = allScopes.flatMap((scope): Row[] => {
  if (isSpecial(scope))
    return [{ name: specialNames[scope], hint: scopeLabel(scope), view: null, change: scope }];
  const [resource = ""] = scope.split(":");
  const view = scopeNamed(`${resource}:read`);
  // The row of a resource stands where its first scope does.
  if (scope !== (view ?? scope)) return [];
  const change = scopeNamed(`${resource}:write`);
  return [{ name: nameOf(resource), hint: scopeLabel(change ?? scope), view, change }];
});

function nameOf(resource: string): string {
  return resourceNames.get(resource) ?? resource.replace(/^[a-z]/, (first) => first.toUpperCase());
}

/** The permissions of a token: a row for each resource, with a choice to view it and a choice to change it. */
export function ScopeGrid({ chosen, onChange, without = [], error: found }: Props) {
  const { error } = useShownError(found);
  const isOffered = ({ view, change }: Row) =>
    [view, change].some((scope) => scope !== null && !without.includes(scope));
  const cell = (scope: Scope | null) =>
    scope === null || without.includes(scope) ? (
      <td />
    ) : (
      <td>
        <label title={scopeLabel(scope)}>
          <input
            type="checkbox"
            aria-label={scopeLabel(scope)}
            aria-invalid={error !== null}
            checked={chosen.includes(scope) || isIncluded(scope, chosen)}
            disabled={isIncluded(scope, chosen)}
            onChange={() => onChange(toggled(chosen, scope))}
          />
        </label>
      </td>
    );
  return (
    <fieldset>
      <legend>Permissions</legend>
      <table class="scopes">
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">View</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {rows.filter(isOffered).map(({ name, hint, view, change }) => (
            <tr key={name}>
              <th scope="row">
                {name}
                <span class="hint">{hint}</span>
              </th>
              {cell(view)}
              {cell(change)}
            </tr>
          ))}
        </tbody>
      </table>
      {error === null ? null : <p class="error">{error}</p>}
    </fieldset>
  );
}
