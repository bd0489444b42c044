import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

const PROBE = "0".repeat(100);

/**
 * How many characters fit into the text of a row, while lines are wrapped.
 * @param box contains the rows
 * @returns null while lines are not wrapped
 */
export function useColumns(box: RefObject<HTMLElement | null>, isWrapped: boolean): number | null {
  const [columns, setColumns] = useState<number | null>(null);
  useLayoutEffect(() => {
    const lines = box.current;
    if (!isWrapped || lines === null) return setColumns(null);
    const measure = () => setColumns(measuredColumns(lines));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(lines);
    return () => observer.disconnect();
  }, [isWrapped]);
  return columns;
}

/** Measured in a row of its own, because the style sheet decides how much of a row is text. */
function measuredColumns(lines: HTMLElement): number {
  const row = document.createElement("div");
  row.className = "row probe";
  const text = document.createElement("span");
  text.className = "text";
  const characters = document.createElement("span");
  characters.textContent = PROBE;
  text.append(characters);
  row.append(document.createElement("span"), document.createElement("time"));
  if (lines.classList.contains("named")) {
    const server = document.createElement("span");
    server.className = "server";
    row.append(server);
  }
  row.append(text);
  row.firstElementChild?.classList.add("number");
  lines.append(row);
  const padding = Number.parseFloat(getComputedStyle(text).paddingRight);
  const width = text.getBoundingClientRect().width - padding;
  const character = characters.getBoundingClientRect().width / PROBE.length;
  row.remove();
  return Math.max(1, Math.floor(width / character));
}
