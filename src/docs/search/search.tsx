import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { SearchEntry } from "#contract/reference/page-data.ts";
import { find, type SearchResult } from "#docs/search/find.ts";
import { loadIndex } from "#docs/search/load-index.ts";

/** Shows the search field in the header of the page. */
export function mountSearch(): void {
  const place = document.querySelector(".search");
  if (place !== null) render(<Search />, place);
}

const optionId = (at: number) => `found-${at}`;

/** A field with a list of places below it. Source: the combobox pattern of the ARIA Authoring Practices Guide. */
function Search() {
  const field = useRef<HTMLInputElement>(null);
  const [index, setIndex] = useState<readonly SearchEntry[] | "failed" | null>(null);
  const [query, setQuery] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const found = Array.isArray(index) ? find(index, query) : [];
  const isShown = isOpen && query.trim() !== "";

  const load = () => {
    loadIndex().then(setIndex, () => setIndex("failed"));
  };
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isShortcut = event.key === "/" || (event.key === "k" && (event.ctrlKey || event.metaKey));
      if (!isShortcut || (event.key === "/" && isTyping(event.target))) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const entry = found[chosen];
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp": {
        event.preventDefault();
        setOpen(true);
        const step = event.key === "ArrowDown" ? 1 : -1;
        if (found.length > 0) setChosen((chosen + step + found.length) % found.length);
        break;
      }
      case "Enter":
        if (isShown && entry !== undefined) {
          setOpen(false);
          location.assign(entry.address);
        }
        break;
      case "Escape":
        if (isShown) setOpen(false);
        else field.current?.blur();
        break;
    }
  };

  return (
    <>
      <input
        ref={field}
        type="search"
        role="combobox"
        list={undefined}
        aria-label="Search the documentation"
        aria-autocomplete="list"
        aria-controls="found"
        aria-expanded={isShown}
        aria-activedescendant={isShown && found.length > 0 ? optionId(chosen) : undefined}
        placeholder="Search"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onFocus={load}
        onBlur={() => setOpen(false)}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setChosen(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <div class="results" hidden={!isShown}>
        <ul id="found" role="listbox" aria-label="Found">
          {found.map((entry, at) => (
            <Option key={entry.address} entry={entry} at={at} isChosen={at === chosen} />
          ))}
        </ul>
        <p role="status">{messageFor(index, found.length)}</p>
      </div>
    </>
  );
}

function Option({
  entry,
  at,
  isChosen,
}: {
  readonly entry: SearchResult;
  readonly at: number;
  readonly isChosen: boolean;
}) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <li
      ref={row}
      id={optionId(at)}
      role="option"
      aria-selected={isChosen}
      // Before the field loses the focus, which would hide the list.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => location.assign(entry.address)}
    >
      <b>{entry.title}</b> <span>{entry.context}</span>
      {entry.excerpt === "" ? null : <small>{entry.excerpt}</small>}
    </li>
  );
}

function messageFor(index: readonly SearchEntry[] | "failed" | null, count: number): string {
  if (index === null) return "Loading…";
  if (index === "failed") return "The search could not be loaded.";
  return count === 0 ? "Nothing found" : "";
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
