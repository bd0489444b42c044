import { useState } from "preact/hooks";

import { Weekday } from "#contract/endpoints/freezes/freeze-times.ts";
import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import type { CreateFreezeInput, Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { useReach } from "#dashboard/data/resources.ts";
import { freezeApi } from "#dashboard/data/freeze-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import {
  draftOfFreeze,
  type FreezeDraft,
  freezeChanges,
  newFreeze,
  readFreeze,
} from "#dashboard/pages/freezes/freeze-draft.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Checks } from "#dashboard/shared/checks.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ProjectFilter } from "#dashboard/shared/project-filter.tsx";
import { weekdayLabels } from "#dashboard/pages/freezes/freeze-texts.ts";

type Props = {
  /** The freeze to change; null: a new one. */
  readonly freeze: Freeze | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
};

/** A form for a freeze: the held projects, and the times. The held projects cannot be changed later. */
export function FreezeDialog({ freeze, onSaved, onClose }: Props) {
  const within = useReach(freezeEndpoints.createFreeze);
  const [initial] = useState(() =>
    freeze === null
      ? { ...newFreeze(zoneOfBrowser()), project_id: within?.[0] ?? "" }
      : draftOfFreeze(freeze, zoneOfBrowser()),
  );
  const [draft, setDraft] = useState(initial);
  const saving = useAction((body: CreateFreezeInput) =>
    freeze === null
      ? freezeApi.createFreeze({ body })
      : freezeApi.updateFreeze({
          params: { freeze_id: freeze.id },
          body: freezeChanges(initial, draft, body),
        }),
  );
  const form = readFreeze(draft);
  const { errors } = form;
  const change = (part: Partial<FreezeDraft>) => setDraft((before) => ({ ...before, ...part }));
  const save = async () => {
    if (form.ok && (await saving.run(form.value)) !== null) onSaved();
  };
  const fields = { draft, change, errors };
  return (
    <Dialog title={freeze === null ? "Create a freeze" : `Edit ${freeze.name}`} onClose={onClose}>
      <Form onSubmit={save}>
        <Field
          label="Name"
          value={draft.name}
          onInput={(name) => change({ name })}
          placeholder="Holidays"
          error={errors["name"] ?? null}
        />
        {freeze === null ? (
          <ProjectFilter
            value={draft.project_id}
            onChange={(project_id) => change({ project_id })}
            within={within}
          />
        ) : null}
        <Choice
          label="When"
          value={draft.type}
          onChange={(type) => change({ type: type === "weekly" ? "weekly" : "once" })}
        >
          <option value="once">Once</option>
          <option value="weekly">Every week</option>
        </Choice>
        {draft.type === "once" ? <Once {...fields} /> : <Weekly {...fields} />}
        <ProblemBox
          problem={saving.problem}
          doing={freeze === null ? "Creating the freeze" : "Saving the freeze"}
        />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={saving.isRunning}>
            {freeze === null ? "Create freeze" : "Save"}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function zoneOfBrowser(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

type FieldsProps = {
  readonly draft: FreezeDraft;
  readonly change: (part: Partial<FreezeDraft>) => void;
  readonly errors: Readonly<Record<string, string>>;
};

function Once({ draft, change, errors }: FieldsProps) {
  return (
    <>
      <Field
        label="From"
        type="datetime-local"
        value={draft.onceFrom}
        onInput={(onceFrom) => change({ onceFrom })}
        error={errors["times.from"] ?? null}
      />
      <Field
        label="Until"
        type="datetime-local"
        value={draft.onceTo}
        onInput={(onceTo) => change({ onceTo })}
        hint={`In your time zone, ${zoneOfBrowser()}.`}
        error={errors["times.to"] ?? null}
      />
    </>
  );
}

function Weekly({ draft, change, errors }: FieldsProps) {
  return (
    <>
      <Checks
        legend="Days on which it begins"
        options={Weekday.options.map((day) => ({ value: day, label: weekdayLabels[day] }))}
        chosen={draft.days}
        onChange={(days) => change({ days })}
        error={errors["times.days"] === undefined ? null : "Choose at least one."}
      />
      <div class="columns">
        <Field
          label="From"
          type="time"
          value={draft.weeklyFrom}
          onInput={(weeklyFrom) => change({ weeklyFrom })}
          error={errors["times.from"] ?? null}
        />
        <Field
          label="Until"
          type="time"
          value={draft.weeklyTo}
          onInput={(weeklyTo) => change({ weeklyTo })}
          hint="A time that is not after the first is on the next day."
          error={errors["times.to"] ?? null}
        />
      </div>
      <Field
        label="Time zone"
        value={draft.timezone}
        onInput={(timezone) => change({ timezone })}
        options={Intl.supportedValuesOf("timeZone")}
        placeholder="Europe/Berlin"
        error={errors["times.timezone"] ?? null}
      />
    </>
  );
}
