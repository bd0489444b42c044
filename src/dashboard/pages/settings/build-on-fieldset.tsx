import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Choice } from "#dashboard/shared/field.tsx";

type Props = Pick<SettingsPart, "draft" | "change" | "errors"> & {
  /** The servers of the account. */
  readonly rows: readonly ServerRow[];
  /** Whether the caller may choose another server. */
  readonly mayMove: boolean;
};

/** Where the project is built: on each server, on one for all, or elsewhere. */
export function BuildOnFieldset({ draft, change, errors, rows, mayMove }: Props) {
  return (
    <fieldset>
      <legend>Builds</legend>
      {mayMove ? (
        <Choice
          label="Build on"
          value={draft.build_on}
          onChange={(build_on) => change({ build_on })}
          error={errors["build_on"] ?? null}
          hint="One server builds for all, and they take its build. It can be a server on which the project does not run."
        >
          <option value="">Each server of the project</option>
          {rows.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      ) : null}
      <label class="check">
        <input
          type="checkbox"
          checked={draft.artifact_uploads}
          onChange={(event) => change({ artifact_uploads: event.currentTarget.checked })}
        />
        Accept builds that were made elsewhere, such as in CI
      </label>
      <p class="hint">
        Their files are not compared with the repository: anyone who can deploy then chooses what runs.
      </p>
    </fieldset>
  );
}
