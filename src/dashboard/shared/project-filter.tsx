import { ALL, useProjects } from "#dashboard/data/resources.ts";
import { Choice } from "#dashboard/shared/field.tsx";

type Props = {
  /** The id of a project; empty: all. */
  readonly value: string;
  readonly onChange: (id: string) => void;
};

/** A choice of one project or all. */
export function ProjectFilter({ value, onChange }: Props) {
  const { value: projects } = useProjects(ALL);
  return (
    <Choice label="Project" value={value} onChange={onChange}>
      <option value="">All projects</option>
      {(projects?.projects ?? []).map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}
