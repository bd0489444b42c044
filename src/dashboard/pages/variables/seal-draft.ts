import type * as z from "zod/mini";

import type { UpdateVariablesInput, Variables } from "#contract/endpoints/variables/schemas.ts";
import type { Failed } from "#client/answer.ts";
import { type VariablesDraft, settingOf } from "#dashboard/pages/variables/draft.ts";
import { sealSecret } from "#sealing/secret-box.ts";

/**
 * The request that saves a draft, with its secrets sealed for the next revision.
 * @param current the variables that the draft was made for
 * @returns null if the secrets cannot be sealed for the server's key
 */
export async function sealDraft(
  { edits, removed }: VariablesDraft,
  current: Variables,
): Promise<z.input<typeof UpdateVariablesInput> | null> {
  const { account_id, project_id, revision, seal_key: key } = current;
  const set = await Promise.all(
    edits.map(async (edit) => {
      const { value, ...setting } = settingOf(edit);
      if (setting.secret !== true) return { ...setting, value };
      if (key === null) return null;
      const place = { account_id, project_id, name: setting.name, revision: revision + 1 };
      const sealed = await sealSecret(key.public_key, place, value);
      // The fingerprint that was shown has to be the key's.
      return sealed === null || sealed.fingerprint !== key.fingerprint
        ? null
        : { ...setting, sealed: [sealed] };
    }),
  );
  const complete = set.filter((one) => one !== null);
  return complete.length < set.length ? null : { revision, set: complete, remove: removed };
}

/** The result of saving a draft whose secrets cannot be sealed. Nothing was sent. */
export function cannotSeal(): Failed {
  const detail = "This browser could not seal the secrets for the server's key. Nothing was sent.";
  return {
    ok: false,
    problem: {
      type: "about:blank",
      title: "Not sealed",
      status: 0,
      detail,
      code: "not_sealed",
      request_id: "",
    },
  };
}
