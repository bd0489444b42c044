import { useEffect } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";

/** Listens to events while the frame of the pages is shown. The script for it is loaded after the first page. */
export function useListening(account: Account | null): void {
  useEffect(() => {
    if (account === null) return;
    const stopped = new AbortController();
    void import("#dashboard/after-first-page.ts")
      .then(({ listen }) => listen(account, stopped.signal))
      // Without the script, the page polls.
      .catch(() => undefined);
    return () => stopped.abort();
  }, [account?.token.id]);
}
