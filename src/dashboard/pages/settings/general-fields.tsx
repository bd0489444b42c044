import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { isAlone } from "#contract/endpoints/projects/servers.ts";
import { ALL, useAllowed, useServers } from "#dashboard/data/resources.ts";
import { BuildOnFieldset } from "#dashboard/pages/settings/build-on-fieldset.tsx";
import { RolloutFieldset } from "#dashboard/pages/settings/rollout-fieldset.tsx";
import { entriesIn, withEntries } from "#dashboard/pages/settings/server-draft.ts";
import { AddServer, serverName, ServersFieldset } from "#dashboard/pages/settings/servers-fieldset.tsx";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Choice } from "#dashboard/shared/field.tsx";

/** The project's name, and the servers that it is deployed to. */
export function GeneralFields(part: SettingsPart) {
  const { project, draft, change, field } = part;
  const { value: servers } = useServers(ALL);
  const mayMove = useAllowed(projectChangeEndpoints.updateProject, null);
  const mayChange = useAllowed(projectChangeEndpoints.updateProject, project.id);
  const rows = servers?.servers ?? [];
  const entries = entriesIn(draft);
  const [first] = entries;
  const isSeveral = !isAlone(entries);
  return (
    <>
      <fieldset>
        <legend>Project</legend>
        {field("name", "Name")}
        {first !== undefined && !isSeveral && (mayMove || !mayChange) ? (
          <>
            <Choice
              label="Server"
              value={first.id}
              onChange={(wanted) => {
                const row = rows.find(({ id }) => id === wanted);
                if (row !== undefined) change(withEntries([{ ...first, id: row.id }], project));
              }}
              hint={moveHint(part, rows, first.id)}
            >
              {rows.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Choice>
            {mayMove ? (
              <AddServer
                entries={entries}
                rows={rows}
                onChange={(next) => change(withEntries(next, project))}
              />
            ) : null}
          </>
        ) : null}
      </fieldset>
      {isSeveral ? (
        <>
          <ServersFieldset {...part} rows={rows} mayMove={mayMove} />
          <RolloutFieldset {...part} />
        </>
      ) : null}
      <BuildOnFieldset {...part} rows={rows} mayMove={mayMove} />
    </>
  );
}

/** What the chosen server means for the project. */
function moveHint({ project }: SettingsPart, rows: Parameters<typeof serverName>[0], chosen: string): string {
  const before = isAlone(project.servers) ? [project.server_id] : project.servers.map(({ id }) => id);
  const leaving = before.filter((id) => id !== chosen);
  if (leaving.length === 0) return "Another server takes over with the next deployment.";
  const names = leaving.map((id) => serverName(rows, id)).join(", ");
  return leaving.length === before.length
    ? `${project.name} moves from ${names} to ${serverName(rows, chosen)} with its next deployment. Until then ${names} serves it.`
    : `${project.name} is removed from ${names} after its next deployment.`;
}
