import { withHiddenShown } from "#contract/hidden-text.ts";
import { ALL, useMay, useServers } from "#dashboard/data/resources.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Choice } from "#dashboard/shared/field.tsx";

/** The project's name, and the server that it is deployed to. */
export function GeneralFields({ project, draft, change, field }: SettingsPart) {
  const { value: servers } = useServers(ALL);
  const mayMove = useMay("updateProject", null);
  const mayChange = useMay("updateProject", project.id);
  const rows = servers?.servers ?? [];
  const nameOf = (wanted: string) => {
    const name = rows.find(({ id }) => id === wanted)?.name;
    return name === undefined ? "its server" : withHiddenShown(name);
  };
  const isMove = draft.server_id !== project.server_id;
  return (
    <fieldset>
      <legend>Project</legend>
      {field("name", "Name")}
      {mayMove || !mayChange ? (
        <Choice
          label="Server"
          value={draft.server_id}
          onChange={(id) => change({ server_id: id })}
          hint={
            isMove
              ? `${project.name} moves from ${nameOf(project.server_id)} to ${nameOf(draft.server_id)} with its next deployment. Until then ${nameOf(project.server_id)} serves it.`
              : "Another server takes over with the next deployment."
          }
        >
          {rows.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      ) : null}
    </fieldset>
  );
}
