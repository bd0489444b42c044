import type { ProjectId } from "#contract/ids.ts";
import { ALL, useProjects } from "#dashboard/data/resources.ts";
import { Choice } from "#dashboard/shared/field.tsx";

type Props = {
  /** The id of a project; empty: all. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  /** The projects to choose from; null: also all of them. */
  readonly within?: readonly ProjectId[] | null;
};

/** A choice of one project, or all. */
export function ProjectFilter({ value, onChange, within = null }: Props) {
  const { value: projects } = useProjects(ALL);
  const listed = (projects?.projects ?? []).filter(({ id }) => within?.includes(id) ?? true);
  return (
    <Choice label="Project" value={value} onChange={onChange}>
      {within === null ? <option value="">All projects</option> : null}
      {listed.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}
