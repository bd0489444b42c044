import { useEffect, useState } from "preact/hooks";

/** Whether the machine is on a network at all. */
export function useIsOnLine(): boolean {
  const [isOnLine, setIsOnLine] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setIsOnLine(navigator.onLine);
    for (const name of ["online", "offline"]) globalThis.addEventListener(name, update);
    return () => {
      for (const name of ["online", "offline"]) globalThis.removeEventListener(name, update);
    };
  }, []);
  return isOnLine;
}
