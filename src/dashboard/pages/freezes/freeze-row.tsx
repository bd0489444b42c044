import { useState } from "preact/hooks";

import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import type { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { freezeApi } from "#dashboard/data/freeze-resources.ts";
import { ALL, useAllowed, useProjects } from "#dashboard/data/resources.ts";
import { FreezeDialog } from "#dashboard/pages/freezes/freeze-dialog.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { RemovalDialog } from "#dashboard/shared/removal-dialog.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { freezeState, freezeTimesText } from "#dashboard/pages/freezes/freeze-texts.ts";

type Props = {
  readonly freeze: Freeze;
  readonly reload: () => Promise<void>;
};

/** A freeze: the held projects, the times, and whether it holds now. */
export function FreezeRow({ freeze, reload }: Props) {
  const { id, name, project_id: projectId, times, active, window, created_by: creator } = freeze;
  const { value: projects } = useProjects(ALL);
  const project = projects?.projects.find((one) => one.id === projectId);
  const mayChange = useAllowed(freezeEndpoints.updateFreeze, projectId);
  const state = freezeState(freeze);
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <li class="record freeze">
      <div class="line">
        <span class={`status ${state.class}`}>{state.label}</span>
        <span class="title">
          <strong>{name}</strong> {projectId === null ? "all projects" : (project?.name ?? projectId)}
        </span>
        <span class="quiet when">
          {window === null ? null : active ? (
            <>
              ends <Ago time={window.until} />
            </>
          ) : (
            <>
              begins <Ago time={window.from} />
            </>
          )}
        </span>
      </div>
      <p class="quiet">
        {freezeTimesText(times)}
        {creator === null ? "" : `. Created by ${withHiddenShown(creator.name)}`}
      </p>
      {mayChange ? (
        <div class="actions">
          <Button variant="subtle" label={`Edit ${name}`} onClick={() => setOpen("edit")}>
            Edit
          </Button>
          <Button variant="subtle" label={`Delete ${name}`} onClick={() => setOpen("delete")}>
            Delete
          </Button>
        </div>
      ) : null}
      {open === "edit" ? (
        <FreezeDialog
          freeze={freeze}
          onSaved={() => {
            close();
            void reload();
          }}
          onClose={close}
        />
      ) : null}
      {open === "delete" ? (
        <RemovalDialog
          title={`Delete ${name}`}
          remove={() => freezeApi.deleteFreeze({ params: { freeze_id: id } })}
          onClose={close}
          onRemoved={reload}
        >
          <p>
            {active
              ? "Deployments that wait for it run now, in order."
              : "Deployments no longer wait at its times."}
          </p>
        </RemovalDialog>
      ) : null}
    </li>
  );
}
