import { withHiddenShown } from "#contract/hidden-text.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { ServerId } from "#contract/ids.ts";
import { Choice } from "#dashboard/shared/field.tsx";

type Props = {
  readonly project: Pick<Project, "servers_state">;
  /** null: the first. */
  readonly value: ServerId | null;
  readonly onChange: (id: ServerId | null) => void;
};

/** Chooses one of the servers of a project. Renders nothing if the project has one. */
export function ServerChoice({ project: { servers_state: servers }, value, onChange }: Props) {
  const [first] = servers;
  if (first === undefined) return null;
  return (
    <Choice
      label="Server"
      value={value ?? first.id}
      onChange={(id) => onChange(id === first.id ? null : ServerId.parse(id))}
    >
      {servers.map(({ id, name }) => (
        <option key={id} value={id}>
          {withHiddenShown(name)}
        </option>
      ))}
    </Choice>
  );
}
