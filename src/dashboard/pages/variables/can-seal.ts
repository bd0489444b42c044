import { useEffect, useState } from "preact/hooks";

import { generateKeyPair } from "#sealing/hpke.ts";

let known: boolean | null = null;

/** Whether this browser can seal secrets. It needs X25519 in WebCrypto, and a page over HTTPS or on localhost. */
async function canSeal(): Promise<boolean> {
  try {
    await generateKeyPair();
    return true;
  } catch {
    return false;
  }
}

/** Whether this browser can seal secrets; null until that is known. */
export function useCanSeal(): boolean | null {
  const [can, setCan] = useState(known);
  useEffect(() => {
    if (known === null) void canSeal().then((result) => setCan((known = result)));
  }, []);
  return can;
}
