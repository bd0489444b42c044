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
};

/** A choice between all projects and some. */
export function ProjectLimit({ label, chosen, onChange, error }: Props) {
  const { value } = useProjects(ALL);
  return (
    <>
      <Choice
        label={label}
        value={chosen === null ? "all" : "some"}
        onChange={(reach) => onChange(reach === "some" ? [] : null)}
      >
        <option value="all">All projects, including future ones</option>
        <option value="some">Only selected projects</option>
      </Choice>
      {chosen === null ? null : (
        <Checks
          legend="Projects"
          options={(value?.projects ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          chosen={chosen}
          onChange={onChange}
          error={error === null ? null : "Choose at least one."}
          isLong
        />
      )}
    </>
  );
}
