import { useState } from "preact/hooks";

import {
  type CommandRun,
  DEFAULT_COMMAND_TIMEOUT,
  RunCommandInput,
} from "#contract/endpoints/commands/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { commandApi } from "#dashboard/pages/commands/job-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ServerChoice } from "#dashboard/shared/server-choice.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  readonly id: ProjectId;
  /** null: not loaded. */
  readonly project: Project | null;
  readonly onRun: (command: CommandRun) => unknown;
};

/** Runs a command in the live release. */
export function RunForm({ id, project, onRun }: Props) {
  const [command, setCommand] = useState("");
  const [seconds, setSeconds] = useState("");
  const [server, setServer] = useState<ServerId | null>(null);
  const running = useAction((body: RunCommandInput) =>
    commandApi.runCommand({ params: { project_id: id }, body }),
  );
  const input = {
    command: command.trim(),
    ...(seconds.trim() === "" ? {} : { timeout_seconds: Number(seconds) }),
    ...(server === null ? {} : { server_id: server }),
  };
  const form = readForm(RunCommandInput, input);
  const { errors } = form;
  const run = async () => {
    const started = form.ok ? await running.run(form.value) : null;
    if (started === null) return;
    setCommand("");
    await onRun(started.value);
  };
  return (
    <Form class="run-command" onSubmit={run}>
      <Field
        label="Command"
        value={command}
        onInput={setCommand}
        placeholder="npm run migrate"
        isCode
        hint="Runs once in the live release, with its variables. The command line is stored and listed below, so it must not contain secrets: use variables."
        error={errors["command"] ?? null}
      />
      <Field
        label="Time limit, in seconds"
        value={seconds}
        onInput={setSeconds}
        type="number"
        placeholder={String(DEFAULT_COMMAND_TIMEOUT)}
        error={errors["timeout_seconds"] ?? null}
      />
      {project === null ? null : <ServerChoice project={project} value={server} onChange={setServer} />}
      <ProblemBox problem={running.problem} doing="Running the command" />
      <Button type="submit" variant="primary" isBusy={running.isRunning}>
        Run
      </Button>
    </Form>
  );
}
