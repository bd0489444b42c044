import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";

/** The fingerprint of a server's seal key, and what to compare it with. */
export function Fingerprint({ of: { fingerprint } }: { readonly of: SealKey }) {
  return (
    <>
      <code>{fingerprint}</code>{" "}
      <span class="quiet">
        Compare it with <code>gantry-agent status</code> on the server.
      </span>
    </>
  );
}
