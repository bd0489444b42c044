import type { ClientResult } from "#client/send.ts";
import type { PushRows } from "#contract/endpoints/hooks/schemas.ts";
import type { HookId, ProjectId } from "#contract/ids.ts";
import { hookApi, useHookPushes, useProjectPushes } from "#dashboard/pages/pushes/push-resources.ts";
import type { WatchedResource } from "#dashboard/data/resource.ts";
import { PushRow } from "#dashboard/pages/pushes/push-row.tsx";
import { PagedList } from "#dashboard/shared/paged-list.tsx";

/** The pushes that concerned a project. */
export function ProjectPushes({ id }: { readonly id: ProjectId }) {
  const pushes = useProjectPushes(id);
  return (
    <PushList
      of={pushes}
      readOlder={(cursor) => hookApi.listProjectPushes({ params: { project_id: id }, query: { cursor } })}
      empty="No push has arrived yet. Push a commit: it is listed here with what was decided about it."
    />
  );
}

/** Everything that was delivered to a hook, with the projects that it concerned. */
export function HookPushes({ id }: { readonly id: HookId }) {
  const pushes = useHookPushes(id);
  return (
    <PushList
      of={pushes}
      readOlder={(cursor) => hookApi.listHookPushes({ params: { hook_id: id }, query: { cursor } })}
      empty="Nothing has been delivered yet. Most git hosts have a button that tests a webhook."
      isOfHook
    />
  );
}

type ListProps = {
  readonly of: WatchedResource<PushRows>;
  readonly readOlder: (cursor: string) => Promise<ClientResult<PushRows>>;
  readonly empty: string;
  readonly isOfHook?: boolean;
};

function PushList({ of, readOlder, empty, isOfHook = false }: ListProps) {
  return (
    <PagedList
      of={of}
      what="pushes"
      rowsOf={(page) => page.pushes}
      keyOf={(row) => row.id}
      readOlder={readOlder}
    >
      {(rows) =>
        rows.length === 0 ? (
          <p class="quiet">{empty}</p>
        ) : (
          <ul class="records" aria-label="Pushes">
            {rows.map((row) => (
              <PushRow key={row.id} push={row} showsProject={isOfHook} reload={of.reload} />
            ))}
          </ul>
        )
      }
    </PagedList>
  );
}
