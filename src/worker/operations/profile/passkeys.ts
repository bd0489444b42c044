import {
  type AddPasskeyInput,
  MAX_PASSKEYS,
  type Passkey,
  RECOVERY_CODES,
  type RecoveryCodes,
  type UpdatePasskeyInput,
} from "#contract/endpoints/profile/schemas.ts";
import type { PasskeyId } from "#contract/ids.ts";
import { pick } from "#contract/lib/pick.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import {
  insertPasskey,
  listPasskeys,
  removePasskey as deletePasskey,
  renamePasskey,
  replaceRecoveryCodes,
} from "#worker/db/members/passkey-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { memberOf } from "#worker/operations/profile/member-of.ts";
import { ended, notFound, refuseEnded, tooMany } from "#worker/operations/refusals.ts";
import { checkNewPasskey, invalidPasskey, usedBefore } from "#worker/operations/sessions/ceremonies.ts";
import { refuseNewPasskey, refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { passkeyView } from "#worker/views/passkey-view.ts";

type AddRefusal =
  | "host_name_required"
  | "insufficient_scope"
  | "invalid_passkey"
  | "reauthentication_required"
  | "too_many";

/** Adds a passkey of the member of the session. */
export async function addPasskey(
  context: Context,
  { name, passkey: given }: AddPasskeyInput,
): Promise<Result<Passkey, AddRefusal>> {
  const { token, rows } = context;
  const { id: memberId } = memberOf(context);
  const unconfirmed = refuseNewPasskey(context);
  if (unconfirmed !== null) return unconfirmed;
  const asking = { ...context, database: context.session.database };
  const use = { act: "add_passkey", tokenId: token.id } as const;
  const checked = await checkNewPasskey(asking, use, given, { memberId, name });
  if (!checked.ok) return checked;
  const { passkey, challenge } = checked.value;
  const recorded = passkeyWrites(context, "passkey.added", passkey);
  const insertion = await insertPasskey(rows, passkey, challenge, context, recorded);
  switch (insertion.outcome) {
    case "added":
      announceLater(context);
      return succeed(passkeyView(insertion.passkey));
    case "used_before":
      return usedBefore;
    case "passkey_exists":
      return invalidPasskey("It is registered here already.");
    case "too_many":
      return (await refuseEnded(context)) ?? tooMany("passkeys", "Remove some.", MAX_PASSKEYS, "A person");
  }
}

/** Renames a passkey of the member of the session. */
export async function updatePasskey(
  context: Context,
  id: PasskeyId,
  { name }: UpdatePasskeyInput,
): Promise<Result<Passkey, "not_found">> {
  const passkey = await findOwnPasskey(context, id);
  if (passkey === null) return notFound("passkey");
  const changes = { passkey_name: { before: passkey.name, after: name } };
  const recorded = requestWrites(context, { ...ofMember(context), event: null, changes });
  if (!(await renamePasskey(context.rows, passkey.memberId, id, name, recorded))) return notFound("passkey");
  return succeed(passkeyView({ ...passkey, name }));
}

/** Removes a passkey of the member of the session, except their last one. */
export async function removePasskey(
  context: Context,
  id: PasskeyId,
): Promise<Result<null, "not_found" | "last_passkey" | "reauthentication_required">> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const passkey = await findOwnPasskey(context, id);
  if (passkey === null) return notFound("passkey");
  const recorded = passkeyWrites(context, "passkey.removed", passkey);
  if (!(await deletePasskey(context.rows, passkey.memberId, id, recorded)))
    return refuse("last_passkey", "This is your last passkey. Add another one first.");
  announceLater(context);
  return succeed(null);
}

/** Gives the member of the session new recovery codes, which replace earlier ones. */
export async function createRecoveryCodes(
  context: Context,
): Promise<Result<RecoveryCodes, "insufficient_scope" | "reauthentication_required">> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    formToken(randomTokenCharacters(context.randomBytes), "recovery"),
  );
  const hashes = await Promise.all(codes.map((code) => secretHash(code)));
  const recorded = requestWrites(context, { ...ofMember(context), event: null });
  const isReplaced = await replaceRecoveryCodes(
    context.rows,
    memberOf(context).id,
    hashes,
    context,
    recorded,
  );
  return isReplaced ? succeed({ codes }) : ended;
}

async function findOwnPasskey(context: Context, id: PasskeyId) {
  const own = await listPasskeys(context.latestRows, memberOf(context).id);
  return own.find((passkey) => passkey.id === id) ?? null;
}

/** What a change of the member's own is about, for the audit log. */
function ofMember(context: Context) {
  const { id, name } = memberOf(context);
  return { target: { type: "member", id, name }, projectId: null } as const;
}

function passkeyWrites(
  context: Context,
  type: "passkey.added" | "passkey.removed",
  { id, name }: { readonly id: PasskeyId; readonly name: string },
): Write[] {
  const member = pick(memberOf(context), ["id", "name"]);
  const change = type === "passkey.added" ? { before: null, after: name } : { before: name, after: null };
  return requestWrites(context, {
    ...ofMember(context),
    event: { type, data: { member, passkey: { id, name } } },
    changes: { passkey: change },
  });
}
