import { useEffect, useState } from "preact/hooks";

function lineInAddress(): number | null {
  const [, line] = /^#L(\d{1,9})$/.exec(location.hash) ?? [];
  return line === undefined ? null : Number(line);
}

export type LineLink = {
  /** The line in the address, such as 120 in `#L120`. */
  readonly line: number | null;
  /** Sets the line in the address. `replace`: without a new entry in the browser's history. */
  readonly link: (line: number, options?: { readonly replace: boolean }) => void;
};

export function useLineLink(): LineLink {
  const [line, setLine] = useState(lineInAddress);
  useEffect(() => {
    const update = () => setLine(lineInAddress());
    globalThis.addEventListener("hashchange", update);
    return () => globalThis.removeEventListener("hashchange", update);
  }, []);
  return {
    line,
    link: (wanted, { replace } = { replace: false }) => {
      if (!replace) return location.assign(`#L${wanted}`);
      history.replaceState(null, "", `#L${wanted}`);
      setLine(wanted);
    },
  };
}
