import { useEffect, useRef, useState } from "preact/hooks";

import {
  ContainerNetwork,
  initialProcess,
  type ProcessField,
  StopSignal,
} from "#contract/endpoints/processes/process-settings.ts";
import { ProcessName, WEB } from "#contract/endpoints/processes/schemas.ts";
import { runsAsContainer } from "#contract/runs-as-container.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { type CommandSource, sourceText } from "#contract/processes/command-source.ts";
import {
  type ProcessEdits,
  type ProcessRow,
  processRows,
  withoutProcess,
} from "#dashboard/pages/settings/process-draft.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  readonly project: Project;
  readonly edits: ProcessEdits;
  readonly onChange: (edits: ProcessEdits) => void;
  /** The errors of the whole form, by their paths. */
  readonly errors: Readonly<Record<string, string>>;
};

/** The project's own settings for its processes. */
export function ProcessesFieldset({ project, edits, onChange, errors }: Props) {
  const rows = processRows(edits, project);
  const [added, setAdded] = useState("");
  const [opened, setOpened] = useState<string | null>(null);
  const name = readForm(ProcessName, added.trim());
  const add = () => {
    if (!name.ok) return;
    onChange({ ...edits, [name.value]: edits[name.value] ?? {} });
    setAdded("");
    setOpened(name.value);
  };
  return (
    <>
      <p class="quiet">
        Commands that keep running on the server, from the repository's Procfile or gantry.json. What you set
        here wins. Empty fields are the repository's, or the default.
      </p>
      {rows.map((row) => (
        <ProcessSettings
          key={row.name}
          row={row}
          source={project.repository_definitions.processes[row.name]}
          isContainer={runsAsContainer(project)}
          takesFocus={row.name === opened}
          error={(field) => errors[`processes.${row.name}.${field}`] ?? null}
          onChange={(field, value) =>
            onChange({ ...edits, [row.name]: { ...edits[row.name], [field]: value } })
          }
          onRemove={() => onChange(withoutProcess(edits, row.name, project))}
          onKeep={() => onChange({ ...edits, [row.name]: {} })}
        />
      ))}
      <Field
        label="Another process"
        value={added}
        onInput={setAdded}
        isCode
        placeholder="worker"
        error={added.trim() === "" ? null : (name.errors[""] ?? null)}
      />
      <Button onClick={add} isDisabled={!name.ok}>
        Add the process
      </Button>
    </>
  );
}

const networkLabels: Record<ContainerNetwork, string> = {
  private: "its own",
  host: "the server's, with all that listens there",
};

type SettingsProps = {
  readonly row: ProcessRow;
  /** Where the repository's command is from. */
  readonly source: CommandSource | undefined;
  readonly isContainer: boolean;
  /** It was just added. */
  readonly takesFocus: boolean;
  readonly error: (field: ProcessField) => string | null;
  readonly onChange: (field: ProcessField, value: string) => void;
  readonly onRemove: () => void;
  readonly onKeep: () => void;
};

function ProcessSettings(props: SettingsProps) {
  const { row, source, isContainer, takesFocus, error, onChange, onRemove, onKeep } = props;
  const { name, detected, hasOwn, isRemoved, text } = row;
  // A process that was just added lacks its command, so its fields are open.
  const [isOpen, setIsOpen] = useState(detected === null && text("command") === "");
  const fields = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (takesFocus) fields.current?.querySelector("input")?.focus();
  }, []);
  const field = (of: ProcessField, label: string, otherwise: string | number | undefined, isCode = false) => (
    <Field
      label={label}
      value={text(of)}
      onInput={(value) => onChange(of, value)}
      placeholder={String(detected?.[of] ?? otherwise ?? "")}
      isCode={isCode}
      type={isCode ? "text" : "number"}
      error={error(of)}
    />
  );
  const flag = (of: ProcessField, label: string, otherwise: boolean) => (
    <Choice label={label} value={text(of)} onChange={(value) => onChange(of, value)} error={error(of)}>
      <option value="">{(detected?.[of] ?? otherwise) === true ? "Default: yes" : "Default: no"}</option>
      <option value="true">Yes</option>
      <option value="false">No</option>
    </Choice>
  );
  const removal =
    detected === null
      ? { text: "Remove the process", label: `Remove the process ${name}` }
      : { text: "Use the repository's settings", label: `Use the repository's settings for ${name}` };
  if (isRemoved)
    return (
      <p>
        <code>{name}</code> will have no settings of the project.{" "}
        <Button label={`Keep the settings of ${name}`} onClick={onKeep}>
          Keep them
        </Button>
      </p>
    );
  return (
    <details
      ref={fields}
      class="process-settings"
      open={isOpen}
      aria-label={`Process ${name}`}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <code>{name}</code> <span class="quiet">{text("command") || detected?.command}</span>
        {text("command") !== "" || source === undefined ? null : (
          <span class="quiet"> ({sourceText(source)})</span>
        )}
      </summary>
      {field(
        "command",
        "Command",
        isContainer && name === WEB ? "the command of the image" : undefined,
        true,
      )}
      <div class="columns">
        {field("instances", "Instances", initialProcess.instances)}
        {flag("port", "Listens on PORT", name === WEB)}
        {field("memory_mb", "Memory of an instance, in MiB", "no limit")}
        {field("cpu_weight", "CPU weight (others have 100)", "the server's")}
        {field("tasks", "Processes and threads", "the server's")}
        <Choice
          label="Signal to end"
          value={text("stop_signal")}
          onChange={(value) => onChange("stop_signal", value)}
          error={error("stop_signal")}
        >
          <option value="">Default: {detected?.stop_signal ?? initialProcess.stop_signal}</option>
          {StopSignal.options.map((signal) => (
            <option key={signal} value={signal}>
              {signal}
            </option>
          ))}
        </Choice>
        {field("stop_seconds", "Seconds to end before it is killed", initialProcess.stop_seconds)}
        {flag("overlap", "Old and new run at the same time", initialProcess.overlap)}
        {isContainer || text("container_port") !== "" || text("network") !== "" ? (
          <>
            {field("container_port", "Port of the container", "the image's")}
            <Choice
              label="Network of the container"
              value={text("network")}
              onChange={(value) => onChange("network", value)}
              error={error("network")}
            >
              <option value="">Default: {networkLabels[detected?.network ?? initialProcess.network]}</option>
              {ContainerNetwork.options.map((network) => (
                <option key={network} value={network}>
                  {networkLabels[network]}
                </option>
              ))}
            </Choice>
          </>
        ) : null}
      </div>
      {hasOwn ? (
        <Button label={removal.label} onClick={onRemove}>
          {removal.text}
        </Button>
      ) : null}
    </details>
  );
}
