import type { CommandRow } from "#contract/endpoints/commands/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { commandApi } from "#dashboard/pages/commands/job-resources.ts";
import { RunRow } from "#dashboard/pages/commands/run-row.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

type Props = {
  readonly command: CommandRow;
  /** The servers of a project that has several. */
  readonly servers: Project["servers_state"];
  /** It was started on this page. */
  readonly isNew: boolean;
  readonly reload: () => Promise<void>;
};

/** A command with who ran it, how it ended, and its output. */
export function CommandCard({ command, servers, isNew, reload }: Props) {
  const { id, project_id, command: line, actor, created_at } = command;
  const params = { project_id, command_id: id };
  const name = withHiddenShown(line);
  const server = servers.find((one) => one.id === command.server_id);
  return (
    <RunRow
      name={name}
      run={command}
      title={<code>{name}</code>}
      stop={() => commandApi.stopCommand({ params, body: {} })}
      read={(query) => commandApi.getCommandOutput({ params, query })}
      isNew={isNew}
      reload={reload}
    >
      <Ago time={created_at} /> by {actor.name}
      {server === undefined ? "" : ` on ${withHiddenShown(server.name)}`}
    </RunRow>
  );
}
