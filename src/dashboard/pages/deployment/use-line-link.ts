import { useEffect, useState } from "preact/hooks";

function lineInAddress(): number | null {
  const [, line] = /^#L(\d{1,9})$/.exec(location.hash) ?? [];
  return line === undefined ? null : Number(line);
}

/** The line in the address, such as 120 in `#L120`. A new object each time that the user goes to a line. */
export type LinkedLine = { readonly line: number | null };

export type LineLink = {
  readonly linked: LinkedLine;
  /** Sets the line in the address. `replace`: without a new entry in the browser's history. */
  readonly link: (line: number, options?: { readonly replace: boolean }) => void;
};

export function useLineLink(): LineLink {
  const [linked, setLinked] = useState<LinkedLine>(() => ({ line: lineInAddress() }));
  useEffect(() => {
    const update = () => setLinked({ line: lineInAddress() });
    globalThis.addEventListener("hashchange", update);
    return () => globalThis.removeEventListener("hashchange", update);
  }, []);
  return {
    linked,
    link: (line, { replace } = { replace: false }) => {
      const isThere = lineInAddress() === line;
      if (!replace && !isThere) return location.assign(`#L${line}`);
      history.replaceState(history.state, "", `#L${line}`);
      setLinked({ line });
    },
  };
}
