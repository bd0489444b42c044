import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { stageLabels } from "#contract/stages.ts";
import type { LogLine, LogStage } from "#contract/endpoints/logs/schemas.ts";
import { LogRow } from "#dashboard/pages/deployment/log-row.tsx";
import { useColumns } from "#dashboard/pages/deployment/use-columns.ts";
import type { LinkedLine } from "#dashboard/pages/deployment/use-line-link.ts";
import { indexIn, type ShownGroup } from "#dashboard/pages/deployment/shown-groups.ts";
import { useLogRows } from "#dashboard/pages/deployment/use-log-rows.ts";
import { WarningsRow } from "#dashboard/pages/deployment/warnings-row.tsx";
import { columnsOf, wrappedPlaces } from "#dashboard/pages/deployment/wrapped-rows.ts";
import type { RowPlaces } from "#dashboard/shared/row-places.ts";
import { VirtualList } from "#dashboard/shared/virtual-list.tsx";

/** In pixels, as in the style sheet. */
const LINE_HEIGHT = 20;
/** The tools and the head of the group, which cover the first lines below the top of the window, in pixels. */
const COVERED = 96;

const groupLabels: Readonly<Record<LogStage, string>> = { ...stageLabels, prune: "Clean up", end: "End" };

type Props = {
  readonly group: ShownGroup;
  /** The name of the server that wrote a line; null: no names are shown. */
  readonly serverOf: ((line: LogLine) => string) | null;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly hasFailed: boolean;
  /** Further lines may come. */
  readonly isGrowing: boolean;
  readonly isWrapped: boolean;
  /** The line in the address, if it is one of the group. */
  readonly linked: LinkedLine | null;
  /** Whether the linked line takes the focus, because the user moved to it from another line. */
  readonly takesFocus: RefObject<boolean>;
  readonly onSeek: () => void;
  /** A text in lower case that is highlighted. */
  readonly marked: string;
};

/** The lines of a stage, which can be folded away. */
export function LogGroupView(props: Props) {
  const { group, isOpen, onToggle, hasFailed } = props;
  const label = group.instruction ?? groupLabels[group.stage];
  return (
    <section class="group" aria-label={label}>
      <h3 class={hasFailed ? "failed" : ""}>
        <button type="button" class="fold" aria-expanded={isOpen} onClick={onToggle}>
          {group.instruction === null ? label : <code>{label}</code>}
          {hasFailed ? <span class="status failed">failed</span> : null}
        </button>
        <span class="quiet numeric">
          {group.count === 1 ? "1 line" : `${group.count.toLocaleString()} lines`}
        </span>
      </h3>
      {isOpen ? <Lines {...props} label={`Lines of ${label}`} /> : null}
    </section>
  );
}

function Lines(props: Props & { readonly label: string }) {
  const { group, serverOf, label, hasFailed, isGrowing, isWrapped, linked, takesFocus, onSeek, marked } =
    props;
  const { log } = group;
  const box = useRef<HTMLDivElement>(null);
  const columns = useColumns(box, isWrapped);
  const line = linked?.line ?? null;
  const linkedAt = indexIn(group, line);
  const rows = useLogRows(group, { isFolding: !hasFailed, linked: linkedAt });
  const places = useMemo<RowPlaces | undefined>(() => {
    if (columns === null) return undefined;
    const columnsAt = (at: number) => {
      const row = rows.at(at);
      return row.kind === "line" ? columnsOf(log.texts.at(row.index).search) : 0;
    };
    return wrappedPlaces(rows.count, columnsAt, { columns, lineHeight: LINE_HEIGHT });
  }, [columns, rows.count, rows.opened]);
  const linkedRow = linkedAt === null ? null : rows.rowOf(linkedAt);

  useEffect(() => {
    if (linkedRow === null || box.current === null) return;
    const top = box.current.getBoundingClientRect().top + (places?.top(linkedRow) ?? linkedRow * LINE_HEIGHT);
    if (top < COVERED || top + LINE_HEIGHT > innerHeight) {
      onSeek();
      scrollBy({ top: top - Math.max(COVERED, innerHeight / 3) });
    }
    if (!takesFocus.current) return;
    takesFocus.current = false;
    const focus = () => {
      const number = box.current?.querySelector<HTMLElement>(`[href="#L${line}"]`);
      number?.focus({ preventScroll: true });
      return number !== null;
    };
    // A line that was far away is rendered after the page has scrolled to it.
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus));
  }, [linked, linkedRow === null]);

  return (
    <div ref={box} class={`lines${isWrapped ? " wrapped" : ""}${serverOf === null ? "" : " named"}`}>
      <VirtualList
        count={rows.count}
        rowHeight={LINE_HEIGHT}
        {...(places === undefined ? {} : { places })}
        label={label}
        total={isGrowing ? -1 : rows.count}
        keyOf={(at) => {
          const row = rows.at(at);
          return row.kind === "line" ? row.index : `warnings ${row.run.first}`;
        }}
        rowClass={(at) => (at === linkedRow ? "linked" : "")}
        stop={linkedRow}
        row={(at, isStop) => {
          const row = rows.at(at);
          if (row.kind === "warnings")
            return (
              <WarningsRow
                {...row}
                line={log.lines[row.run.first]?.line ?? 0}
                isStop={isStop}
                onToggle={() => rows.toggle(row.run.first)}
              />
            );
          const shown = log.lines[row.index];
          if (shown === undefined) return null;
          return (
            <LogRow
              line={shown}
              text={log.texts.at(row.index)}
              style={log.styles.at(row.index)}
              marked={marked}
              server={serverOf?.(shown) ?? null}
              isStop={isStop}
            />
          );
        }}
      />
    </div>
  );
}
