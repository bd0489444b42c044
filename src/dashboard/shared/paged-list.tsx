import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import type { WatchedResource } from "#dashboard/data/resource.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { type Loaded, withNewest } from "#dashboard/shared/with-newest.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Show } from "#dashboard/shared/show.tsx";

type PageOf = { readonly next_cursor: string | null };

type Props<Page extends PageOf, Row> = {
  /** The newest page. */
  readonly of: WatchedResource<Page>;
  /** The kind of row, such as `commands`. */
  readonly what: string;
  readonly rowsOf: (page: Page) => readonly Row[];
  /** What identifies a row. */
  readonly keyOf: (row: Row) => unknown;
  readonly readOlder: (cursor: string) => Promise<ClientResult<Page>>;
  /** Renders the rows that are loaded, newest first. */
  readonly children: (rows: readonly Row[]) => ComponentChildren;
};

/** A list whose newest page is watched, with a button that loads older pages. */
export function PagedList<Page extends PageOf, Row>({ of, ...props }: Props<Page, Row>) {
  return (
    <Show of={of} what={`the ${props.what}`}>
      {(newest) => <Pages newest={newest} {...props} />}
    </Show>
  );
}

type PagesProps<Page extends PageOf, Row> = Omit<Props<Page, Row>, "of"> & { readonly newest: Page };

function Pages<Page extends PageOf, Row>(props: PagesProps<Page, Row>) {
  const { newest, what, rowsOf, keyOf, readOlder, children } = props;
  const [known, setKnown] = useState<Loaded<Row>>({ rows: [], cursor: null });
  const shown = withNewest(known, { rows: rowsOf(newest), cursor: newest.next_cursor }, keyOf);
  useEffect(() => setKnown(shown), [newest]);
  const reading = useAction(readOlder);
  const load = async (cursor: string) => {
    const page = await reading.run(cursor);
    if (page === null) return;
    const { value } = page;
    // In the meantime, the list may have begun again at another page.
    setKnown((now) =>
      now.cursor === cursor ? { rows: [...now.rows, ...rowsOf(value)], cursor: value.next_cursor } : now,
    );
  };
  const { cursor } = shown;
  return (
    <>
      {children(shown.rows)}
      <ProblemBox problem={reading.problem} doing={`Loading older ${what}`} />
      {cursor === null ? null : (
        <Button onClick={() => load(cursor)} isBusy={reading.isRunning}>
          Show older {what}
        </Button>
      )}
    </>
  );
}
