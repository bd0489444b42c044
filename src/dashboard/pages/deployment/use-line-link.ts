import { useEffect, useState } from "preact/hooks";

function lineInAddress(): number | null {
  const [, line] = /^#L(\d{1,9})$/.exec(location.hash) ?? [];
  return line === undefined ? null : Number(line);
}

/** The line that the address names, such as `#L120`, and a way to name another. */
export function useLineLink(): [number | null, (line: number) => void] {
  const [line, setLine] = useState(lineInAddress);
  useEffect(() => {
    const update = () => setLine(lineInAddress());
    globalThis.addEventListener("hashchange", update);
    return () => globalThis.removeEventListener("hashchange", update);
  }, []);
  return [line, (wanted) => location.assign(`#L${wanted}`)];
}
