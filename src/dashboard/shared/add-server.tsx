import { useEffect, useState } from "preact/hooks";

import type { ServerId } from "#contract/ids.ts";
import {
  installPolicies,
  installPolicyTexts,
  type InstallPolicy,
  patternProblem,
  withInstallOptions,
} from "#contract/install-flags.ts";
import { CreateServerInput, type Enrollment } from "#contract/endpoints/servers/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useServer } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Copyable } from "#dashboard/shared/copy.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ServerState } from "#dashboard/shared/status.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  /** Called when the agent has connected. */
  readonly onConnected: () => unknown;
  /** Closes the dialog around this form. Without `onClose`, there is no footer. */
  readonly onClose?: (() => void) | undefined;
};

type Added = { readonly id: ServerId; readonly enrollment: Enrollment };

/** A form for a new server, then the install command, until the agent has connected. */
export function AddServer({ onConnected, onClose }: Props) {
  const [input, setInput] = useState({ name: "", ip: "" });
  const [added, setAdded] = useState<Added | null>(null);
  const adding = useAction((body: CreateServerInput) => api.createServer({ body }));

  if (added !== null) return <WaitForAgent {...added} onConnected={onConnected} onClose={onClose} />;
  const form = readForm(CreateServerInput, input);
  const { errors } = form;
  const add = async () => {
    const created = form.ok ? await adding.run(form.value) : null;
    if (created !== null) setAdded(created.value);
  };
  const submit = (
    <Button type="submit" variant="primary" isBusy={adding.isRunning}>
      Add server
    </Button>
  );
  return (
    <Form onSubmit={add}>
      <Field
        label="Name"
        value={input.name}
        onInput={(name) => setInput({ ...input, name })}
        placeholder="web-1"
        error={errors["name"] ?? null}
      />
      <Field
        label="IPv4 address"
        value={input.ip}
        onInput={(ip) => setInput({ ...input, ip })}
        placeholder="203.0.113.10"
        hint="Only for your information: the server connects to Gantry, never the other way around."
        isCode
        error={errors["ip"] ?? null}
      />
      <ProblemBox problem={adding.problem} doing="Adding the server" />
      {onClose === undefined ? (
        submit
      ) : (
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          {submit}
        </footer>
      )}
    </Form>
  );
}

type WaitProps = Props &
  Added & {
    /** The policy that is chosen first. */
    readonly usual?: InstallPolicy;
  };

const policyNames = { strict: "Strict", open: "Open" } as const satisfies Record<InstallPolicy, string>;

/** The command that installs a server's agent, and the server's status. */
export function WaitForAgent({ id, enrollment, usual = "strict", onConnected, onClose }: WaitProps) {
  const { value: server, problem, reload } = useServer(id);
  const [hasIngress, setHasIngress] = useState(false);
  const [policy, setPolicy] = useState(usual);
  const [list, setList] = useState("");
  const repositories = list.split(/[\s,]+/).filter((one) => one !== "");
  const wrong = repositories.find((one) => patternProblem(one) !== null);
  const isConnected = server !== null && server.status !== "pending" && server.status !== "offline";
  useEffect(() => {
    if (isConnected) void onConnected();
  }, [isConnected]);
  return (
    <>
      <p>Run this command on the server. It works once, within an hour, as long as you stay signed in:</p>
      <Copyable
        text={withInstallOptions(enrollment.command, {
          flags: hasIngress ? ["ingress"] : [],
          policy,
          repositories: wrong === undefined ? repositories : [],
        })}
        label="Install command"
        replacesForm
      />
      {isConnected ? null : (
        <>
          <label class="check">
            <input type="checkbox" checked={hasIngress} onChange={() => setHasIngress(!hasIngress)} />
            Also serve the projects at their domains with TLS, on the ports 80 and 443
          </label>
          <fieldset>
            <legend>The policy of the server, if it has none yet</legend>
            {installPolicies.map((one) => (
              <label key={one} class="check">
                <input
                  type="radio"
                  name={`policy-${id}`}
                  checked={policy === one}
                  onChange={() => setPolicy(one)}
                />
                {policyNames[one]}: {installPolicyTexts[one]}
              </label>
            ))}
            {policy === "strict" ? (
              <Field
                label="Only these repositories"
                value={list}
                onInput={setList}
                placeholder="https://github.com/you/*"
                hint="Optional, and recommended: otherwise a project may deploy any repository that is not on the server."
                error={wrong === undefined ? null : `${wrong} ${patternProblem(wrong)}`}
                isCode
              />
            ) : null}
          </fieldset>
        </>
      )}
      <ProblemBox problem={problem} doing="Loading the server" retry={reload} />
      <p role="status">
        {isConnected ? (
          <>
            <ServerState status={server.status} /> The agent is connected.
          </>
        ) : (
          <>
            <span class="spinner" aria-hidden="true" /> Waiting for the agent…
          </>
        )}
      </p>
      {server?.agent_problem ? <p class="problem">{server.agent_problem.message}</p> : null}
      {onClose === undefined ? null : (
        <footer>
          <Button onClick={onClose}>Close</Button>
        </footer>
      )}
    </>
  );
}
