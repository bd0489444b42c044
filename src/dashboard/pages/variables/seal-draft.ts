import type * as z from "zod/mini";

import {
  serversOf,
  type UpdateVariablesInput,
  type Variables,
} from "#contract/endpoints/variables/schemas.ts";
import type { Failed } from "#client/answer.ts";
import { type VariablesDraft, settingOf } from "#dashboard/pages/variables/draft.ts";
import { sealForServers } from "#sealing/secret-box.ts";

/**
 * The request that saves a draft, with its secrets sealed for the next revision.
 * @param current the variables that the draft was made for
 * @returns null if the secrets cannot be sealed for the keys of the servers
 */
export async function sealDraft(
  { edits, removed }: VariablesDraft,
  current: Variables,
): Promise<z.input<typeof UpdateVariablesInput> | null> {
  const { account_id, project_id, revision } = current;
  const keys = serversOf(current).flatMap(({ seal_key: key }) => (key === null ? [] : [key]));
  const shown = new Set(keys.map(({ fingerprint }) => fingerprint));
  const set = await Promise.all(
    edits.map(async (edit) => {
      const { value, ...setting } = settingOf(edit);
      if (setting.secret !== true) return { ...setting, value };
      if (keys.length < serversOf(current).length) return null;
      const place = { account_id, project_id, name: setting.name, revision: revision + 1 };
      const publicKeys = keys.map(({ public_key: publicKey }) => publicKey);
      const made = await sealForServers(publicKeys, place, value);
      // The fingerprints that were shown have to be the keys'.
      const isShown = made?.sealed.every(({ fingerprint }) => shown.has(fingerprint)) === true;
      return made === null || !isShown ? null : { ...setting, ...made };
    }),
  );
  const complete = set.filter((one) => one !== null);
  return complete.length < set.length ? null : { revision, set: complete, remove: removed };
}

/** The result of saving a draft whose secrets cannot be sealed. Nothing was sent. */
export function cannotSeal(): Failed {
  const detail =
    "This browser could not seal the secrets for the keys of the project's servers. Nothing was sent.";
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
