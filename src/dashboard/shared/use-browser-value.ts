import { useEffect, useState } from "preact/hooks";

/**
 * A value that only the browser knows, such as the hash of the address.
 * @param read returns the current value; called again at each of the events
 * @param events of the window
 */
export function useBrowserValue<Value>(read: () => Value, ...events: readonly string[]): Value {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const update = () => setValue(read);
    for (const event of events) globalThis.addEventListener(event, update);
    return () => {
      for (const event of events) globalThis.removeEventListener(event, update);
    };
  }, []);
  return value;
}
