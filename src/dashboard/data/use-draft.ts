import { useRef, useState } from "preact/hooks";
import type * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";

export type KeptDraft<Draft> = {
  /** What has been typed and not been sent; null: nothing. */
  readonly draft: Draft | null;
  /** Keeps what has become of the draft by now. Nothing is kept where that is null. */
  readonly change: (next: (draft: Draft | null) => Draft | null) => void;
};

/**
 * What somebody types into a form, kept for the tab until it is sent: the session may end meanwhile, and be begun anew by
 * a link that loads the page again. Signing out forgets it.
 * @param name of the form, and of what it is about
 */
export function useDraft<Draft>(name: string, schema: z.ZodMiniType<Draft>): KeptDraft<Draft> {
  const key = `gantry.draft ${name}`;
  const [draft, setDraft] = useState<Draft | null>(() => {
    const kept = schema.safeParse(parseJson(sessionStorage.getItem(key) ?? ""));
    return kept.success ? kept.data : null;
  });
  const latest = useRef(draft);
  return {
    draft,
    change(next) {
      latest.current = next(latest.current);
      if (latest.current === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(latest.current));
      setDraft(latest.current);
    },
  };
}
