import { useState } from "preact/hooks";

import type { CommandRow } from "#contract/endpoints/commands/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { commandApi } from "#dashboard/data/command-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { KeptOutput } from "#dashboard/pages/commands/kept-output.tsx";
import { RunDuration } from "#dashboard/pages/commands/run-duration.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { commandClass, commandLabel } from "#dashboard/text/run-labels.ts";

type Props = {
  readonly command: CommandRow;
  /** Its output is shown at first. */
  readonly isOpen: boolean;
  readonly reload: () => Promise<void>;
};

/** A command with who ran it, how it ended, and its output. */
export function CommandCard({ command, isOpen: isOpenAtFirst, reload }: Props) {
  const { id, project_id, command: line, status, actor, created_at, message } = command;
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const params = { project_id, command_id: id };
  const stopping = useAction(() => commandApi.stopCommand({ params, body: {} }));
  const stop = async () => {
    await stopping.run();
    await reload();
  };
  const name = withHiddenShown(line);
  return (
    <li class="card run">
      <div class="line">
        <code>{name}</code>
        <span class={`status ${commandClass(command)}`}>{commandLabel(command)}</span>
        <RunDuration run={command} />
        <span class="quiet">
          <Ago time={created_at} /> by {actor.name}
        </span>
        <span class="actions">
          {status === "running" ? (
            <Button label={`Stop ${name}`} onClick={stop} isBusy={stopping.isRunning}>
              Stop
            </Button>
          ) : null}
          {status === null ? null : (
            <Button
              label={`${isOpen ? "Hide output of" : "Show output of"} ${name}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? "Hide output" : "Show output"}
            </Button>
          )}
        </span>
      </div>
      <ProblemBox problem={stopping.problem} doing="Stopping" />
      {isOpen ? (
        <KeptOutput
          label={`Output of ${name}`}
          read={(query) => commandApi.getCommandOutput({ params, query })}
          onEnd={reload}
        />
      ) : null}
      {isOpen && message !== null ? <p class="quiet">The command {message}.</p> : null}
    </li>
  );
}
