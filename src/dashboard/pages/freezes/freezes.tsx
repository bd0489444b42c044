import { useState } from "preact/hooks";

import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import { useFreezes } from "#dashboard/data/freeze-resources.ts";
import { ALL, useAllowed } from "#dashboard/data/resources.ts";
import { FreezeDialog } from "#dashboard/pages/freezes/freeze-dialog.tsx";
import { FreezeRow } from "#dashboard/pages/freezes/freeze-row.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** The times in which deployments wait, and a dialog that adds one. */
export function Freezes() {
  const freezes = useFreezes(ALL);
  const mayCreate = useAllowed(freezeEndpoints.createFreeze);
  const [isCreating, setIsCreating] = useState(false);
  const close = () => {
    setIsCreating(false);
    void freezes.reload();
  };
  return (
    <Page
      title="Freezes"
      actions={
        mayCreate ? (
          <Button variant="primary" onClick={() => setIsCreating(true)}>
            Create a freeze
          </Button>
        ) : null
      }
    >
      <p class="quiet">
        Deployments that are started during a freeze wait until it ends, and then run in order. Rollbacks do
        not wait.
      </p>
      <Show of={freezes} what="the freezes">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No freezes">
              {mayCreate ? "Create one" : "An admin can create one"} for a holiday, a launch, or for each
              Friday evening: deployments then wait until it ends.
            </EmptyState>
          ) : (
            <ul class="records" aria-label="Freezes">
              {rows.map((freeze) => (
                <FreezeRow key={freeze.id} freeze={freeze} reload={freezes.reload} />
              ))}
            </ul>
          )
        }
      </Show>
      {isCreating ? (
        <FreezeDialog freeze={null} onSaved={close} onClose={() => setIsCreating(false)} />
      ) : null}
    </Page>
  );
}
