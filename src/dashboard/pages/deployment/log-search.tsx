import { useMemo, useState } from "preact/hooks";

import { indexIn, type ShownGroup } from "#dashboard/pages/deployment/shown-groups.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Form } from "#dashboard/shared/form.tsx";

type Props = {
  /** The lines that are shown. */
  readonly groups: readonly ShownGroup[];
  /** Changes when they do. */
  readonly version: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** @param line number of the line */
  readonly onFound: (line: number) => void;
};

/** Finds lines that contain a text, and moves between them. `:120` goes to line 120. */
export function LogSearch({ groups, version, query, onQuery, onFound }: Props) {
  const [at, setAt] = useState(0);
  const found = useMemo(() => linesWith(groups, query.toLowerCase()), [version, query]);
  const go = (step: number, from = at) => {
    if (found.length === 0) return;
    const next = (from + step + found.length) % found.length;
    setAt(next);
    const line = found[next];
    if (line !== undefined) onFound(line);
  };
  return (
    <search>
      <Form onSubmit={() => go(1)}>
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search, or :120"
          value={query}
          onInput={(event) => {
            onQuery(event.currentTarget.value);
            setAt(-1);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && event.shiftKey) {
              event.preventDefault();
              go(-1);
            }
          }}
        />
        {query === "" ? null : (
          <>
            <span class="quiet" role="status">
              {found.length === 0 ? "no results" : `${Math.max(at, 0) + 1} of ${found.length}`}
            </span>
            <Button onClick={() => go(-1)}>Previous</Button>
            <Button type="submit">Next</Button>
          </>
        )}
      </Form>
    </search>
  );
}

function linesWith(groups: readonly ShownGroup[], query: string): number[] {
  if (query === "") return [];
  const [, number] = /^:(\d{1,9})$/.exec(query) ?? [];
  if (number !== undefined)
    return groups.some((group) => indexIn(group, Number(number)) !== null) ? [Number(number)] : [];
  const found: number[] = [];
  for (const { log, first, count } of groups)
    for (let index = first; index < first + count; index += 1)
      if (log.texts.at(index).search.includes(query)) found.push(log.lines[index]?.line ?? 0);
  return found;
}
