import type { ProjectId } from "#contract/ids.ts";
import { ALL, useProjects } from "#dashboard/data/resources.ts";
import { Checks } from "#dashboard/shared/checks.tsx";
import { Choice } from "#dashboard/shared/field.tsx";

type Props = {
  readonly label: string;
  /** null: all projects. */
  readonly chosen: readonly ProjectId[] | null;
  readonly onChange: (chosen: readonly ProjectId[] | null) => void;
  readonly error: string | null;
  /** The projects to choose from; null: also all of them. */
  readonly within?: readonly ProjectId[] | null;
};

/** A choice between all projects and some. */
export function ProjectLimit({ label, chosen, onChange, error, within = null }: Props) {
  const { value } = useProjects(ALL);
  const listed = (value?.projects ?? []).filter(({ id }) => within?.includes(id) ?? true);
  return (
    <>
      <Choice
        label={label}
        value={chosen === null ? "all" : "some"}
        onChange={(reach) => onChange(reach === "some" ? [] : null)}
      >
        {within === null || chosen === null ? (
          <option value="all">All projects, including future ones</option>
        ) : null}
        <option value="some">Only selected projects</option>
      </Choice>
      {chosen === null ? null : (
        <Checks
          legend="Projects"
          options={listed.map(({ id, name }) => ({ value: id, label: name }))}
          chosen={chosen}
          onChange={onChange}
          error={error === null ? null : "Choose at least one."}
          isLong
        />
      )}
    </>
  );
}
