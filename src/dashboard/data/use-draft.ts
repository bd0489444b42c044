import { useRef, useState } from "preact/hooks";
import type * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";

export type SavedDraft<Draft> = {
  /** Unsaved input; null: none. */
  readonly draft: Draft | null;
  /** Stores the draft that `next` returns for the current one. null deletes it. */
  readonly change: (next: (draft: Draft | null) => Draft | null) => void;
};

/**
 * Keeps a form's unsaved input in sessionStorage. The input survives the end of a session and the page load of a new
 * sign-in link. Signing out deletes the input, and so does signing in to another account. @param name of the form and
 * its object @param storable removes fields that must not be stored, such as secrets; the component keeps these fields
 * until it is removed
 */
export function useDraft<Draft>(
  name: string,
  schema: z.ZodMiniType<Draft>,
  storable: (draft: Draft) => Draft = (draft) => draft,
): SavedDraft<Draft> {
  const key = `gantry.draft ${name}`;
  const [draft, setDraft] = useState<Draft | null>(() => {
    const saved = schema.safeParse(parseJson(sessionStorage.getItem(key) ?? ""));
    return saved.success ? saved.data : null;
  });
  const latest = useRef(draft);
  return {
    draft,
    change(next) {
      latest.current = next(latest.current);
      if (latest.current === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(storable(latest.current)));
      setDraft(latest.current);
    },
  };
}
