import { useState } from "preact/hooks";

import { type Server, type ServerRow, UpdateServerInput } from "#contract/endpoints/servers/schemas.ts";
import { Region } from "#contract/regions.ts";
import { textOf } from "#contract/growing.ts";
import { regionNames } from "#dashboard/pages/servers/region-names.ts";
import { api } from "#dashboard/data/api.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

/** The option for the region that the agent connects from. */
const AUTOMATIC = "";

type Props = {
  readonly row: ServerRow;
  /** null: not loaded yet. */
  readonly server: Server | null;
  readonly onClose: () => void;
  readonly onChanged: () => unknown;
};

/** Changes a server's name, addresses and region. */
export function ChangeServer({ row, server, onClose, onChanged }: Props) {
  const [draft, setDraft] = useState<UpdateServerInput & { name: string; ip: string }>({
    name: row.name,
    ip: row.ip,
  });
  const changing = useAction((body: UpdateServerInput) =>
    api.updateServer({ params: { server_id: row.id }, body }),
  );
  const form = readForm(UpdateServerInput, draft);
  const change = async () => {
    if (!form.ok || (await changing.run(form.value)) === null) return;
    onClose();
    await onChanged();
  };
  return (
    <Dialog title={`Edit ${row.name}`} onClose={onClose}>
      <Form onSubmit={change}>
        <Field
          label="Name"
          value={draft.name}
          onInput={(name) => setDraft({ ...draft, name })}
          error={form.errors["name"] ?? null}
        />
        <Field
          label="IPv4 address"
          value={draft.ip}
          onInput={(ip) => setDraft({ ...draft, ip })}
          isCode
          error={form.errors["ip"] ?? null}
        />
        {server === null ? null : (
          <Field
            label="Address for balancers"
            value={(draft.address === undefined ? server.address : draft.address) ?? ""}
            onInput={(address) => setDraft({ ...draft, address: address === "" ? null : address })}
            isCode
            placeholder={server.detected_address ?? "10.0.0.11"}
            hint="Where balancers of Gantry reach the server. Empty: the address that its agent reports."
            error={form.errors["address"] ?? null}
          />
        )}
        {server === null ? null : (
          <Choice
            label="Region"
            value={(draft.region === undefined ? server.region : draft.region) ?? AUTOMATIC}
            onChange={(region) => setDraft({ ...draft, region: Region.safeParse(region).data ?? null })}
            hint="Where Gantry keeps the queues of projects that are deployed here for the first time."
          >
            <option value={AUTOMATIC}>
              automatic
              {server.detected_region === null ? "" : `: ${textOf(regionNames, server.detected_region)}`}
            </option>
            {Region.options.map((region) => (
              <option key={region} value={region}>
                {regionNames[region]}
              </option>
            ))}
          </Choice>
        )}
        <ProblemBox problem={changing.problem} doing="Saving" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={changing.isRunning} isDisabled={!form.ok}>
            Save
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
